// Command sink runs a broker that keeps nothing; see package sink. It prints where it listens as one line of JSON, and
// serves what it has counted as JSON at http://ADMIN/stats.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

// main.go owns the process around a sink.Server.

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sink:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "127.0.0.1:19192", "`host:port` for clients; port 0 for a free one")
	admin := flag.String("admin", "127.0.0.1:19193", "`host:port` for /stats; port 0 for a free one")
	untilEOF := flag.Bool("until-eof", false, "end when standard input does")
	cfg := sink.Config{Logf: log.Printf}
	flag.IntVar(&cfg.Partitions, "partitions", 12, "partitions of every topic")
	flag.BoolVar(&cfg.Verify, "verify", false, "check checksums, sequences and records")
	flag.DurationVar(&cfg.Delay, "delay", 0, "answer this much later")
	flag.Parse()
	debug.SetGCPercent(400)

	s, err := sink.Listen(*addr, cfg)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", *admin)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/stats", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(s.Stats()) // it is the reader's loss
	})
	served := make(chan error, 1)
	go func() { served <- http.Serve(ln, mux) }()
	if *untilEOF {
		go func() {
			_, err := io.Copy(io.Discard, os.Stdin)
			served <- err
		}()
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"addr": s.Addr(), "admin": ln.Addr().String()}); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(<-served, s.Close())
}

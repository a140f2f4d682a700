// Command run measures scenarios over clients and prints the medians as Markdown. Each client is a process of its own,
// and so is the broker, by default a sink on a free port of this machine. Clients take turns, round by round, so that
// the machine's drift meets all of them alike; ratios are taken within a round. A run counts only if the broker then has
// exactly the records that were sent.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// main.go owns the flags and the order of things.

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	scenarios, clients string
	rounds             int
	scale              float64
	bootstrap          string
	verify             bool
	timeout            time.Duration
	out                string
	with               []variant
	guard              string
}

func parse() (o options, report []string) {
	flag.StringVar(&o.scenarios, "scenarios", "", "comma separated `names`; empty for all: "+names(scenarios(), scenario.label))
	flag.StringVar(&o.clients, "clients", "", "comma separated `names`; empty for all but the tuned: "+names(variants(), variant.label))
	flag.IntVar(&o.rounds, "rounds", 5, "how often each client runs each scenario")
	flag.Float64Var(&o.scale, "scale", 1, "`factor` for the numbers of records")
	flag.StringVar(&o.bootstrap, "bootstrap", "", "`host:port` of a real broker to use instead of a sink; each scenario makes a topic and deletes it")
	flag.BoolVar(&o.verify, "verify", false, "make the sink check checksums, sequences and records; costs CPU, though not the client's")
	flag.DurationVar(&o.timeout, "timeout", 90*time.Second, "for one run; then the client is told to dump its goroutines")
	flag.StringVar(&o.out, "out", "", "`file` to add a line of JSON to for each run; empty for a new one in results/")
	flag.Func("with", "`name=program`: another build of clients/producer to compare; may be repeated", func(s string) error {
		v, err := extra(s)
		o.with = append(o.with, v)
		return err
	})
	flag.StringVar(&o.guard, "guard", "", "`file` of ratios that must not get worse: measures just those, and fails if one is too high twice in a row")
	only := flag.Bool("report", false, "measure nothing: print the tables of the files that are the arguments")
	flag.Parse()
	if *only {
		report = flag.Args()
	}
	return o, report
}

func run(ctx context.Context) error {
	o, files := parse()
	if files != nil {
		runs, err := load(files)
		if err != nil {
			return err
		}
		return report(os.Stdout, runs)
	}
	var g guard
	if o.guard != "" {
		var err error
		if g, err = loadGuard(o.guard); err != nil {
			return err
		}
		o.scenarios, o.clients = g.scenarios(), strings.Join([]string{floorName, ourName, franzName}, ",")
	}
	ss, err := choose(scenarios(), scenario.label, o.scenarios)
	if err != nil {
		return err
	}
	vs, err := choose(variants(), variant.label, o.clients)
	if err != nil {
		return err
	}
	w, err := build(ctx)
	if err != nil {
		return err
	}
	defer w.remove()
	out, err := o.create(w)
	if err != nil {
		return err
	}
	m := &measurement{options: o, workshop: w, variants: append(vs, o.with...), raw: json.NewEncoder(out)}
	var runs []result
	for _, s := range ss {
		var rs []result
		rs, err = m.scenario(ctx, s)
		runs = append(runs, rs...)
		if err != nil {
			break
		}
	}
	fmt.Fprintln(os.Stderr, "raw figures are in", out.Name())
	if err == nil && g != nil {
		err = g.check(ctx, m, runs)
	}
	return errors.Join(err, out.Close(), report(os.Stdout, runs), verdict(runs))
}

// verdict is an error if there are runs that do not count.
func verdict(runs []result) error {
	bad := 0
	for _, r := range runs {
		if r.Problem != "" {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d runs do not count", bad, len(runs))
	}
	return nil
}

// create opens the file for the raw figures.
func (o *options) create(w *workshop) (*os.File, error) {
	if o.out == "" {
		dir := filepath.Join(w.module, "results")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("raw figures: %w", err)
		}
		o.out = filepath.Join(dir, time.Now().UTC().Format("20060102-150405")+".jsonl")
	}
	f, err := os.OpenFile(o.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("raw figures: %w", err)
	}
	return f, nil
}

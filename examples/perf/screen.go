package main

import (
	"io"
	"sync"
	"time"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// screen.go owns the terminal: a line on standard error that changes in place, and the lines of standard
// output and error, which must not be written into it.

// screen shows progress, if anybody is watching. Any goroutine may write to it.
type screen struct {
	std  cli.Std
	stop chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex // guards what follows, and the streams
	line string     // what is on the terminal's last line
}

// refresh is how often progress is shown.
const refresh = 200 * time.Millisecond

// What a terminal is told: to take away what is on its line and go to the beginning; to cut off what is too
// long for a line, for what goes on in the next could not be taken away; and to let it go on there again.
const (
	erase  = "\r\x1b[K"
	cutOff = "\x1b[?7l"
	goOn   = "\x1b[?7h"
)

func newScreen(s cli.Std) *screen { return &screen{std: s, stop: make(chan struct{})} }

// out is standard output, err standard error, for whole lines.
func (s *screen) out() io.Writer { return screenWriter{s, s.std.Out} }
func (s *screen) err() io.Writer { return screenWriter{s, s.std.Err} }

type screenWriter struct {
	screen *screen
	to     io.Writer
}

// Write implements io.Writer.
func (w screenWriter) Write(p []byte) (int, error) {
	s := w.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.line
	s.drawLocked("")
	n, err := w.to.Write(p)
	s.drawLocked(line)
	return n, err
}

// drawLocked puts a line in the place of the one before. What cannot be shown is not missed.
func (s *screen) drawLocked(line string) {
	if line == s.line {
		return
	}
	s.line = line
	if line != "" {
		line = cutOff + line + goOn
	}
	_, _ = io.WriteString(s.std.Err, erase+line)
}

// show begins to show what status returns, until close.
func (s *screen) show(status func() string) {
	if !s.std.Watched {
		return
	}
	s.done.Go(func() {
		ticker := time.NewTicker(refresh)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				line := status() // it may wait for who is waiting for mu
				s.mu.Lock()
				s.drawLocked(line)
				s.mu.Unlock()
			case <-s.stop:
				return
			}
		}
	})
}

// close ends the showing and takes the line away.
func (s *screen) close() {
	close(s.stop)
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawLocked("")
}

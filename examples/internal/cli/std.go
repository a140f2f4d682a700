package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// std.go owns how a tool starts and ends: its streams, signals and exit status.

// Std is where a tool reads and writes.
type Std struct {
	Tool     string // its name, in front of what it says on Err
	In       io.Reader
	Out, Err io.Writer // safe for several goroutines: whole lines are written at once
	Dialog   bool      // somebody types into In and reads Out
	Watched  bool      // somebody looks at Err
}

// Warn writes a line to s.Err.
func (s Std) Warn(format string, args ...any) {
	fmt.Fprintf(s.Err, "%s: %s\n", s.Tool, fmt.Sprintf(format, args...))
}

// JSON writes v to s.Out, as a line of JSON.
func (s Std) JSON(v any) {
	e := json.NewEncoder(s.Out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		s.Warn("printing JSON: %v", err)
	}
}

// Tell writes an error to s.Err. If it is several, each has a line.
func (s Std) Tell(err error) {
	several, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // what a single error is about stays on its line
	if !ok {
		s.Warn("%v", err)
		return
	}
	for _, one := range several.Unwrap() {
		s.Tell(one)
	}
}

// Main runs a tool as this process and ends it: with status 0, or with 1 and the error on standard error.
// The context ends with the first interrupt or SIGTERM; the second ends the process at once.
func Main(tool string, run func(ctx context.Context, s Std, args []string) error) {
	s := Std{
		Tool: tool, In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Dialog: terminal(os.Stdin) && terminal(os.Stdout), Watched: terminal(os.Stderr),
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, s, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		s.Tell(err)
		os.Exit(1)
	}
}

// terminal says whether f is one: a character device, and not the one that swallows everything.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Version is that of the library this program was built with; "(devel)" in a working copy of it.
func Version() string {
	const module = "github.com/kafka-go-producer/producer"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return info.Main.Version
}

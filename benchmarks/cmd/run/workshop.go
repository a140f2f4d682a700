package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workshop.go owns the programs that are measured: they are built anew, each time, into a folder that is removed.

const modulePath = "github.com/kafka-go-producer/producer/benchmarks"

type workshop struct {
	module string // folder of this module
	bin    string
	commit string // of the source
}

func build(ctx context.Context) (*workshop, error) {
	dir, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", modulePath)
	if err != nil {
		return nil, err
	}
	bin, err := os.MkdirTemp("", "producer-bench-")
	if err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	w := &workshop{module: dir, bin: bin, commit: "unknown"}
	if _, err := output(ctx, dir, "go", "build", "-o", bin+string(filepath.Separator), "./cmd/sink", "./cmd/floor", "./clients/..."); err != nil {
		w.remove()
		return nil, err
	}
	if commit, err := output(ctx, dir, "git", "describe", "--always", "--dirty"); err == nil { // else it is no checkout
		w.commit = commit
	}
	return w, nil
}

// path is where a program is.
func (w *workshop) path(program string) string {
	if strings.ContainsRune(program, '/') {
		return program
	}
	return filepath.Join(w.bin, program)
}

func (w *workshop) remove() { _ = os.RemoveAll(w.bin) }

// output runs a program that says one thing.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

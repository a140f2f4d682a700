// Command tally reads the output of one go test -json from standard input,
// prints what a person wants to see of it (one line a package, the output of
// what failed, the reasons of what was skipped), and appends its counts to a
// file, so that several runs can be summed:
//
//	go test -json ./... | tally -append counts.txt
//	tally -sum counts.txt
//
// Each test and subtest counts once. A package that does not build, or ends
// outside of a test, counts as one failure. Results that go test took from its
// cache are shown and not counted: they did not run.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tally: ")
	appendTo := flag.String("append", "", "file to append this run's counts to")
	sum := flag.String("sum", "", "file whose counts to print as one line; nothing is read")
	flag.Parse()
	var err error
	if *sum != "" {
		err = printSum(os.Stdout, *sum)
	} else {
		err = readRun(os.Stdin, os.Stdout, *appendTo)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// counts of tests.
type counts struct{ passed, failed, skipped int }

func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

func (c *counts) add(d counts) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
}

// readRun prints a run and appends its counts. A run in which something failed
// is no error here: go test has its own exit code.
func readRun(in io.Reader, out io.Writer, file string) error {
	r := run{out: out, packages: make(map[string]*pkg)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	r.end()
	fmt.Fprintln(out, r.total)
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, r.total)
	return errors.Join(err, f.Close())
}

func printSum(out io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var total counts
	for line := range strings.Lines(string(text)) {
		var c counts
		if _, err := fmt.Sscanf(line, "%d passed, %d failed, %d skipped", &c.passed, &c.failed, &c.skipped); err != nil {
			return fmt.Errorf("%s: line %q: %w", file, line, err)
		}
		total.add(c)
	}
	fmt.Fprintln(out, total)
	return nil
}

// event is one line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	FailedBuild string
}

// run gathers the events of one go test.
type run struct {
	out      io.Writer
	packages map[string]*pkg // those not yet ended
	total    counts
}

// pkg is what is known of a package that is still running.
type pkg struct {
	counts counts
	cached bool
	output map[string][]string // by test; "" is the package itself
}

func (r *run) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(r.out, "%s", line) // a message of the go command itself
		return
	}
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &pkg{output: make(map[string][]string)}
		r.packages[e.Package] = p
	}
	if e.Test == "" {
		r.ofPackage(p, e)
	} else {
		r.ofTest(p, e)
	}
}

func (r *run) ofTest(p *pkg, e event) {
	switch e.Action {
	case "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		return
	case "pass":
		p.counts.passed++
	case "skip":
		p.counts.skipped++
		r.printOutput(p, e.Test)
	case "fail":
		p.counts.failed++
		r.printOutput(p, e.Test)
	default:
		return
	}
	delete(p.output, e.Test)
}

func (r *run) ofPackage(p *pkg, e event) {
	switch e.Action {
	case "output":
		p.output[""] = append(p.output[""], e.Output)
		p.cached = p.cached || strings.HasPrefix(e.Output, "ok ") && strings.HasSuffix(strings.TrimSpace(e.Output), "(cached)")
	case "pass", "skip", "fail":
		r.endPackage(e.Package, e.Action == "fail")
	}
}

// endPackage prints the package's own last lines and takes its counts.
func (r *run) endPackage(name string, failed bool) {
	p := r.packages[name]
	delete(r.packages, name)
	if failed {
		if p.counts.failed == 0 {
			p.counts.failed = 1
		}
		for test := range p.output { // of tests that were running when it ended
			if test != "" {
				r.printOutput(p, test)
			}
		}
	}
	for _, line := range p.output[""] {
		if line != "PASS\n" && line != "FAIL\n" {
			fmt.Fprint(r.out, line)
		}
	}
	if !p.cached {
		r.total.add(p.counts)
	}
}

// printOutput prints what a test said, without the frame go test -v puts
// around it.
func (r *run) printOutput(p *pkg, test string) {
	for _, line := range p.output[test] {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(r.out, line)
		}
	}
}

// end counts packages that never ended, as when go test was killed.
func (r *run) end() {
	for name := range r.packages {
		fmt.Fprintf(r.out, "FAIL\t%s [did not end]\n", name)
		r.endPackage(name, true)
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// report.go owns the tables. It knows raw figures only, so old ones can be printed again.

// load reads raw figures.
func load(files []string) ([]result, error) {
	var all []result
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("raw figures: %w", err)
		}
		in := json.NewDecoder(bufio.NewReader(f))
		for err == nil {
			var r result
			if err = in.Decode(&r); err == nil {
				all = append(all, r)
			}
		}
		_ = f.Close()
		if err != io.EOF {
			return nil, fmt.Errorf("raw figures in %s: %w", name, err)
		}
	}
	return all, nil
}

// table is what one scenario's table is made of.
type table struct {
	title    string
	variants []string // in order of appearance
	runs     map[string][]result
}

// report prints a table for each scenario and kind of broker.
func report(w io.Writer, runs []result) error {
	out := bufio.NewWriter(w)
	printed := ""
	for _, t := range tables(runs) {
		first := t.runs[t.variants[0]][0]
		if head := fmt.Sprintf("Commit %s, %s, scale %g.", first.Commit, first.Machine, first.Scale); head != printed {
			fmt.Fprintf(out, "%s\n", head)
			printed = head
		}
		fmt.Fprintf(out, "\n### %s\n\n", t.title)
		fmt.Fprintln(out, "| client | n | rec/s | CPU ns/rec (min–max) | user | sys | RSS MB | allocs/rec | B/rec | sent B/rec | ctxsw/1k | rec/batch | batch/req | p50 µs | p99 µs "+
			"| floor: CPU, rec/s | franz-go: CPU, rec/s | proto2: CPU, rec/s |")
		fmt.Fprintln(out, "|"+strings.Repeat("---|", 18))
		for _, v := range t.variants {
			fmt.Fprintln(out, t.row(v))
		}
		for _, v := range t.variants {
			for _, r := range t.runs[v] {
				if r.Problem != "" {
					fmt.Fprintf(out, "\n%s, round %d, does not count: %.200s\n", v, r.Round+1, strings.Join(strings.Fields(r.Problem), " "))
				}
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func tables(runs []result) []*table {
	var all []*table
	for _, r := range runs {
		title := r.Scenario + ": " + r.Title + map[bool]string{false: ", sink", true: ", real broker"}[r.Real]
		i := slices.IndexFunc(all, func(t *table) bool { return t.title == title })
		if i < 0 {
			i = len(all)
			all = append(all, &table{title: title, runs: make(map[string][]result)})
		}
		t := all[i]
		if t.runs[r.Variant] == nil {
			t.variants = append(t.variants, r.Variant)
		}
		t.runs[r.Variant] = append(t.runs[r.Variant], r)
	}
	return all
}

// good are the runs of a variant that count.
func (t *table) good(variant string) []result {
	return slices.DeleteFunc(slices.Clone(t.runs[variant]), func(r result) bool { return r.Problem != "" })
}

func (t *table) row(variant string) string {
	good, n := t.good(variant), fmt.Sprint(len(t.runs[variant]))
	if len(good) < len(t.runs[variant]) {
		n = fmt.Sprintf("%d/%s", len(good), n)
	}
	if len(good) == 0 {
		return fmt.Sprintf("| %s | %s |%s", variant, n, strings.Repeat(" - |", 16))
	}
	mid := func(format string, figure func(result) float64) string {
		return cell(format, median(figures(good, figure)))
	}
	cpus := figures(good, cpu)
	cells := []string{
		variant, n,
		thousands(median(figures(good, recPerSec))),
		fmt.Sprintf("%.0f (%.0f–%.0f)", median(cpus), slices.Min(cpus), slices.Max(cpus)),
		mid("%.0f", func(r result) float64 { return r.Run.User }),
		mid("%.0f", func(r result) float64 { return r.Run.Sys }),
		mid("%.0f", func(r result) float64 { return r.Run.RSS }),
		fmt.Sprintf("%.3f", median(figures(good, func(r result) float64 { return r.Run.Allocs }))),
		fmt.Sprintf("%.0f", median(figures(good, func(r result) float64 { return r.Run.Bytes }))),
		mid("%.0f", func(r result) float64 { return over(r.Broker.Bytes, r.Broker.Records) }),
		fmt.Sprintf("%.1f", median(figures(good, func(r result) float64 { return r.Run.Switches }))),
		mid("%.1f", func(r result) float64 { return over(r.Broker.Records, r.Broker.Batches) }),
		mid("%.1f", func(r result) float64 { return over(r.Broker.Batches, r.Broker.Requests) }),
		mid("%.0f", func(r result) float64 { return r.Run.P50 }),
		mid("%.0f", func(r result) float64 { return r.Run.P99 }),
		t.ratios(variant, floorName), t.ratios(variant, franzName), t.ratios(variant, protoName),
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func cpu(r result) float64       { return r.Run.CPU }
func recPerSec(r result) float64 { return r.Run.RecPerSec }

// ratios compares a variant with another in CPU and in speed: the medians over the rounds of the ratio in a round.
func (t *table) ratios(variant, other string) string {
	c, s := t.ratio(variant, other, cpu), t.ratio(variant, other, recPerSec)
	if c == 0 {
		return "-"
	}
	return fmt.Sprintf("**%.2f**, %.2f", c, s)
}

func (t *table) ratio(variant, other string, figure func(result) float64) float64 {
	var all []float64
	for _, r := range t.good(variant) {
		for _, o := range t.good(other) {
			if o.Round == r.Round && figure(o) > 0 {
				all = append(all, figure(r)/figure(o))
			}
		}
	}
	return median(all)
}

func figures(runs []result, figure func(result) float64) []float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, figure(r))
	}
	return all
}

// median is 0 of nothing.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// cell shows a figure that is not known, or has no meaning here, as -.
func cell(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// thousands shortens what is large.
func thousands(x float64) string {
	if x < 1e5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.0fk", x/1e3)
}

func over(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

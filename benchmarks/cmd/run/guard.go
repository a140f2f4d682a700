package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// guard.go owns the ratios that must not get worse. They are ratios of CPU per record, since those hold on a machine
// that drifts; a machine can still be disturbed for a while, so only what is broken twice in a row counts.

// guard is what was measured and committed: scenario, other client, CPU of our client by that of the other.
type guard map[string]map[string]float64

// slack is how much worse a ratio may be than the committed one.
const slack = 1.25

func loadGuard(file string) (g guard, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	if err := json.Unmarshal(b, &g); err != nil {
		return nil, fmt.Errorf("guard %s: %w", file, err)
	}
	return g, nil
}

// scenarios are those it has ratios of.
func (g guard) scenarios() string { return strings.Join(slices.Sorted(maps.Keys(g)), ",") }

// broken are the ratios that are too high, or were not measured, and what to say of them.
func (g guard) broken(runs []result) (bad guard, texts []string) {
	bad = guard{}
	measured := map[string]*table{}
	for _, t := range tables(runs) {
		measured[strings.SplitN(t.title, ":", 2)[0]] = t
	}
	for _, s := range slices.Sorted(maps.Keys(g)) {
		for _, other := range slices.Sorted(maps.Keys(g[s])) {
			was, is := g[s][other], 0.0
			if t := measured[s]; t != nil {
				is = t.ratio(ourName, other, cpu)
			}
			if is == 0 || is > was*slack {
				if bad[s] == nil {
					bad[s] = map[string]float64{}
				}
				bad[s][other] = was
				texts = append(texts, fmt.Sprintf("%s: CPU is %.2f of %s's, and was %.2f", s, is, other, was))
			}
		}
	}
	return bad, texts
}

// check measures what is broken once more, and fails if it still is.
func (g guard) check(ctx context.Context, m *measurement, runs []result) error {
	bad, texts := g.broken(runs)
	if len(texts) == 0 {
		fmt.Fprintln(os.Stderr, "guard: all ratios hold")
		return nil
	}
	fmt.Fprintf(os.Stderr, "guard: once more, for %s\n", strings.Join(texts, "; "))
	again, err := choose(scenarios(), scenario.label, bad.scenarios())
	if err != nil {
		return err
	}
	var second []result
	for _, s := range again {
		rs, err := m.scenario(ctx, s)
		if err != nil {
			return err
		}
		second = append(second, rs...)
	}
	if _, texts = bad.broken(second); len(texts) > 0 {
		return fmt.Errorf("guard: %s", strings.Join(texts, "; "))
	}
	return nil
}

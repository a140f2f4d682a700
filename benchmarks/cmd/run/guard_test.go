package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
)

// oneRound is a round of main in which our client needs that much CPU per record, and franz-go 100.
func oneRound(round int, ours float64) []result {
	of := func(variant string, cpu float64) result {
		return result{Scenario: "main", Title: "some work", Variant: variant, Round: round, Run: harness.Result{CPU: cpu}}
	}
	return []result{of(ourName, ours), of(franzName, 100)}
}

func TestGuard_Broken(t *testing.T) {
	g := guard{"main": {franzName: 0.4}}
	for _, tc := range []struct {
		name string
		runs []result
		want int
	}{
		{"better", oneRound(0, 20), 0},
		{"a little worse", oneRound(0, 49), 0},
		{"too much worse", oneRound(0, 51), 1},
		{"the median counts", append(append(oneRound(0, 90), oneRound(1, 40)...), oneRound(2, 41)...), 0},
		{"not measured", nil, 1},
	} {
		_, texts := g.broken(tc.runs)
		assert.Len(t, texts, tc.want, tc.name)
	}
	bad, texts := guard{"main": {franzName: 0.1}, "g8": {franzName: 1}}.broken(oneRound(0, 40))
	assert.Equal(t, guard{"main": {franzName: 0.1}, "g8": {franzName: 1}}, bad)
	assert.Contains(t, texts[1], "main: CPU is 0.40 of franz-go's, and was 0.10")
}

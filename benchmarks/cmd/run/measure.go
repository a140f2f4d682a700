package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

// measure.go owns the runs of a measurement, one after the other.

// result is one run, and a line of the raw figures.
type result struct {
	Scenario string         `json:"scenario"`
	Title    string         `json:"title"`
	Variant  string         `json:"variant"`
	Round    int            `json:"round"`
	Real     bool           `json:"real"` // on a real broker
	Verified bool           `json:"verified"`
	Commit   string         `json:"commit"`
	Machine  string         `json:"machine"`
	At       time.Time      `json:"at"`
	Scale    float64        `json:"scale"`
	Run      harness.Result `json:"run"`
	Broker   sink.Stats     `json:"broker"`
	Problem  string         `json:"problem"` // why the run does not count; empty: it does
	Stderr   string         `json:"stderr,omitempty"`
}

type measurement struct {
	options
	workshop *workshop
	variants []variant
	raw      *json.Encoder
}

// settle is waited after a run that failed: what is still on its way to the broker must not be counted for the next one.
const settle = 500 * time.Millisecond

// scenario runs all variants in s, in rounds. Each round begins with another variant.
func (m *measurement) scenario(ctx context.Context, s scenario) (all []result, err error) {
	b, err := m.broker(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	topic := fmt.Sprintf("bench-%s-%d", s.name, time.Now().UnixNano())
	if err := b.prepare(ctx, topic); err != nil {
		return nil, err
	}
	vs := slices.DeleteFunc(slices.Clone(m.variants), func(v variant) bool { return v.noSync && s.sync() || v.noCodec && s.codec })
	if m.bootstrap != "" && len(vs) > 0 {
		m.one(ctx, b, topic, s, vs[0], 0) // for the broker to warm up
	}
	for round := range m.rounds {
		for i := range vs {
			v := vs[(i+round)%len(vs)]
			r := m.one(ctx, b, topic, s, v, round)
			if err := ctx.Err(); err != nil {
				return all, err
			}
			if err := m.raw.Encode(r); err != nil {
				return all, fmt.Errorf("raw figures: %w", err)
			}
			all = append(all, r)
			if r.Problem != "" {
				time.Sleep(settle)
			}
			fmt.Fprintf(os.Stderr, "%s %s round %d %-14s %6.0fk rec/s %6.0f ns/rec %.300s\n",
				time.Now().Format(time.TimeOnly), s.name, round+1, v.name, r.Run.RecPerSec/1e3, r.Run.CPU, r.Problem)
		}
	}
	return all, nil
}

func (m *measurement) broker(ctx context.Context) (broker, error) {
	if m.bootstrap != "" {
		return connect(m.bootstrap)
	}
	return startSink(ctx, m.workshop, m.verify)
}

// one runs one client once. What goes wrong is in the result.
func (m *measurement) one(ctx context.Context, b broker, topic string, s scenario, v variant, round int) result {
	r := result{
		Scenario: s.name, Title: s.title, Variant: v.name, Round: round, Real: m.bootstrap != "", Verified: m.verify && m.bootstrap == "",
		Commit: m.workshop.commit, Machine: machine(), At: time.Now().UTC(), Scale: m.scale,
	}
	before, err := b.received(ctx)
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	args := slices.Concat(s.args, v.args, []string{
		"-brokers", b.address(), "-topic", topic, "-partitions", strconv.Itoa(topicPartitions),
		"-records", strconv.Itoa(m.records(s, v)),
	})
	out, stderr, err := m.start(ctx, v, args)
	if err != nil {
		r.Stderr = stderr
		err = fmt.Errorf("%w: %.300s", err, strings.Join(strings.Fields(stderr), " "))
	} else if err = json.Unmarshal(out, &r.Run); err != nil {
		err = fmt.Errorf("output: %w", err)
	}
	after, errStats := b.received(ctx)
	r.Broker = after.Sub(before)
	if err := errors.Join(err, errStats); err != nil {
		r.Problem = err.Error()
		return r
	}
	r.Problem = r.check()
	return r
}

// start runs the client's process to its end. If it hangs, stderr is the dump of its goroutines.
func (m *measurement) start(ctx context.Context, v variant, args []string) (stdout []byte, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	c := exec.CommandContext(ctx, m.workshop.path(v.program), args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGQUIT) }
	c.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("still not done after %v", m.timeout)
	}
	return out.Bytes(), errs.String(), err
}

// check says why the run does not count, if it does not.
func (r *result) check() string {
	cfg := r.Run.Config
	if cfg == nil {
		return "the client did not report"
	}
	sent := int64(cfg.Records + cfg.WarmupRecords())
	var problems []string
	if r.Broker.Records != sent {
		problems = append(problems, fmt.Sprintf("the broker has %d records, %d were sent", r.Broker.Records, sent))
	}
	if r.Broker.Bad() > 0 {
		problems = append(problems, fmt.Sprintf("the broker found faults: %+v", r.Broker))
	}
	if r.Verified && cfg.Codec == "none" {
		if want := sent * int64(cfg.Size); r.Broker.ValueBytes != want {
			problems = append(problems, fmt.Sprintf("the broker has %d bytes of values, %d were sent", r.Broker.ValueBytes, want))
		}
		if want := sent * int64(cfg.KeySize); r.Broker.KeyBytes != want {
			problems = append(problems, fmt.Sprintf("the broker has %d bytes of keys, %d were sent", r.Broker.KeyBytes, want))
		}
	}
	return strings.Join(problems, "; ")
}

// machine says what a figure depends on.
func machine() string {
	return fmt.Sprintf("%s %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

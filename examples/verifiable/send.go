package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
	"github.com/kafka-go-producer/producer/examples/internal/pace"
)

// send.go owns the sending of the numbers.

// sender is one run of the tool.
type sender struct {
	options
	std      cli.Std
	producer producer.Producer[string, string]
	acked    atomic.Int64
}

func newSender(o options, s cli.Std, p producer.Producer[string, string]) *sender {
	return &sender{options: o, std: s, producer: p}
}

// run sends all messages, or those that there are until ctx ends, and waits for their outcome.
func (s *sender) run(ctx context.Context) error {
	begun := time.Now()
	s.std.JSON(newEvent("startup_complete"))
	n := s.send(ctx, begun)
	err := s.producer.Close(context.WithoutCancel(ctx)) // the delivery timeout bounds it
	s.std.JSON(newEvent("shutdown_complete"))
	acked := s.acked.Load()
	s.std.JSON(toolData{newEvent("tool_data"), n, acked, s.rate, float64(acked) / time.Since(begun).Seconds()})
	return err
}

// send returns how many messages it sent.
func (s *sender) send(ctx context.Context, begun time.Time) int64 {
	pacer := pace.New(float64(s.rate))
	for n := range s.messages {
		if n > 0 {
			pacer.Wait(ctx, n)
		}
		if ctx.Err() != nil {
			return n
		}
		r := producer.Record[string, string]{Topic: s.topic, Value: s.prefix + strconv.FormatInt(n, 10)}
		if s.keys > 0 {
			r.Key = strconv.FormatInt(n%s.keys, 10)
		}
		if !s.created.IsZero() {
			r.Timestamp = s.created.Add(time.Since(begun))
		}
		s.producer.Send(ctx, r, s.outcome(r.Key, r.Value))
	}
	return s.messages
}

// outcome returns the callback of a message, which prints what became of it.
func (s *sender) outcome(key, value string) producer.Callback {
	var keyOrNull *string
	if s.keys > 0 {
		keyOrNull = &key
	}
	return func(m producer.RecordMetadata, err error) {
		if err != nil {
			s.std.JSON(notSent{newEvent("producer_send_error"), m.Topic, keyOrNull, value, kindOf(err), err.Error()})
			return
		}
		s.acked.Add(1)
		s.std.JSON(sent{newEvent("producer_send_success"), keyOrNull, value, m.Offset, m.Topic, m.Partition})
	}
}

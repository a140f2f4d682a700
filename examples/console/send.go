package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// send.go owns the sending of records and what is told of their outcome.

// sender sends what a lineReader reads.
type sender struct {
	sync, printMetadata bool
	std                 cli.Std
	producer            producer.Producer[[]byte, []byte]
	failed              atomic.Int64
}

func newSender(o options, s cli.Std, p producer.Producer[[]byte, []byte]) *sender {
	return &sender{sync: o.sync, printMetadata: o.printMetadata, std: s, producer: p}
}

// run sends all lines and waits for their outcome. When ctx ends, it sends no more.
//
// Lines are read by a goroutine of their own: nothing can end the reading of a terminal or pipe. It is left
// behind when ctx ends, for the process to end with it.
func (s *sender) run(ctx context.Context, lines *lineReader) error {
	read := make(chan error, 1)
	go func() { read <- s.sendAll(ctx, lines) }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	}
	err = errors.Join(err, s.producer.Close(context.WithoutCancel(ctx))) // the delivery timeout bounds it
	if failed := s.failed.Load(); failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d records were not sent", failed))
	}
	return err
}

// sendAll sends lines until there are no more, or one that is no record.
func (s *sender) sendAll(ctx context.Context, lines *lineReader) error {
	for {
		r, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		f := s.producer.Send(ctx, r, s.outcome(r))
		if !s.sync {
			continue
		}
		if _, failed := f.Get(ctx); failed != nil {
			return nil //nolint:nilerr // the callback tells of it
		}
	}
}

// outcome returns the callback of a record.
func (s *sender) outcome(r record) producer.Callback {
	keySize, valueSize := size(r.Key), size(r.Value)
	return func(m producer.RecordMetadata, err error) {
		if err != nil {
			s.failed.Add(1)
			s.std.Warn("not sent: key %s, value %s: %v", keySize, valueSize, err)
		}
		if s.printMetadata {
			s.std.JSON(newOutcomeLine(m, err))
		}
	}
}

// size says how large a key or value is.
func size(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%d bytes", len(b))
}

// outcomeLine is what --print-metadata prints, in this order.
type outcomeLine struct {
	Topic     string  `json:"topic"`
	Partition int32   `json:"partition"` // -1: not chosen
	Offset    int64   `json:"offset"`    // -1: not known
	Timestamp int64   `json:"timestamp"` // milliseconds since 1970; -1: not known
	Error     *string `json:"error"`     // null: the record was written
}

func newOutcomeLine(m producer.RecordMetadata, err error) outcomeLine {
	line := outcomeLine{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset, Timestamp: -1}
	if !m.Timestamp.IsZero() {
		line.Timestamp = m.Timestamp.UnixMilli()
	}
	if err != nil {
		text := err.Error()
		line.Error = &text
	}
	return line
}

package main

import (
	"context"
	"errors"
	"time"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/errcode"
)

// events.go owns the lines that are printed: JSON with the keys, and their order, of Kafka's tool.

// event is what all lines begin with.
type event struct {
	Timestamp int64  `json:"timestamp"` // milliseconds since 1970
	Name      string `json:"name"`
}

func newEvent(name string) event { return event{time.Now().UnixMilli(), name} }

// sent tells of a message that is in the topic.
type sent struct {
	event
	Key       *string `json:"key"` // null: there are no keys
	Value     string  `json:"value"`
	Offset    int64   `json:"offset"`
	Topic     string  `json:"topic"`
	Partition int32   `json:"partition"`
}

// notSent tells of a message that failed.
type notSent struct {
	event
	Topic     string  `json:"topic"`
	Key       *string `json:"key"` // null: there are no keys
	Value     string  `json:"value"`
	Exception string  `json:"exception"` // what kind of failure
	Message   string  `json:"message"`
}

// toolData is the sum.
type toolData struct {
	event
	Sent             int64   `json:"sent"`
	Acked            int64   `json:"acked"`
	TargetThroughput int64   `json:"target_throughput"`
	AvgThroughput    float64 `json:"avg_throughput"` // messages that were acknowledged, per second
}

// kindOf names the kind of a failure: a cause as Go programs spell it, a code as brokers do.
func kindOf(err error) string {
	for _, cause := range []struct {
		err  error
		name string
	}{
		{producer.ErrBufferExhausted, "ErrBufferExhausted"},
		{producer.ErrTimeout, "ErrTimeout"},
		{producer.ErrClosed, "ErrClosed"},
		{producer.ErrRecordTooLarge, "ErrRecordTooLarge"},
		{producer.ErrInvalidRecord, "ErrInvalidRecord"},
		{producer.ErrInvalidTopic, "ErrInvalidTopic"},
		{producer.ErrAuthentication, "ErrAuthentication"},
		{context.Canceled, "context.Canceled"}, // a message that waited for memory when the tool was interrupted
	} {
		if errors.Is(err, cause.err) {
			return cause.name
		}
	}
	var code errcode.Code
	if errors.As(err, &code) {
		return code.Name()
	}
	return "error"
}

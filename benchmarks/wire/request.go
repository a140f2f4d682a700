package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// request.go owns requests, in old versions that have no tagged fields, and their way over a connection.

// Where a response to InitProducerId version 0 has its fields, and one to Produce version 8 its first topic.
const (
	initErrorAt    = 8
	initIDAt       = 10
	initEpochAt    = 18
	produceTopicAt = 8
)

// ProduceHead appends a Produce request of version 8, acks all, for partitions of one topic, up to and including the
// number of partitions; body more bytes follow it.
func ProduceHead(out []byte, correlation int32, client, topic string, partitions, body int) []byte {
	start := len(out)
	out = appendHead(out, 0, 8, correlation, client)
	be := binary.BigEndian
	out = be.AppendUint16(out, 0xffff) // transactional id: null
	out = be.AppendUint16(out, 0xffff) // acks: all
	out = be.AppendUint32(out, 30_000) // timeout in ms
	out = be.AppendUint32(out, 1)      // topics
	out = appendString(out, topic)
	out = be.AppendUint32(out, uint32(partitions))
	be.PutUint32(out[start:], uint32(len(out)-start-4+body))
	return out
}

// ProducePartitions skips to the number of partitions in the response to a Produce request of version 8; -1 if it is
// too short.
func ProducePartitions(response []byte) int {
	if len(response) < produceTopicAt+2 {
		return -1
	}
	at := produceTopicAt + 2 + int(binary.BigEndian.Uint16(response[produceTopicAt:]))
	if len(response) < at+4 {
		return -1
	}
	return at
}

// Producer is what a broker answers to InitProducerId.
type Producer struct {
	ID    int64
	Epoch int16
}

// joinPause lies between two requests for a producer id.
const joinPause = 100 * time.Millisecond

// Join makes a broker know the topic, and asks it for a producer id. A broker that has just started is asked again
// until it has one.
func Join(conn io.ReadWriter, client, topic string) (Producer, error) {
	if _, err := ask(conn, metadata(1, client, topic)); err != nil {
		return Producer{}, fmt.Errorf("metadata: %w", err)
	}
	for range 100 {
		r, err := ask(conn, initProducerID(2, client))
		if err != nil {
			return Producer{}, fmt.Errorf("producer id: %w", err)
		}
		if len(r) < initEpochAt+2 {
			return Producer{}, errors.New("producer id: the answer is too short")
		}
		be := binary.BigEndian
		if be.Uint16(r[initErrorAt:]) == 0 {
			return Producer{ID: int64(be.Uint64(r[initIDAt:])), Epoch: int16(be.Uint16(r[initEpochAt:]))}, nil
		}
		time.Sleep(joinPause)
	}
	return Producer{}, errors.New("producer id: the broker keeps refusing one")
}

// ReadFrame reads a response into buf, or into a new buffer if that is too small.
func ReadFrame(r io.Reader, buf []byte) ([]byte, error) {
	var h [4]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, fmt.Errorf("reading a response: %w", err)
	}
	n := int(binary.BigEndian.Uint32(h[:]))
	if cap(buf) < n {
		buf = make([]byte, n, n+n/4)
	}
	if _, err := io.ReadFull(r, buf[:n]); err != nil {
		return nil, fmt.Errorf("reading a response: %w", err)
	}
	return buf[:n], nil
}

// ask sends a request and reads its response.
func ask(conn io.ReadWriter, request []byte) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, fmt.Errorf("writing: %w", err)
	}
	return ReadFrame(conn, nil)
}

// metadata is a Metadata request of version 1 for one topic.
func metadata(correlation int32, client, topic string) []byte {
	out := appendHead(nil, 3, 1, correlation, client)
	out = binary.BigEndian.AppendUint32(out, 1)
	return finish(appendString(out, topic))
}

// initProducerID is an InitProducerId request of version 0 without a transactional id.
func initProducerID(correlation int32, client string) []byte {
	out := appendHead(nil, 22, 0, correlation, client)
	out = binary.BigEndian.AppendUint16(out, 0xffff)
	return finish(binary.BigEndian.AppendUint32(out, 60_000))
}

func appendHead(out []byte, key, version int16, correlation int32, client string) []byte {
	be := binary.BigEndian
	out = append(out, 0, 0, 0, 0) // size
	out = be.AppendUint16(out, uint16(key))
	out = be.AppendUint16(out, uint16(version))
	out = be.AppendUint32(out, uint32(correlation))
	return appendString(out, client)
}

func appendString(out []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(out, uint16(len(s))), s...)
}

func finish(request []byte) []byte {
	binary.BigEndian.PutUint32(request, uint32(len(request)-4))
	return request
}

package sink

import "sync/atomic"

// stats.go owns what is counted.

// Stats is what a sink has received. The Bad… figures are faults of clients; but for BadRequests, and batches that
// cannot be counted, only Verify finds them.
type Stats struct {
	Conns       int64 `json:"conns"`
	Requests    int64 `json:"requests"` // Produce only
	Batches     int64 `json:"batches"`
	Records     int64 `json:"records"`
	Bytes       int64 `json:"bytes"`       // of Produce requests
	KeyBytes    int64 `json:"key_bytes"`   // Verify only
	ValueBytes  int64 `json:"value_bytes"` // Verify only
	BadCRC      int64 `json:"bad_crc"`
	BadSequence int64 `json:"bad_sequence"` // not the one after the last batch's of this producer and partition
	BadRecords  int64 `json:"bad_records"`
	BadRequests int64 `json:"bad_requests"` // malformed, or not spoken here; they end the connection
}

// Bad is how many faults there were.
func (s Stats) Bad() int64 { return s.BadCRC + s.BadSequence + s.BadRecords + s.BadRequests }

// Sub is what came after before.
func (s Stats) Sub(before Stats) Stats {
	s.Conns -= before.Conns
	s.Requests -= before.Requests
	s.Batches -= before.Batches
	s.Records -= before.Records
	s.Bytes -= before.Bytes
	s.KeyBytes -= before.KeyBytes
	s.ValueBytes -= before.ValueBytes
	s.BadCRC -= before.BadCRC
	s.BadSequence -= before.BadSequence
	s.BadRecords -= before.BadRecords
	s.BadRequests -= before.BadRequests
	return s
}

// counters are written by the connections.
type counters struct {
	conns, requests, batches, records, bytes     atomic.Int64
	keyBytes, valueBytes                         atomic.Int64
	badCRC, badSequence, badRecords, badRequests atomic.Int64
}

// Stats is what has been received so far. What a client knows to be acknowledged is in it.
func (s *Server) Stats() Stats {
	c := &s.count
	return Stats{
		Conns: c.conns.Load(), Requests: c.requests.Load(), Batches: c.batches.Load(), Records: c.records.Load(),
		Bytes: c.bytes.Load(), KeyBytes: c.keyBytes.Load(), ValueBytes: c.valueBytes.Load(),
		BadCRC: c.badCRC.Load(), BadSequence: c.badSequence.Load(), BadRecords: c.badRecords.Load(),
		BadRequests: c.badRequests.Load(),
	}
}

// EndOffsets is how many records each partition of a topic has; nil if nobody has named it.
func (s *Server) EndOffsets(topic string) []int64 {
	for _, t := range s.topics.all() {
		if t.name != topic {
			continue
		}
		ends := make([]int64, len(t.next))
		for i := range ends {
			ends[i] = t.next[i].Load()
		}
		return ends
	}
	return nil
}

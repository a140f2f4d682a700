package network_test

// This file owns how the tests drive a Client: as the Sender does, from one goroutine, waking up for signals and for
// what Tick names.

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

const ms = time.Millisecond

// driver is a Client and what happened to it.
type driver struct {
	*network.Client
	t      *testing.T
	events []network.Event // all that were reported
	taken  int             // events that await has returned
}

// settings are short time-outs without jitter.
func settings() network.Config {
	return network.Config{
		ClientID:            "test",
		MaxInFlight:         5,
		RequestTimeout:      30 * time.Second,
		ConnectionSetup:     10 * time.Second,
		ConnectionSetupMax:  30 * time.Second,
		ReconnectBackoff:    50 * ms,
		ReconnectBackoffMax: time.Second,
		Jitter:              func() float64 { return 0.5 },
	}
}

// withCluster runs a test with a cluster and a client of it, in a synctest bubble. The client knows the nodes but has
// not connected.
func withCluster(t *testing.T, nodes int, test func(c *fakebroker.Cluster, d *driver), change ...func(*network.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := fakebroker.New(fakebroker.Nodes(nodes), fakebroker.Topic("t", nodes))
		defer c.Close()
		cfg := settings()
		cfg.Dial = c.Dial
		for _, f := range change {
			f(&cfg)
		}
		d := newDriver(t, cfg, nodeList(nodes)...)
		test(c, d)
	})
}

func newDriver(t *testing.T, cfg network.Config, nodes ...network.Node) *driver {
	t.Helper()
	d := &driver{Client: network.NewClient(cfg), t: t}
	t.Cleanup(d.Close)
	d.SetNodes(nodes)
	return d
}

// nodeList are the nodes b1 to bn.
func nodeList(n int) []network.Node {
	var nodes []network.Node
	for id := int32(1); id <= int32(n); id++ {
		nodes = append(nodes, node(id))
	}
	return nodes
}

func node(id int32) network.Node {
	return network.Node{ID: id, Host: "b" + string('0'+id), Port: 9092}
}

// step waits for a signal or for what Tick names, at most until the limit. It reports whether anything came before.
func (d *driver) step(limit time.Time) bool {
	now := time.Now()
	next := d.Tick(now)
	if next.IsZero() || limit.Before(next) {
		next = limit
	}
	timer := time.NewTimer(next.Sub(now))
	defer timer.Stop()
	select {
	case s := <-d.Signals():
		d.events = append(d.events, d.Handle(s, time.Now())...)
		return true
	case <-timer.C:
		return time.Now().Before(limit)
	}
}

// run drives the client for a time, asking for nodes all the while.
func (d *driver) run(span time.Duration, ask ...int32) {
	limit := time.Now().Add(span)
	for {
		for _, id := range ask {
			d.Ready(id, time.Now())
		}
		if !d.step(limit) {
			return
		}
	}
}

// await drives the client until there is an event of a kind that was not returned yet, and returns it. Events of other
// kinds before it are skipped.
func (d *driver) await(kind network.EventKind) network.Event {
	d.t.Helper()
	limit := time.Now().Add(24 * time.Hour)
	for {
		for d.taken < len(d.events) {
			e := d.events[d.taken]
			d.taken++
			if e.Kind == kind {
				return e
			}
		}
		if !d.step(limit) {
			require.FailNow(d.t, "the event did not come", "kind %d", kind)
		}
	}
}

// connect waits until a node is ready. Events up to then count as returned by await.
func (d *driver) connect(id int32) {
	d.t.Helper()
	limit := time.Now().Add(time.Hour)
	for !d.Ready(id, time.Now()) {
		require.True(d.t, d.step(limit), "node %d does not get ready", id)
	}
	d.taken = len(d.events)
}

// send sends a request that names topic t, or of the body given.
func (d *driver) send(id int32, r *network.Request) *network.Request {
	d.t.Helper()
	require.NoError(d.t, d.Send(id, r, time.Now()))
	return r
}

// idRequest is a request that brokers answer with something new.
func idRequest() *network.Request {
	m := &protocol.InitProducerIDRequest{ProducerID: -1, ProducerEpoch: -1}
	return &network.Request{Key: protocol.InitProducerID, Version: 4, Body: [][]byte{protocol.Append(nil, m, 4)}}
}

// producerID decodes the response to idRequest.
func producerID(t *testing.T, body []byte) int64 {
	t.Helper()
	var r protocol.InitProducerIDResponse
	require.NoError(t, protocol.Decode(body, &r, 4))
	return r.ProducerID
}

// count counts the events of a kind so far.
func (d *driver) count(kind network.EventKind) int {
	n := 0
	for _, e := range d.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// plainServer makes a Config.Dial whose connections are served by a function. It must return when the client closes its
// end; the bubble waits for it.
func plainServer(serve func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		theirs, ours := net.Pipe()
		go func() {
			serve(ours)
			_ = ours.Close()
		}()
		return theirs, nil
	}
}

// silence reads and says nothing.
func silence(conn net.Conn) {
	for buf := make([]byte, 4096); ; {
		if _, err := conn.Read(buf); err != nil {
			return
		}
	}
}

var errHostile = errors.New("hostile")

// inBubble runs a test without a cluster.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

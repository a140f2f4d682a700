package network_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// misfortune is what a hostile network does to a request.
func misfortune(random *rand.Rand) fakebroker.Action {
	switch random.IntN(12) {
	case 0:
		return fakebroker.Action{HangUp: fakebroker.BeforeApplying}
	case 1:
		return fakebroker.Action{HangUp: fakebroker.AfterApplying}
	case 2:
		return fakebroker.Action{Silent: true}
	case 3:
		return fakebroker.Action{Raw: []byte("HTTP")}
	case 4:
		return fakebroker.Action{Raw: []byte{0, 0, 0, 5, 0, 0, 9, 9, 0}}
	case 5:
		return fakebroker.Action{Pieces: 1 + random.IntN(9), Pace: ms}
	default:
		return fakebroker.Action{Before: fakebroker.Wait{For: time.Duration(random.IntN(100)) * ms}}
	}
}

// ledger counts the ends of requests by their tags, and has requests used again: the race detector sees a writer that
// is not done with one.
type ledger struct {
	d      *driver
	random *rand.Rand
	seen   int // events
	sent   int
	ends   map[any]int
	free   []*network.Request
}

// send sends a request to a node that is ready.
func (l *ledger) send(id int32) {
	r := idRequest()
	if n := len(l.free); n > 0 {
		r, l.free = l.free[n-1], l.free[:n-1]
		copy(r.Body[0], idRequest().Body[0]) // touch the memory
	}
	r.NoResponse = l.random.IntN(10) == 0 // the broker answers all the same, which ends the connection
	r.Tag = l.sent
	l.sent++
	l.d.send(id, r)
}

// settle takes in the events since the last time.
func (l *ledger) settle() {
	for _, e := range l.d.events[l.seen:] {
		if e.Request != nil {
			l.ends[e.Request.Tag]++
			l.free = append(l.free, e.Request)
		}
	}
	l.seen = len(l.d.events)
}

func TestClient_EveryRequestEndsOnce_WhateverHappens(t *testing.T) {
	for seed := range uint64(3) {
		withCluster(t, 3, func(c *fakebroker.Cluster, d *driver) {
			random := rand.New(rand.NewPCG(seed, 1))
			turn := make(chan *rand.Rand, 1) // brokers take turns
			turn <- rand.New(rand.NewPCG(seed, 2))
			c.On(protocol.InitProducerID, func(fakebroker.Call) fakebroker.Action {
				r := <-turn
				defer func() { turn <- r }()
				return misfortune(r)
			})
			l := &ledger{d: d, random: random, ends: map[any]int{}}
			for step := range 3000 {
				id := int32(1 + random.IntN(3))
				if d.Ready(id, time.Now()) {
					l.send(id)
				}
				switch random.IntN(200) {
				case 0:
					c.Cut(id)
				case 1:
					d.Throttle(id, time.Now().Add(50*ms))
				case 2:
					d.SetNodes(nodeList(1 + random.IntN(3)))
				case 3:
					d.SetNodes(nodeList(3))
				}
				if step%3 > 0 {
					d.step(time.Now().Add(20 * ms))
					l.settle()
				}
			}
			d.SetNodes(nil)
			d.run(time.Hour)
			l.settle()

			require.Greater(t, l.sent, 100)
			assert.Len(t, l.ends, l.sent)
			for _, times := range l.ends {
				assert.Equal(t, 1, times)
			}
			s := d.Stats()
			assert.Equal(t, [2]int{0, 0}, [2]int{s.InFlight, s.Connections})
			assert.Equal(t, s.Attempts, s.Disconnects)
			assert.Zero(t, c.Conns(1)+c.Conns(2)+c.Conns(3))
		}, func(cfg *network.Config) { cfg.RequestTimeout = time.Second })
	}
}

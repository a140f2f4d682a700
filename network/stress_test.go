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

func TestClient_EveryRequestEndsOnce_WhateverHappens(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 12))
		brokers := rand.New(rand.NewPCG(seed, 13)) // one request at a time comes to a script of On under no lock of its own
		lock := make(chan struct{}, 1)
		withCluster(t, 3, func(c *fakebroker.Cluster, d *driver) {
			script := func(fakebroker.Call) fakebroker.Action {
				lock <- struct{}{}
				defer func() { <-lock }()
				return misfortune(brokers)
			}
			c.On(protocol.InitProducerID, script)
			sent, ended := 0, map[*network.Request]int{}
			for step := range 3000 {
				id := int32(1 + random.IntN(3))
				if d.Ready(id, time.Now()) {
					r := idRequest()
					r.NoResponse = random.IntN(10) == 0 // the broker answers all the same, which ends the connection
					d.send(id, r)
					sent++
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
				}
			}
			d.SetNodes(nil)
			d.run(time.Hour)
			for _, e := range d.events {
				if e.Request != nil {
					ended[e.Request]++
				}
			}
			require.Greater(t, sent, 100)
			assert.Len(t, ended, sent)
			for _, times := range ended {
				assert.Equal(t, 1, times)
			}
			s := d.Stats()
			assert.Zero(t, s.InFlight)
			assert.Zero(t, s.Connections)
			assert.Equal(t, s.Attempts, s.Disconnects)
			for id := int32(1); id <= 3; id++ {
				assert.Zero(t, c.Conns(id))
			}
		}, func(cfg *network.Config) { cfg.RequestTimeout = time.Second })
	}
}

package network_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

func TestClient_Send_ReportsResponsesInOrder(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.connect(1)
		var sent []*network.Request
		for range 5 {
			sent = append(sent, d.send(1, idRequest()))
		}
		assert.Equal(t, 5, d.InFlight(1))
		assert.False(t, d.Ready(1, time.Now()), "as many in flight as may be")
		require.ErrorIs(t, d.Send(1, idRequest(), time.Now()), errcode.NetworkException)
		for i, r := range sent {
			e := d.await(network.Response)
			assert.Same(t, r, e.Request)
			assert.EqualValues(t, 1001+i, producerID(t, e.Body))
			d.Recycle(e.Body)
		}
		assert.Zero(t, d.InFlight(1))
		assert.True(t, d.Ready(1, time.Now()))
		d.send(1, sent[0]) // a request may be used again
		assert.EqualValues(t, 1006, producerID(t, d.await(network.Response).Body))
	})
}

func TestClient_Send_WithoutConnection_IsRefused(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		for _, id := range []int32{1, 99} {
			err := d.Send(id, idRequest(), time.Now())
			require.ErrorIs(t, err, errcode.NetworkException)
			_, err = d.Version(id, protocol.Produce, 3, 13)
			require.ErrorIs(t, err, errcode.NetworkException)
			assert.Zero(t, d.InFlight(id))
		}
		assert.False(t, d.Ready(99, time.Now()))
	})
}

func TestClient_Send_NoResponse_EndsWhenWritten(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Silent: true}))
		m := &protocol.ProduceRequest{Acks: 0}
		acks0 := &network.Request{Key: protocol.Produce, Version: 9, Body: [][]byte{protocol.Append(nil, m, 9)}, NoResponse: true}
		d.send(1, acks0)
		answered := d.send(1, idRequest())
		assert.Same(t, acks0, d.await(network.Written).Request)
		assert.Same(t, answered, d.await(network.Response).Request)
	})
}

func TestClient_Version_IntersectsRanges(t *testing.T) {
	tests := []struct {
		name                 string
		brokerLow, brokerTop int16
		low, high            int16
		want                 int16 // -1: none
	}{
		{"broker newer", 0, 99, 3, 11, 11},
		{"broker older", 3, 7, 3, 13, 7},
		{"only one in common", 13, 20, 3, 13, 13},
		{"broker dropped ours (KIP-896)", 14, 20, 3, 13, -1},
		{"broker too old", 0, 2, 3, 13, -1},
		{"broker does not have it", 0, -1, 3, 13, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
				c.SetVersions(protocol.Produce, tt.brokerLow, tt.brokerTop)
				d.connect(1)
				got, err := d.Version(1, protocol.Produce, tt.low, tt.high)
				if tt.want >= 0 {
					require.NoError(t, err)
					assert.Equal(t, tt.want, got)
					return
				}
				require.ErrorIs(t, err, errcode.UnsupportedVersion)
				assert.ErrorContains(t, err, "b1:9092")
				assert.ErrorContains(t, err, "Produce")
				assert.ErrorContains(t, err, "3 to 13")
			})
		})
	}
}

func TestClient_LeastLoaded_PrefersReadyThenConnectingThenOldest(t *testing.T) {
	withCluster(t, 3, func(c *fakebroker.Cluster, d *driver) {
		_, ok := d.LeastLoaded(time.Now())
		assert.False(t, ok)
		_, ok = d.LeastLoaded(time.Now())
		assert.False(t, ok, "connecting")
		synctest.Wait()
		require.Len(t, c.Dials(), 1, "one attempt is enough")
		first := d.await(network.Connected).Node
		id, ok := d.LeastLoaded(time.Now())
		assert.True(t, ok)
		assert.Equal(t, first, id)

		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
		other := first%3 + 1
		d.connect(other)
		d.send(first, idRequest())
		id, ok = d.LeastLoaded(time.Now())
		assert.True(t, ok)
		assert.Equal(t, other, id, "nothing in flight")
		d.send(other, idRequest())
		d.send(other, idRequest())
		id, _ = d.LeastLoaded(time.Now())
		assert.Equal(t, first, id, "less in flight")
	})
}

func TestClient_LeastLoaded_GoesAroundNodesThatFail(t *testing.T) {
	withCluster(t, 3, func(c *fakebroker.Cluster, d *driver) {
		for id := int32(1); id <= 3; id++ {
			c.Down(id)
		}
		var attempts []string
		for range 6 {
			d.run(10 * time.Second) // no back-off is left
			d.LeastLoaded(time.Now())
			d.await(network.Disconnected)
			dials := c.Dials()
			attempts = append(attempts, dials[len(dials)-1].Address)
		}
		assert.ElementsMatch(t, []string{"b1:9092", "b2:9092", "b3:9092"}, attempts[:3], "what was tried least recently")
		assert.Equal(t, attempts[:3], attempts[3:])

		for range 2 {
			_, ok := d.LeastLoaded(time.Now())
			assert.False(t, ok)
			d.await(network.Disconnected)
		}
		assert.True(t, d.Unreachable(time.Now()), "all back off")
		_, ok := d.LeastLoaded(time.Now())
		assert.False(t, ok)
		next := d.Tick(time.Now())
		assert.False(t, next.IsZero())
		time.Sleep(time.Until(next))
		assert.False(t, d.Unreachable(time.Now()))
	})
}

func TestClient_LeastLoaded_WithoutNodes(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.SetNodes(nil)
		_, ok := d.LeastLoaded(time.Now())
		assert.False(t, ok)
		assert.True(t, d.Unreachable(time.Now()))
	})
}

func TestClient_SetNodes_KeepsWhatStays(t *testing.T) {
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		stays := node(1)
		stays.Rack = "new"
		d.SetNodes([]network.Node{node(2), stays, stays})
		assert.True(t, d.Ready(1, time.Now()))
		assert.Len(t, c.Dials(), 1)
	})
}

func TestClient_SetNodes_AddressChanged_FailsWhatIsInFlight(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
		r := d.send(1, idRequest())
		c.Move(1, "moved:9092")
		d.SetNodes([]network.Node{{ID: 1, Host: "moved", Port: 9092}})
		assert.False(t, d.Ready(1, time.Now()))
		e := d.await(network.Failed)
		assert.Same(t, r, e.Request)
		require.ErrorIs(t, e.Err, errcode.NetworkException)
		assert.ErrorContains(t, e.Err, "InitProducerId v4")
		d.connect(1)
		assert.Zero(t, d.count(network.Disconnected), "not the node's fault")
		assert.Equal(t, "moved:9092", c.Dials()[1].Address)
	})
}

func TestClient_SetNodes_NodeGone_LetsRequestsEnd(t *testing.T) {
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		d.connect(2)
		c.On(protocol.InitProducerID, fakebroker.Script(fakebroker.Action{Before: fakebroker.Wait{For: time.Second}}))
		r := d.send(1, idRequest())
		d.SetNodes(nil)
		assert.False(t, d.Ready(1, time.Now()))
		d.run(ms)
		assert.Equal(t, []int{1, 0}, []int{c.Conns(1), c.Conns(2)}, "closed at once when nothing is in flight")
		assert.Same(t, r, d.await(network.Response).Request)
		d.run(ms)
		assert.Zero(t, c.Conns(1))
		assert.Zero(t, d.count(network.Disconnected))
	})
}

func TestClient_SetNodes_NodeGone_RequestsStillTimeOut(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
		d.send(1, idRequest())
		d.SetNodes(nil)
		require.ErrorIs(t, d.await(network.Failed).Err, errcode.RequestTimedOut)
	})
}

func TestClient_SetNodes_NodeGoneWhileConnecting(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.Ready(1, time.Now())
		synctest.Wait() // connected, but Handle has not heard of it
		d.SetNodes(nil)
		d.run(time.Second)
		assert.Empty(t, d.events)
		assert.Zero(t, c.Conns(1))
		assert.Zero(t, d.Stats().Connections)
	})
}

func TestClient_SetNodes_SharedAddress_SeparateConnections(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		bootstrap := node(1)
		bootstrap.ID = -1
		d.SetNodes([]network.Node{bootstrap, node(1)})
		d.connect(-1)
		d.connect(1)
		assert.Equal(t, 2, c.Conns(1))
		d.send(1, idRequest())
		assert.Zero(t, d.InFlight(-1))
	})
}

func TestClient_Stats_Count(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		d.send(1, idRequest())
		d.await(network.Response)
		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{HangUp: fakebroker.AfterApplying}))
		d.send(1, idRequest())
		assert.Equal(t, 1, d.Stats().InFlight)
		d.await(network.Disconnected)
		const requestBytes uint64 = 4 + 8 + 2 + 4 + 1 + 1 + 4 + 8 + 2 + 1
		const responseBytes = 4 + 4 + 1 + 4 + 2 + 8 + 2 + 1
		assert.Equal(t, network.Stats{Requests: 2, Responses: 1, Failed: 1, BytesOut: 2 * requestBytes, BytesIn: responseBytes,
			Attempts: 1, Connects: 1, Disconnects: 1}, d.Stats())
	})
}

func TestClient_Close_DropsWhatIsInFlight(t *testing.T) {
	withCluster(t, 3, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
		d.connect(1)
		d.send(1, idRequest())
		c.On(protocol.ApiVersions, fakebroker.Always(fakebroker.Action{Silent: true}))
		d.Ready(2, time.Now()) // greeting when closed
		c.OnDial(func(d fakebroker.Dial) error { <-d.Context.Done(); return d.Context.Err() })
		d.Ready(3, time.Now()) // dialling when closed
		synctest.Wait()
		d.Close()
		d.Close()
		assert.False(t, d.Ready(1, time.Now()))
		_, ok := d.LeastLoaded(time.Now())
		assert.False(t, ok)
		require.Error(t, d.Send(1, idRequest(), time.Now()))
		d.SetNodes(nodeList(1))
		assert.True(t, d.Tick(time.Now().Add(time.Hour)).IsZero())
		d.Throttle(1, time.Now().Add(time.Hour))
		select {
		case s := <-d.Signals():
			assert.Empty(t, d.Handle(s, time.Now()))
		default:
		}
	})
}

func TestClient_Close_WithSignalsNobodyTook(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.connect(1)
		for range 200 {
			d.send(1, idRequest())
		}
		synctest.Wait() // more responses than signals may wait
	}, func(cfg *network.Config) { cfg.MaxInFlight = math.MaxInt32 }) // no memory is taken for so many
}

func TestNode_NamesItself(t *testing.T) {
	n := network.Node{ID: 3, Host: "::1", Port: 9092, Rack: "r"}
	assert.Equal(t, "[::1]:9092", n.Address())
	assert.Equal(t, "node 3 ([::1]:9092)", n.String())
	n.ID = -1
	assert.Equal(t, "bootstrap server [::1]:9092", n.String())
}

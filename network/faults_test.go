package network_test

import (
	"context"
	"net"
	"os"
	"sync"
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

func TestConn_RequestTimeout_EndsAllInFlight(t *testing.T) { // I4: silence at Produce
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		silent := fakebroker.Action{Silent: true}
		c.On(protocol.InitProducerID, fakebroker.Script(fakebroker.Action{}, silent))
		c.On(protocol.Metadata, fakebroker.Always(silent))
		begun := time.Now()
		d.send(1, idRequest())
		metadata := &protocol.MetadataRequest{}
		first := d.send(1, idRequest())
		second := d.send(1, &network.Request{Key: protocol.Metadata, Version: 12, Body: [][]byte{protocol.Append(nil, metadata, 12)}})
		d.await(network.Response)
		const end = "no answer in time: i/o timeout"
		for _, want := range []struct {
			request *network.Request
			says    string
		}{
			{first, "network: node 1 (b1:9092): InitProducerId v4: " + end},
			{second, "network: node 1 (b1:9092): Metadata v12: InitProducerId v4: " + end},
		} {
			e := d.await(network.Failed)
			assert.Same(t, want.request, e.Request, "in the order they were sent")
			require.ErrorIs(t, e.Err, errcode.RequestTimedOut)
			require.ErrorIs(t, e.Err, errcode.ErrTimeout)
			require.ErrorIs(t, e.Err, os.ErrDeadlineExceeded)
			assert.EqualError(t, e.Err, want.says)
		}
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.RequestTimedOut)
		assert.EqualError(t, e.Err, "network: node 1 (b1:9092): InitProducerId v4: "+end)
		assert.Equal(t, 30*time.Second, time.Since(begun))
		d.connect(1)
	})
}

func TestConn_RequestTimeout_OfTheRequestItself(t *testing.T) {
	tests := []struct {
		name    string
		timeout time.Duration
		ended   bool // after a day
	}{
		{"shorter", time.Second, true},
		{"longer", time.Hour, true},
		{"unbounded", -1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
				d.connect(1)
				c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
				r := idRequest()
				r.Timeout = tt.timeout
				d.send(1, r)
				if !tt.ended {
					d.run(24 * time.Hour)
					assert.Equal(t, 1, d.InFlight(1))
					return
				}
				begun := time.Now()
				d.await(network.Failed)
				assert.Equal(t, tt.timeout, time.Since(begun))
			})
		})
	}
}

func TestConn_HangUp_FailsInFlightThenReportsTheConnection(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.On(protocol.InitProducerID, fakebroker.Script(fakebroker.Action{}, fakebroker.Action{HangUp: fakebroker.AfterApplying}))
		for range 3 {
			d.send(1, idRequest())
		}
		d.await(network.Disconnected)
		var kinds []network.EventKind
		for _, e := range d.events {
			kinds = append(kinds, e.Kind)
		}
		assert.Equal(t, []network.EventKind{
			network.Connected, network.Response, network.Failed, network.Failed, network.Disconnected,
		}, kinds)
		require.ErrorIs(t, d.events[2].Err, errcode.NetworkException)
		assert.NotErrorIs(t, d.events[2].Err, errcode.ErrTimeout)
	})
}

func TestConn_WrongCorrelationID_EndsTheConnection(t *testing.T) { // I11
	raw := func(correlation byte) fakebroker.Action {
		return fakebroker.Action{Raw: []byte{0, 0, 0, 5, 0, 0, 0, correlation, 0}}
	}
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1) // the greeting took correlation id 0
		c.On(protocol.InitProducerID, fakebroker.Script(raw(2), raw(1), raw(2)))
		for range 3 {
			d.send(1, idRequest())
		}
		synctest.Wait() // all three have arrived
		e := d.await(network.Failed)
		require.ErrorIs(t, e.Err, errcode.NetworkException)
		assert.ErrorContains(t, e.Err, "correlation id 2")
		d.await(network.Disconnected)
		assert.Equal(t, 3, d.count(network.Failed), "what came after it is not trusted either")
		assert.Zero(t, d.count(network.Response))
	})
}

func TestConn_UnsolicitedResponse_EndsTheConnection(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.InitProducerID, fakebroker.Script(fakebroker.Action{Raw: []byte{
			0, 0, 0, 5, 0, 0, 0, 1, 0, // the response that is due, and one that is not
			0, 0, 0, 5, 0, 0, 0, 9, 0,
		}}))
		d.connect(1)
		d.send(1, idRequest())
		d.await(network.Response)
		d.run(time.Minute)
		assert.Zero(t, d.count(network.Disconnected), "it waits for a request to go with")
		d.send(1, idRequest())
		assert.ErrorContains(t, d.await(network.Failed).Err, "correlation id 9")
	})
}

// slowWrite is a connection whose Write does not return before it may, though all bytes went out or the connection was
// closed meanwhile.
type slowWrite struct {
	net.Conn
	mu   sync.Mutex // guards hold
	hold chan struct{}
}

func (c *slowWrite) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	hold := c.hold
	c.mu.Unlock()
	if hold != nil {
		<-hold
	}
	return n, err
}

func (c *slowWrite) holdWrites() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hold := make(chan struct{})
	c.hold = hold
	return func() { close(hold) }
}

// withSlowWrites is withCluster over one slowWrite.
func withSlowWrites(t *testing.T, test func(c *fakebroker.Cluster, d *driver, wire *slowWrite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := fakebroker.New()
		defer c.Close()
		wire := &slowWrite{}
		cfg := settings()
		cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.Dial(ctx, network, address)
			wire.Conn = conn
			return wire, err
		}
		test(c, newDriver(t, cfg, node(1)), wire)
	})
}

func TestConn_EndIsReportedOnlyAfterTheWriteReturned(t *testing.T) { // F6, KAFKA-19012
	tests := []struct {
		name string
		end  func(c *fakebroker.Cluster, d *driver)
		kind network.EventKind
	}{
		{"response", func(*fakebroker.Cluster, *driver) {}, network.Response},
		{"broker hangs up", func(c *fakebroker.Cluster, _ *driver) { c.Cut(1) }, network.Failed},
		{"time-out", func(_ *fakebroker.Cluster, d *driver) { d.run(31 * time.Second) }, network.Failed},
		{"node moved", func(_ *fakebroker.Cluster, d *driver) {
			d.SetNodes([]network.Node{{ID: 1, Host: "b9", Port: 9092}})
		}, network.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withSlowWrites(t, func(c *fakebroker.Cluster, d *driver, wire *slowWrite) {
				d.connect(1)
				if tt.kind == network.Failed {
					c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
				}
				release := wire.holdWrites()
				r := d.send(1, idRequest())
				synctest.Wait()
				tt.end(c, d)
				d.run(5 * time.Second)
				assert.Len(t, d.events, 1, "only that it connected: the write has not returned")
				release()
				assert.Same(t, r, d.await(tt.kind).Request)
			})
		})
	}
}

func TestConn_HalfWritten_OtherConnectionsGoOn(t *testing.T) { // F6, I29
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		d.connect(2)
		c.Freeze(1, 1000)
		large := &network.Request{Key: protocol.Produce, Version: 9, Body: [][]byte{make([]byte, 10<<20)}}
		begun := time.Now()
		d.send(1, large)
		waiting := d.send(1, idRequest())
		d.send(2, idRequest())
		assert.EqualValues(t, 2, d.await(network.Response).Node)
		assert.Same(t, large, d.await(network.Failed).Request)
		e := d.await(network.Failed)
		assert.Same(t, waiting, e.Request)
		require.ErrorIs(t, e.Err, errcode.RequestTimedOut)
		assert.Equal(t, 30*time.Second, time.Since(begun))
		assert.True(t, d.Ready(2, time.Now()))
		c.Thaw(1)
		d.connect(1)
	})
}

func TestConn_HalfWritten_CloseReturns(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.Freeze(1, 1000)
		d.send(1, &network.Request{Key: protocol.Produce, Version: 9, Body: [][]byte{make([]byte, 1<<20)}})
		synctest.Wait()
		begun := time.Now()
		d.Close()
		assert.Zero(t, time.Since(begun))
	})
}

func TestClient_Throttle_KeepsRequestsAndMovesDeadlines(t *testing.T) { // KIP-219, I21
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		d.connect(2)
		c.On(protocol.InitProducerID, fakebroker.Always(fakebroker.Action{Silent: true}))
		begun := time.Now()
		d.send(1, idRequest())
		d.Throttle(1, begun.Add(time.Minute))
		d.Throttle(1, begun.Add(time.Second)) // never shorter
		d.Throttle(99, begun.Add(time.Second))
		assert.False(t, d.Ready(1, time.Now()))
		require.Error(t, d.Send(1, idRequest(), time.Now()))
		id, ok := d.LeastLoaded(time.Now())
		assert.True(t, ok)
		assert.EqualValues(t, 2, id, "others flow")

		d.run(10 * time.Second)
		d.Throttle(1, begun.Add(70*time.Second)) // ten more
		d.run(60*time.Second-1, 1)
		assert.False(t, d.Ready(1, time.Now()))
		d.run(1)
		assert.True(t, d.Ready(1, time.Now()))
		assert.Equal(t, 70*time.Second, time.Since(begun))
		d.await(network.Failed)
		assert.Equal(t, 100*time.Second, time.Since(begun), "30 s without the throttling")
	})
}

func TestClient_Tick_NamesTheEndOfThrottling(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.connect(1)
		until := time.Now().Add(time.Minute)
		d.Throttle(1, until)
		assert.True(t, d.Tick(time.Now()).IsZero(), "nobody asked")
		d.Ready(1, time.Now())
		assert.Equal(t, until, d.Tick(time.Now()))
		assert.True(t, d.Tick(until).IsZero())
	})
}

func TestClient_Tick_NamesTheNextEndOfABackoff(t *testing.T) {
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		c.Down(1)
		c.Down(2)
		d.Ready(1, time.Now())
		first := time.Now()
		d.await(network.Disconnected)
		time.Sleep(20 * ms)
		d.Ready(2, time.Now())
		d.await(network.Disconnected)
		assert.True(t, d.Tick(time.Now()).IsZero(), "nobody asked")
		d.Ready(1, time.Now())
		d.Ready(2, time.Now())
		assert.Equal(t, first.Add(50*ms), d.Tick(time.Now()))
		assert.Equal(t, first.Add(70*ms), d.Tick(first.Add(50*ms)))
		assert.True(t, d.Tick(first.Add(70*ms)).IsZero())
		assert.Len(t, c.Dials(), 2, "Tick itself begins nothing")
	})
}

func TestClient_MaxIdle_ClosesQuietly(t *testing.T) { // I5
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		d.run(2 * time.Second)
		d.send(1, idRequest())
		d.await(network.Response)
		d.run(2 * time.Second)
		assert.Equal(t, 1, c.Conns(1), "used meanwhile")
		d.run(2 * time.Second)
		assert.Zero(t, c.Conns(1))
		assert.Zero(t, d.count(network.Disconnected))
		begun := time.Now()
		d.connect(1)
		assert.Zero(t, time.Since(begun), "no back-off: nothing failed")
		assert.Len(t, c.Dials(), 2)
	}, func(cfg *network.Config) { cfg.MaxIdle = 3 * time.Second })
}

func TestClient_MaxIdle_SparesWhatIsInFlight(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		d.connect(1)
		c.On(protocol.InitProducerID, fakebroker.Script(fakebroker.Action{Before: fakebroker.Wait{For: 10 * time.Second}}))
		d.send(1, idRequest())
		d.await(network.Response)
	}, func(cfg *network.Config) { cfg.MaxIdle = 3 * time.Second })
}

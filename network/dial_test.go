package network

// This file owns the tests of the dialer, with a resolver and connections made up.

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
)

// names is a resolver and a network: addresses that take connections, and those that swallow packets. Each lookup
// begins with the next address, as those of many name servers do.
type names struct {
	addresses []string
	lookups   int
	silent    string
	tried     []string
}

func (n *names) lookup(context.Context, string) ([]string, error) {
	if len(n.addresses) == 0 {
		return nil, errors.New("no such host")
	}
	n.lookups++
	return slices.Concat(n.addresses[n.lookups%len(n.addresses):], n.addresses[:n.lookups%len(n.addresses)]), nil
}

func (n *names) connect(ctx context.Context, _, address string) (net.Conn, error) {
	n.tried = append(n.tried, address)
	if address == n.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	conn, _ := net.Pipe()
	return conn, nil
}

func TestDialer_EachTurnBeginsWithAnotherAddress(t *testing.T) {
	for name, tc := range map[string]struct {
		addresses []string
		tried     []string
	}{
		"three addresses": {
			[]string{"10.0.0.1", "10.0.0.2", "fd00::3"},
			[]string{"kafka:9092", "10.0.0.2:9092", "[fd00::3]:9092", "10.0.0.1:9092", "10.0.0.2:9092"},
		},
		"two addresses": {
			[]string{"10.0.0.1", "10.0.0.2"},
			[]string{"kafka:9092", "10.0.0.2:9092", "10.0.0.1:9092", "10.0.0.2:9092", "10.0.0.1:9092"},
		},
		"one address": {
			[]string{"10.0.0.1"},
			[]string{"kafka:9092", "kafka:9092", "kafka:9092", "kafka:9092", "kafka:9092"},
		},
		"unknown host": { // connecting tells why
			nil,
			[]string{"kafka:9092", "kafka:9092", "kafka:9092", "kafka:9092", "kafka:9092"},
		},
	} {
		n := &names{addresses: tc.addresses}
		d := &dialer{lookup: n.lookup, connect: n.connect}
		for turn := range 5 {
			_, err := d.dial(t.Context(), Node{Host: "kafka", Port: 9092}, turn)
			require.NoError(t, err, name)
		}
		assert.Equal(t, tc.tried, n.tried, name)
	}
}

func TestDialer_SilentAddressLeavesTimeForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &names{addresses: []string{"10.0.0.1", "10.0.0.2"}, silent: "10.0.0.2:9092"}
		d := &dialer{lookup: n.lookup, connect: n.connect}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := d.dial(ctx, Node{Host: "kafka", Port: 9092}, 1)
		require.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(begun))
		assert.Equal(t, []string{"10.0.0.2:9092", "kafka:9092"}, n.tried)
	})
}

func TestClient_TurnsToAnotherAddressAfterFailuresOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Nodes(1))
		defer cluster.Close()
		c := NewClient(Config{Dial: cluster.Dial, MaxIdle: time.Second, ReconnectBackoff: time.Millisecond})
		defer c.Close()
		var turns []int
		dial := c.cfg.dial
		c.cfg.dial = func(ctx context.Context, node Node, turn int) (net.Conn, error) {
			if turns = append(turns, turn); len(turns) <= 2 {
				return nil, errors.New("refused")
			}
			return dial(ctx, node, turn)
		}
		c.SetNodes([]Node{{ID: 1, Host: "b1", Port: 9092}})
		for range 2 {
			for !c.Ready(1, time.Now()) {
				select {
				case s := <-c.Signals():
					c.Handle(s, time.Now())
				case <-time.After(time.Millisecond):
				}
			}
			time.Sleep(2 * time.Second)
			c.Tick(time.Now()) // it was idle
			c.Handle(<-c.Signals(), time.Now())
		}
		assert.Equal(t, []int{0, 1, 2, 0}, turns)
	})
}

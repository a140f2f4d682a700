package producer

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// badinput_test.go owns the rows of the README's table that no other test has: whatever is at the other
// end of a connection, Send returns within MaxBlock, says what it is, and the producer works as soon as
// a broker is there.

// stranger answers every connection with bytes, or with nothing, instead of a broker.
func stranger(answer []byte) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			buf := make([]byte, 4096)
			for {
				if _, err := theirs.Read(buf); err != nil {
					return
				}
				if answer != nil {
					_, _ = theirs.Write(answer)
				}
			}
		}()
		return ours, nil
	}
}

func TestKafkaProducer_Send_StrangeListener(t *testing.T) {
	unreachable := errors.New("no route to host")
	for _, tc := range []struct {
		name string
		dial func(context.Context, string, string) (net.Conn, error)
		want string
	}{
		{"unreachable", func(context.Context, string, string) (net.Conn, error) { return nil, unreachable }, "no route to host"},
		{"silent", stranger(nil), "no metadata of topic t"},
		{"TLS port", stranger([]byte{0x15, 3, 3, 0, 2, 2, 0x28}), "TLS"},
		{"HTTP port", stranger([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")), "HTTP"},
		{"length attack", stranger([]byte{0x7f, 0xff, 0xff, 0xff}), "2147483647"},
		{"negative length", stranger([]byte{0xff, 0xff, 0xff, 0xff}), "-1"},
		{"no answer to the question", stranger([]byte{0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8}), "correlation"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var strange atomic.Bool
			strange.Store(true)
			run(t, func(c *Config) {
				toCluster := c.Dial
				c.MaxBlock, c.RequestTimeout = 3*time.Second, time.Second
				c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					if strange.Load() {
						return tc.dial(ctx, network, address)
					}
					return toCluster(ctx, network, address)
				}
			}, func(t *testing.T, w *world) {
				start := time.Now()
				_, err := w.get(w.send("k", "v"))
				assert.Equal(t, 3*time.Second, time.Since(start))
				assert.ErrorIs(t, err, ErrTimeout)
				assert.ErrorContains(t, err, tc.want)
				assert.NotErrorIs(t, err, ErrMaybeWritten)
				strange.Store(false)
				w.delivered(w.send("k", "v"))
			})
		})
	}
}

func TestKafkaProducer_Send_MalformedMetadata(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock = 3 * time.Second }, func(t *testing.T, w *world) {
		w.cluster.On(protocol.Metadata, fakebroker.Always(fakebroker.Action{Raw: []byte{0, 0, 0, 9, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff}}))
		start := time.Now()
		_, err := w.get(w.send("k", "v"))
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.ErrorIs(t, err, ErrTimeout)
		w.cluster.On(protocol.Metadata, nil)
		w.delivered(w.send("k", "v"))
	})
}

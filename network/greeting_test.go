package network_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// asked lists the ApiVersions versions a cluster was asked in.
func asked(c *fakebroker.Cluster) []int16 {
	var versions []int16
	for _, call := range c.Calls(protocol.ApiVersions) {
		versions = append(versions, call.Version)
	}
	return versions
}

func TestConn_Greeting_SilenceTimesOutInEveryPhase(t *testing.T) { // I4
	tests := []struct {
		name  string
		cfg   func(*network.Config)
		after time.Duration
		want  string
	}{
		{"dialling", func(cfg *network.Config) {
			cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}, 10 * time.Second, "connecting"},
		{"TLS", func(cfg *network.Config) { cfg.TLS = &tls.Config{} }, 10 * time.Second, "TLS hand-shake"},
		{"ApiVersions", func(*network.Config) {}, 30 * time.Second, "ApiVersions v5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg := settings()
				cfg.Dial = plainServer(silence)
				tt.cfg(&cfg)
				d := newDriver(t, cfg, node(1))
				begun := time.Now()
				d.Ready(1, begun)
				e := d.await(network.Disconnected)
				assert.Equal(t, tt.after, time.Since(begun))
				require.ErrorIs(t, e.Err, errcode.ErrTimeout)
				assert.ErrorContains(t, e.Err, tt.want)
				assert.ErrorContains(t, e.Err, "node 1 (b1:9092)")
				var told *network.Error
				require.ErrorAs(t, e.Err, &told)
				assert.Equal(t, node(1), told.Node)
			})
		})
	}
}

func TestConn_Greeting_SetupTimeoutGrows(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		var limits []time.Duration
		c.OnDial(func(dial fakebroker.Dial) error {
			deadline, _ := dial.Context.Deadline()
			limits = append(limits, time.Until(deadline))
			if len(limits) >= 5 {
				return nil
			}
			return errHostile
		})
		d.connect(1)
		c.Cut(1)
		d.await(network.Disconnected)
		d.connect(1)
		const s = time.Second
		assert.Equal(t, []time.Duration{10 * s, 20 * s, 30 * s, 30 * s, 30 * s, 10 * s}, limits)
	})
}

func TestConn_Greeting_OlderBroker_IsAskedInItsVersion(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.SetVersions(protocol.ApiVersions, 0, 2)
		d.connect(1)
		assert.Equal(t, []int16{5, 2}, asked(c))
		assert.Equal(t, 1, c.Conns(1))
		d.send(1, idRequest())
		d.await(network.Response)
	})
}

func TestConn_Greeting_OldBrokerWithoutHint_IsAskedInVersion0(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.ApiVersions, fakebroker.Script(fakebroker.Action{
			Code: errcode.UnsupportedVersion,
			Edit: func(m protocol.Message) { m.(*protocol.ApiVersionsResponse).APIKeys = nil },
		}))
		d.connect(1)
		assert.Equal(t, []int16{5, 0}, asked(c))
	})
}

func TestConn_Greeting_EndlessDowngrade_Ends(t *testing.T) { // I16
	for _, hint := range []int16{-1, 0, 5, 99} {
		withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
			c.On(protocol.ApiVersions, fakebroker.Always(fakebroker.Action{
				Code: errcode.UnsupportedVersion,
				Edit: func(m protocol.Message) {
					m.(*protocol.ApiVersionsResponse).APIKeys = []protocol.APIVersionRange{{Key: protocol.ApiVersions, MaxVersion: hint}}
				},
			}))
			d.Ready(1, time.Now())
			e := d.await(network.Disconnected)
			require.ErrorIs(t, e.Err, errcode.UnsupportedVersion)
			assert.Equal(t, []int16{5, 0}, asked(c))
		})
	}
}

func TestConn_Greeting_OtherError_EndsTheConnection(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.ApiVersions, fakebroker.Script(fakebroker.Action{Code: errcode.InvalidRequest}))
		d.Ready(1, time.Now())
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.NetworkException)
		assert.ErrorIs(t, e.Err, errcode.InvalidRequest)
		d.connect(1)
	})
}

func TestConn_Greeting_HangUpOnNewVersions_GoesLowerAndRemembers(t *testing.T) { // I17
	withCluster(t, 2, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.ApiVersions, func(call fakebroker.Call) fakebroker.Action {
			if call.Version >= 4 && call.Node == 1 {
				return fakebroker.Action{HangUp: fakebroker.BeforeApplying}
			}
			return fakebroker.Action{}
		})
		d.connect(1)
		assert.Equal(t, []int16{5, 3}, asked(c))
		c.Cut(1)
		d.await(network.Disconnected)
		d.connect(1)
		assert.Equal(t, []int16{5, 3, 3}, asked(c), "remembered")
		d.connect(2)
		assert.Equal(t, []int16{5, 3, 3, 5}, asked(c), "of that node only")
	})
}

func TestConn_Greeting_HangUpOnAll_StartsOver(t *testing.T) { // I8: the version was not what the broker minded
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		hangUp := fakebroker.Action{HangUp: fakebroker.BeforeApplying}
		c.On(protocol.ApiVersions, fakebroker.Script(hangUp, hangUp, hangUp))
		d.connect(1)
		assert.Equal(t, []int16{5, 3, 0, 5}, asked(c))
		for _, e := range d.events {
			if e.Kind == network.Disconnected {
				require.ErrorIs(t, e.Err, errcode.NetworkException)
				assert.ErrorIs(t, e.Err, io.EOF)
				assert.ErrorContains(t, e.Err, "TLS", "J12: the likely reason")
			}
		}
	})
}

func TestConn_Greeting_ThrottledFromTheStart(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.On(protocol.ApiVersions, fakebroker.Script(fakebroker.Action{Throttle: time.Minute}))
		begun := time.Now()
		d.connect(1)
		assert.Equal(t, time.Minute, time.Since(begun))
	})
}

func TestConn_Greeting_AnswersThatAreNotKafka(t *testing.T) { // I9, J12
	tests := []struct {
		name string
		says string
		want string
	}{
		{"TLS alert", "\x15\x03\x03\x00\x02\x02\x28", "looks like TLS"},
		{"TLS alert of an old version", "\x15\x03\x01\x00\x02\x02\x46", "looks like TLS"},
		{"TLS hand-shake", "\x16\x03\x03\x00\x40\x02\x00\x00", "looks like TLS"},
		{"HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", "looks like HTTP"},
		{"huge", "\x7f\xff\xff\xff", "2147483647 bytes"},
		{"negative", "\xff\xff\xff\xff", "-1 bytes"},
		{"empty frame", "\x00\x00\x00\x00", "malformed"},
		{"cut off", "\x00\x00\x00\x10\x00\x00", "unexpected EOF"},
		{"body of noise", "\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\xff\xff", "malformed"},
		{"other correlation id", "\x00\x00\x00\x04\x00\x00\x00\x07", "correlation id 7"},
		{"SSH", "SSH-2.0-OpenSSH_9.6\r\n", "does not speak Kafka"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				cfg := settings()
				cfg.Dial = plainServer(func(conn net.Conn) {
					_, _ = conn.Read(make([]byte, 1024))
					_, _ = io.WriteString(conn, tt.says)
				})
				d := newDriver(t, cfg, node(1))
				d.Ready(1, time.Now())
				e := d.await(network.Disconnected)
				require.ErrorIs(t, e.Err, errcode.NetworkException)
				assert.ErrorContains(t, e.Err, tt.want)
			})
		})
	}
}

func TestConn_Greeting_OneByteAtATime(t *testing.T) { // I6
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		slow := fakebroker.Action{Pieces: 1, Pace: ms}
		c.On(protocol.ApiVersions, fakebroker.Always(slow))
		c.On(protocol.InitProducerID, fakebroker.Always(slow))
		d.connect(1)
		d.send(1, idRequest())
		d.send(1, idRequest())
		first, second := d.await(network.Response), d.await(network.Response)
		assert.Equal(t, producerID(t, first.Body)+1, producerID(t, second.Body))
	})
}

func TestConn_Reconnect_BacksOffAndNeverInParallel(t *testing.T) { // I20
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		busy := make(chan struct{}, 1)
		c.OnDial(func(fakebroker.Dial) error {
			select {
			case busy <- struct{}{}:
			default:
				assert.Fail(t, "two attempts at once")
			}
			time.Sleep(10 * ms)
			<-busy
			assert.Zero(t, c.Conns(1))
			return nil
		})
		c.On(protocol.ApiVersions, fakebroker.Always(fakebroker.Action{HangUp: fakebroker.BeforeApplying}))
		d.run(30*time.Second, 1)
		var gaps []time.Duration
		dials := c.Dials()
		for i, dial := range dials[1:] {
			gaps = append(gaps, dial.At.Sub(dials[i].At)-10*ms)
		}
		assert.Equal(t, []time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, time.Second, time.Second}, gaps[:7])
		assert.Len(t, dials, 1+5+28)

		c.On(protocol.ApiVersions, nil)
		d.connect(1)
		c.Cut(1)
		d.await(network.Disconnected)
		before := time.Now()
		d.connect(1)
		assert.Equal(t, 60*ms, time.Since(before), "begins anew once the node was ready")
	})
}

func TestConn_Setup_ManyTimeOutAtOnce(t *testing.T) { // I30
	inBubble(t, func(t *testing.T) {
		cfg := settings()
		cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		var nodes []network.Node
		var ids []int32
		for id := range int32(50) {
			nodes = append(nodes, network.Node{ID: id, Host: "dark", Port: 9092})
			ids = append(ids, id)
		}
		d := newDriver(t, cfg, nodes...)
		d.run(61*time.Second, ids...)
		assert.Equal(t, 50*3, d.count(network.Disconnected), "after 10, 20 and 30 s")
	})
}

func TestConn_Dial_RefusalIsANetworkError(t *testing.T) {
	withCluster(t, 1, func(c *fakebroker.Cluster, d *driver) {
		c.OnDial(func(fakebroker.Dial) error { return errHostile })
		d.Ready(1, time.Now())
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.NetworkException)
		require.ErrorIs(t, e.Err, errHostile)
		assert.NotErrorIs(t, e.Err, errcode.ErrTimeout)
		assert.False(t, errors.Is(e.Err, os.ErrDeadlineExceeded))
	})
}

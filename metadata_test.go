package producer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// asked is the topics that the n-th metadata request of the cluster named.
func (w *world) asked(n int) []string {
	calls := w.cluster.Calls(protocol.Metadata)
	require.Greater(w.t, len(calls), n)
	names := []string{}
	for _, t := range calls[n].Message.(*protocol.MetadataRequest).Topics {
		names = append(names, t.Name.Value)
	}
	return names
}

func TestMetadata_NewTopicsAreAskedForAlone(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.AddTopic("u", 1)
		w.warmUp()
		_, err := w.p.PartitionsFor(t.Context(), "u")
		require.NoError(t, err)
		assert.Equal(t, []string{"t"}, w.asked(0))
		assert.Equal(t, []string{"u"}, w.asked(1))
		time.Sleep(6 * time.Minute)
		assert.Equal(t, []string{"t", "u"}, w.asked(2)[:2:2], "age asks for all")
	})
}

func TestMetadata_UnusedTopicsAreForgotten(t *testing.T) {
	run(t, func(c *Config) { c.MetadataMaxAge, c.MetadataMaxIdle = time.Minute, 5*time.Minute }, func(t *testing.T, w *world) {
		w.cluster.AddTopic("u", 1)
		_, err := w.p.PartitionsFor(t.Context(), "u")
		require.NoError(t, err)
		for range 10 {
			w.delivered(w.sendTo(0, "v"))
			time.Sleep(time.Minute)
		}
		calls := w.cluster.Calls(protocol.Metadata)
		assert.Equal(t, []string{"t"}, w.asked(len(calls)-1))
		assert.Nil(t, w.p.core.meta.known("u", -1))
		_, err = w.p.PartitionsFor(t.Context(), "u")
		assert.NoError(t, err)
	})
}

func TestMetadata_UnknownTopicsLeaveNothing(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock, c.MetadataMaxAge = time.Second, time.Minute }, func(t *testing.T, w *world) {
		w.warmUp()
		for i := range 50 {
			go func() { w.p.Send(t.Context(), Record[string, string]{Topic: fmt.Sprint("mistake-", i)}, nil) }()
		}
		time.Sleep(10 * time.Minute)
		w.delivered(w.sendTo(0, "v"))
		synctest.Wait()
		assert.Len(t, w.p.core.sender.topics, 1)
		assert.LessOrEqual(t, len(w.p.core.meta.current.Load().topics), 1)
	})
}

func TestMetadata_TopicsWithWaitingRecordsAreNotForgotten(t *testing.T) {
	run(t, func(c *Config) { c.MetadataMaxIdle, c.DeliveryTimeout = 5*time.Second, 10*time.Minute }, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.SetLeader("t", 0, -1, 5)
		w.cluster.Cut(1)
		time.Sleep(time.Second)
		f := w.sendTo(0, "v")
		time.Sleep(time.Minute)
		w.cluster.SetLeader("t", 0, 2, 6)
		start := time.Now()
		w.delivered(f)
		assert.Less(t, time.Since(start), 5*time.Second)
	})
}

// Brokers that tell no topic ids, and one that still tells the old one, do not make a topic a new one.
func TestMetadata_TopicIDsComeAndGo(t *testing.T) {
	run(t, func(c *Config) {
		oneRecordBatches(c)
		c.MetadataMaxAge = 20 * time.Millisecond
	}, func(t *testing.T, w *world) {
		w.warmUp()
		n := 0
		w.cluster.On(protocol.Metadata, fakebroker.Always(fakebroker.Action{Edit: func(m protocol.Message) {
			switch n++; n % 3 {
			case 1:
				m.(*protocol.MetadataResponse).Topics[0].TopicID = [16]byte{}
			case 2:
				m.(*protocol.MetadataResponse).Topics[0].TopicID = [16]byte{1, 2, 3}
			}
		}}))
		calls := 0
		w.cluster.SetVersions(protocol.Produce, 3, 12) // by name: what happens is up to the sequences
		w.cluster.On(protocol.Produce, func(fakebroker.Call) fakebroker.Action {
			if calls++; calls%3 == 0 {
				return fakebroker.Action{HangUp: fakebroker.AfterApplying}
			}
			return fakebroker.Action{}
		})
		var fs []Future
		for i := range 100 {
			fs = append(fs, w.sendTo(0, fmt.Sprint(i)))
			time.Sleep(7 * time.Millisecond)
		}
		for _, f := range fs {
			w.delivered(f)
		}
		assert.Equal(t, numbered(100), w.values(0))
	})
}

func TestMetadata_NoStorm(t *testing.T) {
	run(t, func(c *Config) { c.BatchSize = 0 }, func(t *testing.T, w *world) {
		w.warmUp()
		before := len(w.cluster.Calls(protocol.Metadata))
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Code: errcode.NotLeaderOrFollower}))
		for i := range 100 {
			w.sendTo(int32(i%4), "v")
		}
		time.Sleep(10 * time.Second)
		assert.LessOrEqual(t, len(w.cluster.Calls(protocol.Metadata))-before, 20)
		w.cluster.On(protocol.Produce, nil)
	})
}

func TestMetadata_StaleAnswersAreIgnored(t *testing.T) {
	run(t, func(c *Config) { c.MetadataMaxAge = time.Second }, func(t *testing.T, w *world) {
		w.cluster.SetLeader("t", 0, 1, 7)
		w.warmUp()
		edit := func(leader, epoch int32) {
			w.cluster.On(protocol.Metadata, fakebroker.Always(fakebroker.Action{Edit: func(m protocol.Message) {
				p := &m.(*protocol.MetadataResponse).Topics[0].Partitions[0]
				p.LeaderID, p.LeaderEpoch = leader, epoch
			}}))
			time.Sleep(3 * time.Second)
		}
		first := func() partitionInfo { return w.p.core.meta.known("t", -1).partitions[0] }
		edit(2, 5)
		assert.Equal(t, int32(1), first().leader, "an older epoch")
		edit(-1, -1)
		assert.Equal(t, int32(-1), first().leader)
		assert.Equal(t, int32(7), first().epoch, "the last real epoch is kept")
		edit(99, 8)
		assert.Equal(t, int32(-1), first().leader, "a leader that is not among the brokers")
		w.cluster.On(protocol.Metadata, nil)
		w.cluster.SetLeader("t", 0, 2, 9)
		w.delivered(w.sendTo(0, "v"))
		assert.Equal(t, int32(2), first().leader)
	})
}

func TestMetadata_NoPartitionsIsNoSuccess(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock = time.Second }, func(t *testing.T, w *world) {
		w.cluster.On(protocol.Metadata, fakebroker.Always(fakebroker.Action{Edit: func(m protocol.Message) {
			m.(*protocol.MetadataResponse).Topics[0].Partitions = nil
		}}))
		_, err := w.get(w.send("k", "v"))
		assert.ErrorIs(t, err, ErrTimeout)
		w.cluster.On(protocol.Metadata, nil)
		w.delivered(w.send("k", "v"))
	})
}

func TestMetadata_NotAuthorized_ThenGranted(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.On(protocol.Metadata, fakebroker.Script(fakebroker.Action{Edit: func(m protocol.Message) {
			topic := &m.(*protocol.MetadataResponse).Topics[0]
			topic.ErrorCode, topic.Partitions = errcode.TopicAuthorizationFailed, nil
		}}))
		start := time.Now()
		_, err := w.get(w.send("k", "v"))
		assert.ErrorIs(t, err, errcode.TopicAuthorizationFailed)
		assert.NotErrorIs(t, err, ErrTimeout)
		assert.Less(t, time.Since(start), time.Second)
		w.delivered(w.send("k", "v"))
	})
}

func TestMetadata_LeaderHint_NeedsNoMetadata(t *testing.T) {
	run(t, func(c *Config) { c.RetryBackoff, c.RetryBackoffMax = 5*time.Second, 5*time.Second }, func(t *testing.T, w *world) {
		w.warmUp()
		time.Sleep(10 * time.Second)
		calls := len(w.cluster.Calls(protocol.Metadata))
		w.cluster.SetLeader("t", 0, 2, 50)
		w.cluster.On(protocol.Produce, fakebroker.Script(fakebroker.Action{Code: errcode.NotLeaderOrFollower, Edit: func(m protocol.Message) {
			r := m.(*protocol.ProduceResponse)
			r.Topics[0].Partitions[0].CurrentLeader = protocol.LeaderIDAndEpoch{LeaderID: 2, LeaderEpoch: 50}
			r.NodeEndpoints = []protocol.NodeEndpoint{{NodeID: 2, Host: "b2", Port: 9092}}
		}}))
		w.cluster.On(protocol.Metadata, fakebroker.Always(fakebroker.Action{Before: fakebroker.Wait{For: time.Hour}}))
		start := time.Now()
		w.delivered(w.sendTo(0, "v"))
		assert.Less(t, time.Since(start), 100*time.Millisecond, "neither back-off nor metadata")
		assert.LessOrEqual(t, len(w.cluster.Calls(protocol.Metadata)), calls+1)
		info := w.p.core.meta.known("t", -1)
		assert.Equal(t, int32(2), info.partitions[0].leader)
		assert.Equal(t, int32(50), info.partitions[0].epoch)
		assert.Len(t, info.available, 4, "the other partitions are as they were")
		w.cluster.On(protocol.Metadata, nil)
	})
}

func TestMetadata_LeaderHint_OldEpochIsIgnored(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.SetLeader("t", 0, 1, 60)
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Script(fakebroker.Action{Code: errcode.NotLeaderOrFollower, Edit: func(m protocol.Message) {
			m.(*protocol.ProduceResponse).Topics[0].Partitions[0].CurrentLeader = protocol.LeaderIDAndEpoch{LeaderID: 2, LeaderEpoch: 59}
		}}))
		w.delivered(w.sendTo(0, "v"))
		assert.Equal(t, int32(1), w.p.core.meta.known("t", -1).partitions[0].leader)
	})
}

func TestMetadata_Rebootstrap_AllBrokersMoved(t *testing.T) {
	run(t, func(c *Config) { c.BootstrapServers = []string{"seed:9092"} }, func(t *testing.T, w *world) {
		w.warmUp()
		assert.Equal(t, "b1:9092", w.p.core.sender.cluster.Nodes[0].Host+":9092")
		w.cluster.Move(1, "c1:9092") // the seed's name follows
		w.cluster.Cut(1)
		w.delivered(w.sendTo(0, "v"))
		assert.Equal(t, "c1", w.p.core.sender.cluster.Nodes[0].Host)
		time.Sleep(time.Hour)
		dials := len(w.cluster.Dials())
		time.Sleep(time.Hour)
		assert.Less(t, len(w.cluster.Dials())-dials, 40, "no loop")
	}, fakebroker.Nodes(1), fakebroker.Topic("t", 1), fakebroker.Alias(1, "seed:9092"))
}

func TestMetadata_Rebootstrap_Never(t *testing.T) {
	run(t, func(c *Config) {
		c.BootstrapServers, c.MetadataRebootstrap = []string{"seed:9092"}, -1
		c.DeliveryTimeout = 40 * time.Second
	}, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.Move(1, "c1:9092")
		w.cluster.Cut(1)
		_, err := w.get(w.sendTo(0, "v"))
		assert.ErrorIs(t, err, ErrTimeout)
	}, fakebroker.Nodes(1), fakebroker.Topic("t", 1), fakebroker.Alias(1, "seed:9092"))
}

func TestMetadata_Rebootstrap_WhenABrokerSaysSo(t *testing.T) {
	run(t, func(c *Config) { c.BootstrapServers = []string{"seed:9092"} }, func(t *testing.T, w *world) {
		w.warmUp()
		hello := w.cluster.Calls(protocol.ApiVersions)
		last := hello[len(hello)-1].Message.(*protocol.ApiVersionsRequest)
		assert.True(t, last.ClusterID.Valid, "connections to brokers name the cluster")
		assert.Equal(t, int32(1), last.NodeID)
		first := hello[0].Message.(*protocol.ApiVersionsRequest)
		assert.False(t, first.ClusterID.Valid)
		assert.Equal(t, int32(-1), first.NodeID)
		w.cluster.On(protocol.ApiVersions, fakebroker.Script(fakebroker.Action{Code: errcode.RebootstrapRequired}))
		w.cluster.Cut(1)
		w.delivered(w.sendTo(0, "v"))
		dials := w.cluster.Dials()
		assert.Equal(t, "seed:9092", dials[len(dials)-2].Address)
	}, fakebroker.Nodes(1), fakebroker.Topic("t", 1), fakebroker.Alias(1, "seed:9092"))
}

// A broker may say so again and again: behind a name that leads to another cluster, for one.
func TestMetadata_Rebootstrap_NoStorm(t *testing.T) {
	run(t, func(c *Config) { c.BootstrapServers = []string{"seed:9092"} }, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.ApiVersions, func(c fakebroker.Call) fakebroker.Action {
			if r, ok := c.Message.(*protocol.ApiVersionsRequest); ok && r.ClusterID.Valid {
				return fakebroker.Action{Code: errcode.RebootstrapRequired, After: fakebroker.Wait{For: time.Millisecond}}
			}
			return fakebroker.Action{}
		})
		w.cluster.Cut(1)
		f := w.sendTo(0, "v")
		before := len(w.cluster.Dials())
		time.Sleep(10 * time.Second)
		assert.Less(t, len(w.cluster.Dials())-before, 60, "connections in ten seconds")
		w.cluster.On(protocol.ApiVersions, nil)
		w.delivered(f)
	}, fakebroker.Nodes(1), fakebroker.Topic("t", 1), fakebroker.Alias(1, "seed:9092"))
}

func TestConfig_ClusterListener(t *testing.T) {
	var told []ClusterResource
	run(t, func(c *Config) {
		c.MetadataMaxAge = time.Second
		c.ClusterListener = func(r ClusterResource) {
			told = append(told, r)
			panic("listener")
		}
	}, func(t *testing.T, w *world) {
		w.warmUp()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Len(t, told, 1, "only when it changes")
		assert.NotEmpty(t, told[0].ClusterID)
		assert.Equal(t, []ClusterNode{{ID: 1, Host: "b1", Port: 9092}, {ID: 2, Host: "b2", Port: 9092}}, told[0].Nodes)
		w.cluster.Down(2)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Len(t, told, 2)
		assert.Len(t, told[1].Nodes, 1)
		w.cluster.Up(2)
	})
}

func TestConfig_ConnectionsMaxIdle(t *testing.T) {
	run(t, func(c *Config) { c.ConnectionsMaxIdle = 3 * time.Second }, func(t *testing.T, w *world) {
		w.warmUp()
		time.Sleep(5 * time.Second)
		assert.Zero(t, w.cluster.Conns(1))
		dials := len(w.cluster.Dials())
		w.delivered(w.sendTo(0, "v"))
		assert.Equal(t, dials+1, len(w.cluster.Dials()))
	})
}

func TestDelivery_Throttled(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		w.warmUp()
		w.delivered(w.sendTo(1, "warm up")) // the other node
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			if c.Node == 1 {
				return fakebroker.Action{Throttle: time.Minute}
			}
			return fakebroker.Action{}
		})
		w.delivered(w.sendTo(0, "v"))
		start := time.Now()
		w.delivered(w.sendTo(1, "v"))
		assert.Less(t, time.Since(start), time.Second, "others flow")
		w.cluster.On(protocol.Produce, nil)
		w.delivered(w.sendTo(0, "w"))
		assert.InDelta(t, time.Minute, time.Since(start), float64(time.Second))
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Throttle: time.Hour}))
		w.delivered(w.sendTo(0, "x"))
		w.sendTo(0, "y")
		start = time.Now()
		assert.ErrorIs(t, w.p.Close(w.within(time.Second)), ErrClosed)
		assert.LessOrEqual(t, time.Since(start), 1050*time.Millisecond, "Close does not wait for it")
		w.p.core.sender.lost.Store(0)
	})
}

func TestConfig_BootstrapResolveTimeout(t *testing.T) {
	nowhere := errors.New("no such host")
	for _, tc := range []struct {
		name  string
		found time.Duration // when the second name begins to resolve
		want  error
	}{
		{"never found", time.Hour, ErrFatal},
		{"found in time", 2 * time.Second, ErrTimeout}, // of MaxBlock: there still is no broker
	} {
		t.Run(tc.name, func(t *testing.T) {
			run(t, func(c *Config) {
				c.BootstrapServers = []string{"nowhere:1", "somewhere:1"}
				c.BootstrapResolveTimeout, c.MaxBlock = 5*time.Second, 20*time.Second
			}, func(t *testing.T, w *world) {
				start := time.Now()
				r := newResolution(&w.p.core.cfg, w.p.core.meta, func(_ context.Context, host string) ([]string, error) {
					if host == "somewhere" && time.Since(start) >= tc.found {
						return []string{"10.0.0.1"}, nil
					}
					return nil, nowhere
				})
				defer r.stop()
				_, err := w.get(w.send("k", "v"))
				assert.ErrorIs(t, err, tc.want)
				if errors.Is(tc.want, ErrFatal) {
					assert.Equal(t, 5*time.Second, time.Since(start))
					assert.ErrorIs(t, err, nowhere)
					_, err = w.get(w.send("k", "v"))
					assert.ErrorIs(t, err, ErrFatal)
				}
			})
		})
	}
}

func TestMetadata_RefusedByTLS_FailsOnce(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock = 10 * time.Second }, func(t *testing.T, w *world) {
		refused := fmt.Errorf("%w: certificate", ErrAuthentication)
		w.cluster.OnDial(func(fakebroker.Dial) error { return errors.New("down") })
		go func() {
			time.Sleep(time.Second)
			w.p.core.meta.refuse(refused)
		}()
		start := time.Now()
		_, err := w.get(w.send("k", "v"))
		assert.ErrorIs(t, err, ErrAuthentication)
		assert.Equal(t, time.Second, time.Since(start))
		w.cluster.OnDial(nil)
		synctest.Wait()
		w.delivered(w.send("k", "v"))
	})
}

// Brokers that moved leave addresses behind that swallow packets: no metadata request is ever sent that could fail.
func TestMetadata_Rebootstrap_OldAddressesSwallowPackets(t *testing.T) {
	var dead atomic.Bool
	run(t, func(c *Config) {
		c.BootstrapServers = []string{"seed:9092"}
		inner := c.Dial
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dead.Load() && strings.HasPrefix(address, "b") {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return inner(ctx, network, address)
		}
	}, func(t *testing.T, w *world) {
		w.warmUp()
		dead.Store(true)
		for i := 1; i <= 3; i++ {
			w.cluster.Move(int32(i), fmt.Sprintf("c%d:9092", i))
			w.cluster.Cut(int32(i))
		}
		delivered := false
		for begun := time.Now(); !delivered && time.Since(begun) < 10*time.Minute; {
			var fs []Future
			for p := range int32(6) {
				fs = append(fs, w.sendTo(p, "v"))
			}
			for _, f := range fs {
				_, err := w.get(f)
				delivered = delivered || err == nil
			}
		}
		assert.True(t, delivered, "MetadataRebootstrap is five minutes")
		dead.Store(false)
	}, fakebroker.Nodes(3), fakebroker.Topic("t", 6), fakebroker.Alias(1, "seed:9092"))
}

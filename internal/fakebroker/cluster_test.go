package fakebroker_test

import (
	"context"
	"crypto/tls"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

func byName(names ...string) *protocol.MetadataRequest {
	r := &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{}, AllowAutoTopicCreation: true}
	for _, n := range names {
		r.Topics = append(r.Topics, protocol.MetadataRequestTopic{Name: protocol.Some(n)})
	}
	return r
}

func metadata(c *client, r *protocol.MetadataRequest) *protocol.MetadataResponse {
	var response protocol.MetadataResponse
	c.ask(r, &response, 13)
	return &response
}

func TestCluster_Metadata_DescribesTopics(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		got := metadata(b1, byName("t", "nope"))
		require.Len(t, got.Brokers, 2)
		assert.Equal(t, "b2", got.Brokers[1].Host)
		assert.Equal(t, c.TopicID("t"), got.Topics[0].TopicID)
		assert.EqualValues(t, 2, got.Topics[0].Partitions[1].LeaderID)
		assert.Equal(t, errcode.UnknownTopicOrPartition, got.Topics[1].ErrorCode)

		byID := &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{{TopicID: c.TopicID("t")}, {TopicID: [16]byte{1}}}}
		got = metadata(b1, byID)
		assert.Equal(t, "t", got.Topics[0].Name.Value)
		assert.Equal(t, errcode.UnknownTopicID, got.Topics[1].ErrorCode)

		all := metadata(b1, &protocol.MetadataRequest{})
		assert.Len(t, all.Topics, 1)
	})
}

func TestCluster_Metadata_FollowsChanges(t *testing.T) {
	inBubble(t, append(oneTopic, fakebroker.AutoCreate(3)), func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		assert.Len(t, metadata(b1, byName("auto")).Topics[0].Partitions, 3)

		c.AddPartitions("t", 1)
		c.SetLeader("t", 2, 2, 4)
		last := metadata(b1, byName("t")).Topics[0].Partitions[2]
		assert.Equal(t, [2]int32{2, 4}, [2]int32{last.LeaderID, last.LeaderEpoch})

		c.Down(2)
		got := metadata(b1, byName("t"))
		assert.Len(t, got.Brokers, 1)
		assert.Equal(t, errcode.LeaderNotAvailable, got.Topics[0].Partitions[1].ErrorCode)

		old := c.TopicID("t")
		c.RemoveTopic("t")
		c.AddTopic("t", 1)
		assert.NotEqual(t, old, metadata(b1, byName("t")).Topics[0].TopicID)
	})
}

func TestCluster_InitProducerID_GivesOutIDsAndEpochs(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		ask := func(id protocol.NullString) (int64, int16) {
			var r protocol.InitProducerIDResponse
			b1.ask(&protocol.InitProducerIDRequest{TransactionalID: id, ProducerID: -1, ProducerEpoch: -1}, &r, 4)
			return r.ProducerID, r.ProducerEpoch
		}
		first, _ := ask(protocol.NullString{})
		second, _ := ask(protocol.NullString{})
		assert.NotEqual(t, first, second)
		id, epoch := ask(protocol.Some("tx"))
		again, next := ask(protocol.Some("tx"))
		assert.Equal(t, id, again)
		assert.Equal(t, epoch+1, next)
	})
}

func TestCluster_ApiVersions_AnswersWhatItDoesNotSpeakInVersion0(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, c *fakebroker.Cluster) {
		c.SetVersions(protocol.ApiVersions, 0, 2)
		c.SetVersions(protocol.InitProducerID, 0, -1)
		b1 := dial(t, c, "b1:9092")
		var r protocol.ApiVersionsResponse
		b1.ask(&protocol.ApiVersionsRequest{}, &r, 5)
		assert.Equal(t, errcode.UnsupportedVersion, r.ErrorCode)
		_, newest, _ := r.Range(protocol.ApiVersions)
		assert.EqualValues(t, 2, newest)

		b1.ask(&protocol.ApiVersionsRequest{}, &r, newest)
		assert.Equal(t, none, r.ErrorCode)
		_, _, has := r.Range(protocol.InitProducerID)
		assert.False(t, has)

		b1.send(&protocol.InitProducerIDRequest{}, 4)
		assert.ErrorIs(t, b1.receive(new(protocol.InitProducerIDResponse), 4), io.EOF)
	})
}

func TestCluster_Scripts_ChangeAnswers(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		c.On(protocol.Produce, fakebroker.Script(
			fakebroker.Action{Code: errcode.NotEnoughReplicas},
			fakebroker.Action{Codes: map[fakebroker.Partition]errcode.Code{{Topic: "t", Index: 0}: errcode.MessageTooLarge}},
			fakebroker.Action{Edit: func(m protocol.Message) { m.(*protocol.ProduceResponse).Topics[0].Partitions[0].BaseOffset = 99 }},
			fakebroker.Action{Pieces: 1, Pace: ms},
		))
		one := batch(record.Stamp{}, "a")
		assert.Equal(t, errcode.NotEnoughReplicas, b1.produce("t", 0, one).ErrorCode)
		assert.Equal(t, errcode.MessageTooLarge, b1.produce("t", 0, one).ErrorCode)
		assert.EqualValues(t, 99, b1.produce("t", 0, one).BaseOffset)
		begun := time.Now()
		assert.EqualValues(t, 1, b1.produce("t", 0, one).BaseOffset)
		assert.Greater(t, time.Since(begun), 30*ms, "a byte a millisecond")
		assert.EqualValues(t, 2, b1.produce("t", 0, one).BaseOffset, "the script is over")

		calls := c.Calls(protocol.Produce)
		require.Len(t, calls, 5)
		assert.Equal(t, 4, calls[4].Seen)
		assert.Equal(t, "test", calls[0].ClientID)
		assert.Equal(t, "t", calls[0].Produce().Topics[0].Name)
	})
}

func TestCluster_Scripts_DelayAndHold(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		release := make(chan struct{})
		c.On(protocol.Produce, fakebroker.Script(
			fakebroker.Action{Before: fakebroker.Wait{For: time.Minute, Until: release}, After: fakebroker.Wait{For: time.Second}}))
		begun := time.Now()
		b1.send(produceRequest("t", 0, batch(record.Stamp{}, "a")), 9)
		time.Sleep(time.Hour)
		assert.Empty(t, c.Log("t", 0), "held")
		close(release)
		synctest.Wait()
		assert.Len(t, c.Log("t", 0), 1)
		require.NoError(t, b1.receive(new(protocol.ProduceResponse), 9))
		assert.Equal(t, time.Hour+time.Second, time.Since(begun))
	})
}

func TestCluster_Scripts_EndConnections(t *testing.T) {
	tests := []struct {
		name   string
		action fakebroker.Action
		kept   int
	}{
		{"before", fakebroker.Action{HangUp: fakebroker.BeforeApplying}, 0},
		{"after", fakebroker.Action{HangUp: fakebroker.AfterApplying}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
				c.On(protocol.Produce, fakebroker.Script(tt.action))
				b1 := dial(t, c, "b1:9092")
				b1.send(produceRequest("t", 0, batch(record.Stamp{}, "a")), 9)
				assert.ErrorIs(t, b1.receive(new(protocol.ProduceResponse), 9), io.EOF)
				assert.Len(t, c.Log("t", 0), tt.kept)
				synctest.Wait()
				assert.Zero(t, c.Conns(1))
			})
		})
	}
}

func TestCluster_Scripts_SilenceAndGarbage(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		c.On(protocol.Produce, fakebroker.Script(fakebroker.Action{Silent: true}, fakebroker.Action{Raw: []byte("HTTP")}))
		b1 := dial(t, c, "b1:9092")
		b1.send(produceRequest("t", 0, batch(record.Stamp{}, "a")), 9)
		b1.send(produceRequest("t", 0, batch(record.Stamp{}, "b")), 9)
		var got [4]byte
		_, err := io.ReadFull(b1.wire, got[:])
		require.NoError(t, err)
		assert.Equal(t, "HTTP", string(got[:]))
		assert.Equal(t, []string{"a", "b"}, values(c, "t", 0))
	})
}

func TestCluster_DownUpMove(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		ctx := context.Background()
		b1 := dial(t, c, "b1:9092")
		assert.Equal(t, 1, c.Conns(1))
		c.Down(1)
		assert.ErrorIs(t, b1.receive(new(protocol.ProduceResponse), 9), io.EOF)
		_, err := c.Dial(ctx, "tcp", "b1:9092")
		assert.ErrorContains(t, err, "refused")
		_, err = c.Dial(ctx, "tcp", "nobody:1")
		assert.ErrorContains(t, err, "refused")
		c.Up(1)
		c.Move(1, "elsewhere:1234")
		got := metadata(dial(t, c, "elsewhere:1234"), byName())
		assert.Equal(t, protocol.MetadataBroker{NodeID: 1, Host: "elsewhere", Port: 1234}, got.Brokers[0])

		dials := c.Dials()
		require.Len(t, dials, 4)
		assert.Equal(t, []int{1, 0, 0, 2}, []int{dials[0].Conn, dials[1].Conn, dials[2].Conn, dials[3].Conn})
	})
}

func TestCluster_OnDial_RefusesAndDelays(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, c *fakebroker.Cluster) {
		c.OnDial(func(d fakebroker.Dial) error {
			<-d.Context.Done()
			return context.Cause(d.Context)
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := c.Dial(ctx, "tcp", "b1:9092")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestCluster_Freeze_StopsReadingWhereTold(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		b1.produce("t", 0, batch(record.Stamp{}, "a"))
		synctest.Wait() // the broker reads again
		request := produceRequest("t", 0, batch(record.Stamp{}, "b"))
		frame := b1.frame(request, 9)
		c.Freeze(1, 10)
		n, err := b1.wire.Write(frame[:10])
		require.NoError(t, err)
		require.Equal(t, 10, n)
		require.NoError(t, b1.wire.SetWriteDeadline(time.Now().Add(time.Hour)))
		n, err = b1.wire.Write(frame[10:])
		assert.Error(t, err)
		assert.Zero(t, n)

		c.Thaw(1)
		require.NoError(t, b1.wire.SetWriteDeadline(time.Time{}))
		_, err = b1.wire.Write(frame[10:])
		require.NoError(t, err)
		require.NoError(t, b1.receive(new(protocol.ProduceResponse), 9))
		assert.Equal(t, []string{"a", "b"}, values(c, "t", 0))
	})
}

func TestCluster_Close_EndsHeldRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakebroker.New(oneTopic...)
		c.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Before: fakebroker.Wait{Until: make(chan struct{})}}))
		b1 := dial(t, c, "b1:9092")
		b1.send(produceRequest("t", 0, batch(record.Stamp{}, "a")), 9)
		c.Freeze(1, 0)
		synctest.Wait()
		c.Close()
		_, err := c.Dial(context.Background(), "tcp", "b1:9092")
		assert.Error(t, err)
		assert.Empty(t, c.Log("t", 0))
	})
}

func TestCluster_TLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	options := append(oneTopic, fakebroker.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	inBubble(t, options, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		b1.wire = tls.Client(b1.wire, &tls.Config{RootCAs: roots, ServerName: "b1"})
		assert.Len(t, metadata(b1, byName("t")).Brokers, 2)
	})
}

package producer

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// A record that was never sent says why, as far as that is known.
func TestDelivery_Timeout_SaysWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		trouble func(*world)
		first   error // of records that were sent before it was noticed
		then    error
	}{
		"brokers down": {func(w *world) { w.cluster.Down(1); w.cluster.Down(2) }, errcode.NetworkException, errcode.NetworkException},
		"no leader": {func(w *world) {
			for p := range int32(4) {
				w.cluster.SetLeader("t", p, -1, 9)
			}
		}, errcode.NotLeaderOrFollower, errcode.LeaderNotAvailable},
		"brokers frozen": {func(w *world) { w.cluster.Freeze(1, 0); w.cluster.Freeze(2, 0) }, errcode.RequestTimedOut, errcode.ErrTimeout},
		"topic deleted":  {func(w *world) { w.cluster.RemoveTopic("t") }, errcode.UnknownTopicID, errcode.UnknownTopicOrPartition},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(c *Config) {
				c.DeliveryTimeout, c.RequestTimeout, c.MaxBlock = 20*time.Second, 3*time.Second, time.Minute
			}, func(t *testing.T, w *world) {
				for p := range int32(4) {
					w.delivered(w.sendTo(p, "warm up"))
				}
				tc.trouble(w)
				var fs []Future
				for range 10 {
					for p := range int32(4) {
						fs = append(fs, w.sendTo(p, "v"))
					}
					time.Sleep(time.Second)
				}
				for i, f := range fs {
					_, err := w.get(f)
					assert.ErrorIs(t, err, ErrTimeout)
					assert.Regexp(t, ` in [0-9.ms]+s: .+`, err)
					if i >= len(fs)/2 {
						assert.ErrorIs(t, err, tc.then)
					} else if !errors.Is(err, tc.then) {
						assert.ErrorIs(t, err, tc.first)
					}
				}
			})
		})
	}
}

// What somebody who looks into the log at night must find there, and not drown in.
func TestSender_TellsOfOutages(t *testing.T) {
	var log bytes.Buffer
	lines := func(text string) int {
		synctest.Wait() // the Sender writes
		return strings.Count(log.String(), text)
	}
	run(t, func(c *Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil)) // Info and above
		c.RequestTimeout, c.MetadataMaxAge = 2*time.Second, 10*time.Second
	}, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.Down(1)
		w.cluster.Down(2)
		f := w.sendTo(0, "v")
		time.Sleep(80 * time.Second)
		assert.Positive(t, lines("level=WARN msg=\"not connected\" node=1"))
		assert.LessOrEqual(t, lines("level=WARN msg=\"not connected\" node=1"), 3, "each half minute")
		w.cluster.Up(1)
		w.cluster.Up(2)
		w.delivered(f)
		assert.Positive(t, lines("msg=\"connected again\" node=1"))

		w.cluster.On(protocol.Produce, fakebroker.Script(fakebroker.Action{Code: errcode.NotEnoughReplicas}, fakebroker.Action{Code: errcode.NotEnoughReplicas}))
		w.delivered(w.sendTo(1, "v"))
		assert.Equal(t, 1, lines("msg=\"sending again\" partition=t-1 attempt=2 error=\"NOT_ENOUGH_REPLICAS"))

		w.cluster.SetLeader("t", 2, -1, 9)
		time.Sleep(30 * time.Second)
		assert.Equal(t, 1, lines("level=WARN msg=\"partitions without a leader\" topic=t partitions=1 of=4"))
		w.cluster.SetLeader("t", 2, 1, 10)
		time.Sleep(30 * time.Second)
		assert.Equal(t, 1, lines("msg=\"all partitions have a leader again\" topic=t"))
	})
}

// main_test.go owns what all tests of this package share: the one real cluster,
// and how a producer is made and ended.

package integration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
)

var shared kafka.Shared

func TestMain(m *testing.M) {
	code := shared.Run(m)
	if left := leaked(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines of closed producers:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stack of a goroutine of the library that is still there
// some time after every producer was closed; "" if there is none.
func leaked() string {
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		found := ""
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "kafka-go-producer/producer.(") || strings.Contains(stack, "kafka-go-producer/producer/network.") {
				found = stack
			}
		}
		if found == "" || time.Now().After(deadline) {
			return found
		}
	}
}

type (
	bytesProducer = *producer.KafkaProducer[[]byte, []byte]
	bytesRecord   = producer.Record[[]byte, []byte]
)

// newProducer makes a producer of bytes, closed with the test.
func newProducer(t *testing.T, cfg producer.Config) bytesProducer {
	t.Helper()
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		assert.NoError(t, p.Close(ctx), "close")
	})
	return p
}

// within returns a context that ends with the test and not later than after d.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// quietLogger is for tests whose producer has something to complain about.
func quietLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func isMaybeWritten(err error) bool { return errors.Is(err, producer.ErrMaybeWritten) }

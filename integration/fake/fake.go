// Package fake starts kfake, an in-process Kafka in Go, for tests that must run
// everywhere.
package fake

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Start runs a fake cluster until the test ends: one broker on a loopback port
// unless the options say otherwise.
func Start(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatalf("start fake Kafka: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// shared.go owns the one cluster that all tests of a binary use together.

package kafka

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// Shared starts a cluster when the first test asks for it and ends it after the
// last. Tests keep out of each other's way by topic names; a test that stops
// nodes for long, or kills them, starts a cluster of its own.
type Shared struct {
	Options Options

	once    sync.Once
	cluster *Cluster
	err     error
	failed  atomic.Bool // a test that used the cluster has failed
}

// Run is for TestMain: it runs the tests, ends the cluster if one was started,
// and returns the exit code.
func (s *Shared) Run(m *testing.M) int {
	defer s.close()
	return m.Run()
}

// Cluster returns the cluster, starting it the first time. It skips the test like
// Require.
func (s *Shared) Cluster(t testing.TB) *Cluster {
	t.Helper()
	Require(t)
	s.once.Do(func() { s.cluster, s.err = Run(context.Background(), s.Options) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.failed.Store(true)
			s.cluster.report(t)
		}
	})
	return s.cluster
}

func (s *Shared) close() {
	if s.cluster != nil {
		s.cluster.close(s.failed.Load())
	}
}

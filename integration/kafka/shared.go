// shared.go owns the one cluster that all tests of a binary use together.

package kafka

import (
	"context"
	"sync"
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
			s.cluster.report(t)
		}
	})
	return s.cluster
}

func (s *Shared) close() {
	if s.cluster != nil {
		s.cluster.Close()
	}
}

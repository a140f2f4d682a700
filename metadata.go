package producer

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
)

// metadata.go owns what is known of topics, and who waits to know more. Callers read immutable
// snapshots; the Sender alone makes new ones, in refresh.go. The lock is a leaf.

// cluster is a snapshot: immutable, one pointer.
type cluster struct {
	topics map[string]*topicInfo
}

// topicInfo is a topic as of a snapshot.
type topicInfo struct {
	topic      *topic
	id         [16]byte     // zero: none, or brokers too old to tell
	err        errcode.Code // why there is nothing below; None
	update     int64        // the number of the update that said so
	partitions []partitionInfo
	queues     []*queue        // of the partitions
	available  []int32         // partitions with a leader
	inRack     []int32         // those whose leader is in the client's rack, if records without a key are to stay there
	infos      []PartitionInfo // for the user's Partitioner, if there is one
}

// partitionInfo is a partition as of a snapshot.
type partitionInfo struct {
	leader   int32      // -1: none known
	node     *nodeQueue // the leader's; nil: none known
	rack     string     // of the leader
	epoch    int32      // of the leader; -1: not known
	replicas []int32
	inSync   []int32
}

// describe lists the topic's partitions for users.
func (t *topicInfo) describe() []PartitionInfo {
	infos := make([]PartitionInfo, len(t.partitions))
	for i := range t.partitions {
		p := &t.partitions[i]
		infos[i] = PartitionInfo{
			TopicPartition: TopicPartition{t.topic.name, int32(i)}, Leader: p.leader, LeaderRack: p.rack,
			Replicas: slices.Clone(p.replicas), InSync: slices.Clone(p.inSync),
		}
	}
	return infos
}

// metadata is the current snapshot and those who wait for a better one.
type metadata struct {
	current atomic.Pointer[cluster]
	wake    func()       // tells the Sender that asked was set
	now     func() int64 // the producer's clock

	mu       sync.Mutex              // guards all below
	wanted   map[string]*wantedTopic // topics that updates ask for
	asked    bool                    // somebody waits for an update
	fresh    bool                    // and for a topic that none has asked for yet
	updates  int64                   // done so far
	changed  chan struct{}           // closed and replaced at each update or refusal, and at close
	refusals int64                   // how often brokers refused this client
	refusal  error                   // the last such
	fatal    error                   // why no update ever will succeed
	failure  error                   // why the last update failed; nil: it did not
	closed   bool
}

// wantedTopic is a topic that updates ask for.
type wantedTopic struct {
	asked int64 // when somebody last waited for it; topic.used tells when records were last sent
}

func newMetadata(now func() int64, wake func()) *metadata {
	m := &metadata{wake: wake, now: now, wanted: map[string]*wantedTopic{}, changed: make(chan struct{})}
	m.current.Store(&cluster{topics: map[string]*topicInfo{}})
	return m
}

// known is the topic's entry if records can be sent to it, and to the pinned partition if there is one.
func (m *metadata) known(name string, pinned int32) *topicInfo {
	t := m.current.Load().topics[name]
	if t == nil || len(t.partitions) == 0 || int(pinned) >= len(t.partitions) {
		return nil
	}
	return t
}

// await waits until the topic, and the pinned partition unless -1, is known: at most until deadline
// or ctx ends. A topic that brokers refuse outright ends the wait at once.
func (m *metadata) await(ctx context.Context, name string, pinned int32, deadline time.Time) (*topicInfo, error) {
	if t := m.known(name, pinned); t != nil {
		return t, nil
	}
	if err := checkTopicName(name); err != nil {
		return nil, err
	}
	start := time.Now()
	timer := time.NewTimer(deadline.Sub(start))
	defer timer.Stop()
	m.mu.Lock()
	since, refusals := m.updates, m.refusals
	m.mu.Unlock()
	for {
		changed, err := m.ask(name, refusals)
		if err != nil {
			return nil, err
		}
		if t := m.known(name, pinned); t != nil {
			return t, nil
		}
		t := m.current.Load().topics[name]
		if t != nil && t.update > since && t.err != errcode.None && !t.err.Retriable() {
			return nil, failed(nil, "topic %s", name).because(t.err)
		}
		m.wake()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, failed(nil, "waiting for metadata of topic %s", name).because(ctx.Err())
		case <-timer.C:
			return nil, m.timedOut(name, pinned, deadline.Sub(start))
		}
	}
}

// ask puts the topic on the list of what updates ask for and returns what the next one closes.
func (m *metadata) ask(name string, refusals int64) (<-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, failed(ErrClosed, "waiting for metadata of topic %s", name)
	}
	if m.refusals > refusals {
		return nil, failed(ErrAuthentication, "waiting for metadata of topic %s", name).because(m.refusal)
	}
	if m.fatal != nil {
		return nil, failed(ErrFatal, "waiting for metadata of topic %s", name).because(m.fatal)
	}
	w := m.wanted[name]
	if w == nil {
		w = &wantedTopic{}
		m.wanted[name] = w
		m.fresh = true
	}
	w.asked = m.now()
	m.asked = true
	return m.changed, nil
}

// timedOut is the error of a wait of that length.
func (m *metadata) timedOut(name string, pinned int32, waited time.Duration) error {
	waited = waited.Round(time.Millisecond)
	t := m.current.Load().topics[name]
	if t != nil && len(t.partitions) > 0 {
		f := failed(ErrTimeout, "topic %s has %d partitions, and number %d did not appear in %v", name, len(t.partitions), pinned, waited)
		return f.because(errcode.UnknownTopicOrPartition)
	}
	f := failed(ErrTimeout, "no metadata of topic %s in %v", name, waited)
	if t != nil && t.err != errcode.None {
		return f.because(t.err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return f.because(m.failure)
}

// publish makes a new snapshot the current one.
func (m *metadata) publish(c *cluster) {
	m.current.Store(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.updates++
	m.failure = nil
	m.notifyLocked()
}

// fail notes why an update did not succeed; those who wait go on waiting.
func (m *metadata) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = err
}

// refuse fails everybody who waits now: brokers do not accept this client. Later calls wait afresh.
func (m *metadata) refuse(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals++
	m.refusal, m.failure = err, err
	m.notifyLocked()
}

// end fails everybody who waits, now or later: no broker will ever be found.
func (m *metadata) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fatal = err
	m.notifyLocked()
}

// close fails everybody who waits, now or later.
func (m *metadata) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.notifyLocked()
}

func (m *metadata) notifyLocked() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// takeAsked says whether somebody waits for an update, and whether it is for a new topic, and forgets it.
func (m *metadata) takeAsked() (asked, fresh bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked, fresh = m.asked, m.fresh
	m.asked, m.fresh = false, false
	return asked, fresh
}

// used says whether any topic was ever asked for.
func (m *metadata) used() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.wanted) > 0
}

// topics lists what an update has to ask for. Topics that nobody has used since idle, and of which no
// record waits, are forgotten.
func (m *metadata) topics(idle int64) []string {
	known := m.current.Load().topics
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make([]string, 0, len(m.wanted))
	for name, w := range m.wanted {
		used, live := w.asked, int64(0)
		if t := known[name]; t != nil {
			used, live = max(used, t.topic.used.Load()), t.topic.live.Load()
		}
		if used < idle && live == 0 {
			delete(m.wanted, name)
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// want puts topics of which records wait on the list of what updates ask for.
func (m *metadata) want(topics map[string]*topic) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, t := range topics {
		if m.wanted[name] == nil && t.live.Load() > 0 {
			m.wanted[name] = &wantedTopic{asked: m.now()}
		}
	}
}

// stillWanted is a copy of topics without those that were forgotten.
func (m *metadata) stillWanted(topics map[string]*topicInfo) map[string]*topicInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := make(map[string]*topicInfo, len(topics)+1)
	for name, t := range topics {
		if m.wanted[name] != nil {
			kept[name] = t
		}
	}
	return kept
}

// update is the number the next publish will have.
func (m *metadata) nextUpdate() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.updates + 1
}

// maxTopicName is the longest name of a topic, in bytes.
const maxTopicName = 249

// checkTopicName refuses what no broker would accept.
func checkTopicName(name string) error {
	if name == "" || name == "." || name == ".." || len(name) > maxTopicName {
		return failed(ErrInvalidTopic, "%q: a name has 1 to %d characters and is not . or ..", name, maxTopicName)
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return failed(ErrInvalidTopic, "%q: only letters, digits, '.', '_' and '-' are allowed", name)
		}
	}
	return nil
}

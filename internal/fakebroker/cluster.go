package fakebroker

// This file owns the cluster's state, which everything else reaches under one lock: nodes, topics, leaders.

import (
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// Cluster is a number of brokers that share topics.
type Cluster struct {
	serving sync.WaitGroup // the goroutines of connections
	tls     *tls.Config    // nil: plaintext; set by options only

	mu         sync.Mutex // guards all below
	closed     bool
	nodes      map[int32]*node
	topics     map[string]*topic
	topicIDs   byte  // given out so far
	autoCreate int   // partitions of a topic that is created because somebody asked for it; 0: none is
	producers  int64 // producer ids given out so far
	epochs     map[string]transactional
	scripts    map[protocol.Key]func(Call) Action
	onDial     func(Dial) error
	conns      map[*conn]struct{}
	connIDs    int
	dials      []Dial
	calls      []Call
	seen       map[protocol.Key]int
}

// node is one broker.
type node struct {
	id       int32
	address  string
	alias    string // another address that leads to it; empty: none
	down     bool
	gate     *gate
	versions map[protocol.Key]versionRange
}

type versionRange struct{ low, high int16 }

// topic is one topic and its partitions.
type topic struct {
	name       string
	id         [16]byte
	partitions []*partition
}

// transactional is what InitProducerId remembers of a transactional id.
type transactional struct {
	id    int64
	epoch int16
}

// Option sets a new Cluster up.
type Option func(*Cluster)

// Nodes makes n brokers, with ids from 1 and addresses b1:9092, b2:9092 and so on. Without it there is one.
func Nodes(n int) Option {
	return func(c *Cluster) {
		for id := int32(1); id <= int32(n); id++ {
			if c.nodes[id] == nil {
				c.nodes[id] = newNode(id)
			}
		}
	}
}

// Alias gives a node a second address, as a name for bootstrapping that follows it when it moves. Give Nodes first.
func Alias(id int32, address string) Option {
	return func(c *Cluster) { c.nodes[id].alias = address }
}

// Topic makes a topic. Partition p is led by the broker number p modulo the number of brokers; give Nodes first.
func Topic(name string, partitions int) Option {
	return func(c *Cluster) { c.addTopicLocked(name, partitions) }
}

// AutoCreate lets metadata requests create the topics they name.
func AutoCreate(partitions int) Option {
	return func(c *Cluster) { c.autoCreate = partitions }
}

// TLS makes the brokers speak TLS. Session tickets are off: a server sends them unasked, and over a pipe without a
// buffer that would block while the client sends its first request.
func TLS(cfg *tls.Config) Option {
	return func(c *Cluster) {
		c.tls = cfg.Clone()
		c.tls.SessionTicketsDisabled = true
	}
}

// New makes a cluster. Close it to end its goroutines.
func New(options ...Option) *Cluster {
	c := &Cluster{
		nodes:   map[int32]*node{1: newNode(1)},
		topics:  map[string]*topic{},
		epochs:  map[string]transactional{},
		scripts: map[protocol.Key]func(Call) Action{},
		conns:   map[*conn]struct{}{},
		seen:    map[protocol.Key]int{},
	}
	for _, option := range options {
		option(c)
	}
	return c
}

func newNode(id int32) *node {
	n := &node{id: id, address: fmt.Sprintf("b%d:9092", id), gate: newGate(), versions: map[protocol.Key]versionRange{}}
	for _, key := range spokenKeys() {
		low, high := key.Versions()
		n.versions[key] = versionRange{low, high}
	}
	return n
}

// spokenKeys are the APIs that this broker has.
func spokenKeys() []protocol.Key {
	return []protocol.Key{protocol.Produce, protocol.Metadata, protocol.ApiVersions, protocol.InitProducerID}
}

// Close cuts all connections, refuses new ones, and waits for the cluster's goroutines.
func (c *Cluster) Close() {
	c.mu.Lock()
	c.closed = true
	for cn := range c.conns {
		cn.cut()
	}
	c.mu.Unlock()
	c.serving.Wait()
}

// AddTopic makes a topic, with a new id if there was one of that name.
func (c *Cluster) AddTopic(name string, partitions int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addTopicLocked(name, partitions)
}

// RemoveTopic removes a topic with its records.
func (c *Cluster) RemoveTopic(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.topics, name)
}

// AddPartitions gives a topic more partitions.
func (c *Cluster) AddPartitions(name string, more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.topics[name].growLocked(more, c.nodeIDsLocked())
}

// SetLeader moves a partition to another node; epoch is the new leader epoch. Node -1: there is no leader.
func (c *Cluster) SetLeader(name string, index int32, node, epoch int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.topics[name].partitions[index]
	p.leader, p.epoch = node, epoch
}

// Leader is the node that leads a partition.
func (c *Cluster) Leader(name string, index int32) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.topics[name].partitions[index].leader
}

// TopicID is the id of a topic.
func (c *Cluster) TopicID(name string) [16]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.topics[name].id
}

// Down cuts a node's connections and refuses new ones. Others no longer list it, and a partition that it leads has no
// leader until SetLeader or Up.
func (c *Cluster) Down(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[id].down = true
	c.cutLocked(id)
}

// Up ends Down.
func (c *Cluster) Up(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[id].down = false
}

// Cut ends a node's connections; new ones may be made.
func (c *Cluster) Cut(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cutLocked(id)
}

// Move gives a node another address. Connections to the old one stay until they end.
func (c *Cluster) Move(id int32, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[id].address = address
}

// Freeze makes a node stop reading from its connections once it has read n more bytes, those of a connection's
// greeting included. What it has read whole is still answered.
func (c *Cluster) Freeze(id int32, n int) { c.setGate(id, n) }

// Thaw ends Freeze.
func (c *Cluster) Thaw(id int32) { c.setGate(id, -1) }

func (c *Cluster) setGate(id int32, budget int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[id].gate.set(budget)
	for cn := range c.conns {
		if cn.node.id == id {
			cn.wire.recheck()
		}
	}
}

// SetVersions sets the versions of an API that nodes (none named: all) speak; high below low: they do not have it.
func (c *Cluster) SetVersions(key protocol.Key, low, high int16, nodes ...int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range c.nodes {
		switch {
		case len(nodes) > 0 && !slices.Contains(nodes, id):
		case high < low:
			delete(n.versions, key)
		default:
			n.versions[key] = versionRange{low, high}
		}
	}
}

func (c *Cluster) addTopicLocked(name string, partitions int) *topic {
	c.topicIDs++
	t := &topic{name: name, id: [16]byte{0: 0xfa, 15: c.topicIDs}}
	t.growLocked(partitions, c.nodeIDsLocked())
	c.topics[name] = t
	return t
}

func (t *topic) growLocked(more int, nodes []int32) {
	for range more {
		index := len(t.partitions)
		t.partitions = append(t.partitions, &partition{
			index:     int32(index),
			leader:    nodes[index%len(nodes)],
			producers: map[int64]*producerState{},
		})
	}
}

func (c *Cluster) topicByIDLocked(id [16]byte) *topic {
	for _, t := range c.topics {
		if t.id == id {
			return t
		}
	}
	return nil
}

// nodeIDsLocked are the ids of all nodes, in order.
func (c *Cluster) nodeIDsLocked() []int32 { return slices.Sorted(maps.Keys(c.nodes)) }

func (c *Cluster) cutLocked(id int32) {
	for cn := range c.conns {
		if cn.node.id == id {
			cn.cut()
		}
	}
}

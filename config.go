package producer

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/kafka-go-producer/producer/network"
)

// config.go owns every setting, its default and what New refuses. A Config is a value; New copies it.

// Config holds every setting, named after its key in Java's producer. Build it with NewConfig and
// assign fields; New refuses a Config made in any other way. Zero means zero, not the default.
// No duration may be negative, but for MetadataRebootstrap.
type Config struct {
	BootstrapServers []string // host:port, to find the cluster with; at least one
	ClientID         string   // what brokers call this client in logs and quotas; may be empty
	ClientRack       string   // the rack this client is in, for PartitionerRackAware

	Acks        Acks
	Idempotence bool // no duplicates and no reordering, whatever is retried; needs AcksAll, Retries and MaxInFlight of at most 5

	BatchSize      int           // bytes a batch may grow to; a larger record gets a batch of its own; zero: every record does
	Linger         time.Duration // how long a batch waits for more records; zero: not at all
	BufferMemory   int64         // bytes of records that may wait to be sent and acknowledged; beyond it Send waits
	MaxRequestSize int           // bytes of one record, and of the batches of one request

	MaxInFlight     int           // requests that may be unanswered per broker; 1 keeps order without idempotence
	Retries         int           // how often a batch is sent again; DeliveryTimeout ends it too
	MaxBlock        time.Duration // how long Send and PartitionsFor wait, for metadata and memory together; zero: not at all
	DeliveryTimeout time.Duration // from the opening of a record's batch to its outcome; zero: Linger plus RequestTimeout, at least two minutes
	RequestTimeout  time.Duration // for an answer; when it passes, the connection ends

	Partitioner             Partitioner   // nil: Java's built-in one, which the fields below are for
	PartitionerIgnoreKeys   bool          // records with a key go where those without one go
	PartitionerAdaptive     bool          // records without a key prefer partitions whose queues are short
	PartitionerAvailability time.Duration // and avoid those of a broker that has not taken anything for so long; zero: they do not
	PartitionerRackAware    bool          // and stay with leaders in ClientRack where there are any (KIP-1123)

	RetryBackoff, RetryBackoffMax         time.Duration // before a batch or a metadata request is sent again: doubles from the first to the second
	ReconnectBackoff, ReconnectBackoffMax time.Duration // before the next connection to a broker that failed: likewise
	ConnectionSetup, ConnectionSetupMax   time.Duration // for a connection to be made: likewise
	ConnectionsMaxIdle                    time.Duration // after which a connection without traffic is closed; zero: never
	MetadataMaxAge                        time.Duration // after which metadata is fetched again though nothing asked for it
	MetadataMaxIdle                       time.Duration // after which a topic that is not sent to is forgotten; at least five seconds
	MetadataRebootstrap                   time.Duration // of failing metadata requests, after which the producer starts from BootstrapServers again (KIP-1102); negative: it never does, not even when no broker is left
	MetadataClusterCheck                  bool          // connections must lead to the cluster and broker that metadata promised (KIP-1242)
	BootstrapResolveTimeout               time.Duration // after which BootstrapServers of which no name resolves are fatal; zero: never
	SendBuffer, ReceiveBuffer             int           // bytes of a socket's buffers; -1: the system's

	TLS    *tls.Config                                                          // nil: plaintext; ServerName is the broker's host unless set
	Dial   func(ctx context.Context, network, address string) (net.Conn, error) // nil: TCP
	Logger *slog.Logger                                                         // nil: slog.Default()

	// ClusterListener is told the cluster's id and brokers when the first metadata comes and whenever they
	// change (Java's ClusterResourceListener). It runs on the producer's goroutine: it must return
	// quickly, and must not call the producer.
	ClusterListener func(ClusterResource)

	made bool // set by NewConfig; travels with copies
}

// Acks is how many replicas must hold a record before the broker says that it is written.
type Acks int16

// The three settings of acks.
const (
	AcksAll    Acks = -1 // all in-sync replicas
	AcksNone   Acks = 0  // none: a record is done once its bytes are handed to the network, its offset is unknown
	AcksLeader Acks = 1  // the partition's leader alone
)

// NewConfig returns the defaults of Apache Kafka 4.4's producer.
func NewConfig(bootstrapServers ...string) Config {
	return Config{
		BootstrapServers:     bootstrapServers,
		Acks:                 AcksAll,
		Idempotence:          true,
		BatchSize:            16 << 10,
		Linger:               5 * time.Millisecond,
		BufferMemory:         32 << 20,
		MaxRequestSize:       1 << 20,
		MaxInFlight:          5,
		Retries:              math.MaxInt32,
		MaxBlock:             time.Minute,
		PartitionerAdaptive:  true,
		RequestTimeout:       30 * time.Second,
		RetryBackoff:         100 * time.Millisecond,
		RetryBackoffMax:      time.Second,
		ReconnectBackoff:     50 * time.Millisecond,
		ReconnectBackoffMax:  time.Second,
		ConnectionSetup:      10 * time.Second,
		ConnectionSetupMax:   30 * time.Second,
		ConnectionsMaxIdle:   9 * time.Minute,
		MetadataMaxAge:       5 * time.Minute,
		MetadataMaxIdle:      5 * time.Minute,
		MetadataRebootstrap:  5 * time.Minute,
		MetadataClusterCheck: true,
		SendBuffer:           128 << 10,
		ReceiveBuffer:        32 << 10,
		made:                 true,
	}
}

// maxInFlightIdempotent is how many batches of a producer a broker remembers per partition.
const maxInFlightIdempotent = 5

// minDeliveryTimeout is Java's default of delivery.timeout.ms.
const minDeliveryTimeout = 2 * time.Minute

// resolve checks c, all mistakes in one error, and returns it with what zero stands for filled in.
func (c Config) resolve() (Config, error) {
	if !c.made {
		return Config{}, failed(ErrConfig, "a Config must come from NewConfig")
	}
	var bad []string
	refuse := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	c.checkServers(refuse)
	c.checkNumbers(refuse)
	c.checkIdempotence(refuse)
	c.checkPartitioner(refuse)
	least := c.Linger + c.RequestTimeout
	switch {
	case c.DeliveryTimeout == 0:
		c.DeliveryTimeout = max(minDeliveryTimeout, least)
	case c.DeliveryTimeout < least:
		refuse("DeliveryTimeout %v is less than Linger %v plus RequestTimeout %v", c.DeliveryTimeout, c.Linger, c.RequestTimeout)
	}
	if len(bad) > 0 {
		return Config{}, failed(ErrConfig, "%s", strings.Join(bad, "; "))
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.BootstrapServers = append([]string(nil), c.BootstrapServers...)
	return c, nil
}

func (c *Config) checkServers(refuse func(string, ...any)) {
	if len(c.BootstrapServers) == 0 {
		refuse("BootstrapServers is empty")
	}
	for _, s := range c.BootstrapServers {
		if _, _, err := splitServer(s); err != nil {
			refuse("BootstrapServers: %v", err)
		}
	}
}

func (c *Config) checkNumbers(refuse func(string, ...any)) {
	for _, f := range []struct {
		name        string
		value, from int64
	}{
		{"BatchSize", int64(c.BatchSize), 0},
		{"Linger", int64(c.Linger), 0},
		{"BufferMemory", c.BufferMemory, 0},
		{"MaxRequestSize", int64(c.MaxRequestSize), 0},
		{"MaxInFlight", int64(c.MaxInFlight), 1},
		{"Retries", int64(c.Retries), 0},
		{"MaxBlock", int64(c.MaxBlock), 0},
		{"DeliveryTimeout", int64(c.DeliveryTimeout), 0},
		{"RequestTimeout", int64(c.RequestTimeout), 1},
		{"PartitionerAvailability", int64(c.PartitionerAvailability), 0},
		{"RetryBackoff", int64(c.RetryBackoff), 0},
		{"RetryBackoffMax", int64(c.RetryBackoffMax), 0},
		{"ReconnectBackoff", int64(c.ReconnectBackoff), 0},
		{"ReconnectBackoffMax", int64(c.ReconnectBackoffMax), 0},
		{"ConnectionSetup", int64(c.ConnectionSetup), 1},
		{"ConnectionSetupMax", int64(c.ConnectionSetupMax), 1},
		{"ConnectionsMaxIdle", int64(c.ConnectionsMaxIdle), 0},
		{"MetadataMaxAge", int64(c.MetadataMaxAge), 0},
		{"MetadataMaxIdle", int64(c.MetadataMaxIdle), int64(5 * time.Second)},
		{"BootstrapResolveTimeout", int64(c.BootstrapResolveTimeout), 0},
		{"SendBuffer", int64(c.SendBuffer), -1},
		{"ReceiveBuffer", int64(c.ReceiveBuffer), -1},
	} {
		if f.value < f.from {
			refuse("%s %d is less than %d", f.name, f.value, f.from)
		}
	}
	if c.RequestTimeout > math.MaxInt32*time.Millisecond {
		refuse("RequestTimeout %v does not fit the protocol's milliseconds", c.RequestTimeout)
	}
	if c.Acks < AcksAll || c.Acks > AcksLeader {
		refuse("Acks %d is none of AcksAll, AcksNone, AcksLeader", c.Acks)
	}
}

func (c *Config) checkPartitioner(refuse func(string, ...any)) {
	if c.PartitionerRackAware && strings.TrimSpace(c.ClientRack) == "" {
		refuse("PartitionerRackAware needs a ClientRack")
	}
}

func (c *Config) checkIdempotence(refuse func(string, ...any)) {
	if !c.Idempotence {
		return
	}
	if c.Acks != AcksAll {
		refuse("Idempotence needs Acks to be AcksAll")
	}
	if c.Retries == 0 {
		refuse("Idempotence needs Retries")
	}
	if c.MaxInFlight > maxInFlightIdempotent {
		refuse("Idempotence needs MaxInFlight of at most %d, not %d", maxInFlightIdempotent, c.MaxInFlight)
	}
}

// splitServer reads host:port, with an IPv6 host in brackets; nothing is looked up.
func splitServer(s string) (host string, port int32, err error) {
	host, p, err := net.SplitHostPort(s)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not host:port", s)
	}
	n, err := strconv.ParseUint(p, 10, 16)
	if err != nil || n == 0 || host == "" {
		return "", 0, fmt.Errorf("%q is not host:port", s)
	}
	return host, int32(n), nil
}

// seeds are the bootstrap servers as nodes, with the ids -1, -2 and so on.
func (c *Config) seeds() []network.Node {
	nodes := make([]network.Node, 0, len(c.BootstrapServers))
	for i, s := range c.BootstrapServers {
		host, port, _ := splitServer(s) // resolve has checked it
		nodes = append(nodes, network.Node{ID: int32(-1 - i), Host: host, Port: port})
	}
	return nodes
}

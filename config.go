package producer

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/record"
)

// config.go owns every setting, its default and what New refuses. A Config is a value; New copies it.

// Config holds every setting, named after its key in Java's producer (docs/CONFIG.md has them all). Build
// it with NewConfig or ParseConfig and assign fields; New refuses a Config made in any other way. Zero
// means zero, not the default, unless the field says otherwise. No duration may be negative, but for
// MetadataRebootstrap; one of more than a hundred years counts as a hundred, and an int of more than
// math.MaxInt32 as that.
//
// A Config prints itself, and logs itself with log/slog, under Java's keys and without any secret.
type Config struct {
	BootstrapServers []string // host:port of brokers to find the cluster with; at least one; ":9092" is this machine
	ClientID         string   // what brokers call this client in logs and quotas; empty: producer-1, producer-2 and so on, counted in this process
	ClientRack       string   // the rack this client is in, for PartitionerRackAware

	Acks               Acks          // how many replicas must hold a record before it counts as written
	Idempotence        bool          // no duplicates and no reordering, whatever is retried; needs AcksAll, Retries and MaxInFlight of at most 5
	TransactionalID    string        // name of the producer's transactions; must be empty: this version has none
	TransactionTimeout time.Duration // how long a transaction may take before brokers abort it; looked at with TransactionalID only

	BatchSize        int           // bytes a batch may grow to; a larger record gets a batch of its own; zero: every record does
	Linger           time.Duration // how long a batch waits for more records; zero: not at all
	BufferMemory     int64         // bytes of records that may wait to be sent and acknowledged; beyond it Send waits
	MaxRequestSize   int           // bytes of one record, and of the batches of one request
	Compression      Compression   // the codec of batches
	CompressionLevel int           // of the codec; NewConfig's is none of them and stands for the codec's own

	MaxInFlight     int           // requests that may be unanswered per broker, at most 1,000; 1 keeps order without idempotence
	Retries         int           // how often a batch is sent again; DeliveryTimeout ends it too
	MaxBlock        time.Duration // how long Send and PartitionsFor wait, for metadata and memory together; zero: not at all
	DeliveryTimeout time.Duration // how long a record may take, from the opening of its batch to its outcome; zero: Linger plus RequestTimeout, at least two minutes
	RequestTimeout  time.Duration // how long an answer may take; then the connection ends; not zero

	Partitioner             Partitioner   // chooses partitions; nil: Java's built-in one, which the other Partitioner fields are for
	PartitionerIgnoreKeys   bool          // records with a key go where those without one go
	PartitionerAdaptive     bool          // records without a key prefer partitions whose queues are short
	PartitionerAvailability time.Duration // with PartitionerAdaptive, records without a key avoid a broker that has not taken anything for so long; zero: they do not
	PartitionerRackAware    bool          // records without a key stay with leaders in ClientRack where there are any (KIP-1123)

	RetryBackoff            time.Duration // how long to wait before a batch or a metadata request is sent again; doubles each time
	RetryBackoffMax         time.Duration // what RetryBackoff grows to; if it is less, every wait is as long as this
	ReconnectBackoff        time.Duration // how long to wait before the next connection to a broker that failed; doubles each time
	ReconnectBackoffMax     time.Duration // what ReconnectBackoff grows to; if it is less, every wait is as long as this
	ConnectionSetup         time.Duration // how long the making of a connection may take; doubles each time it fails; not zero
	ConnectionSetupMax      time.Duration // what ConnectionSetup grows to; not zero
	ConnectionsMaxIdle      time.Duration // how long a connection may be without traffic before it is closed; zero: for ever
	MetadataMaxAge          time.Duration // how old metadata may be before it is fetched again though nothing asked for it
	MetadataMaxIdle         time.Duration // how long a topic is remembered that is not sent to; at least five seconds
	MetadataRebootstrap     time.Duration // how long metadata may be due without a request that succeeds before the producer starts from BootstrapServers again (KIP-1102); negative: it never does, not even when no broker is left
	MetadataClusterCheck    bool          // connections must lead to the cluster and broker that metadata promised (KIP-1242)
	BootstrapResolveTimeout time.Duration // how long BootstrapServers may have no name that resolves before that is fatal; zero: for ever; with Dial, nobody looks
	SendBuffer              int           // bytes a socket buffers of what is sent; zero or -1: the system's choice
	ReceiveBuffer           int           // bytes a socket buffers of what comes in; zero or -1: the system's choice

	TLS    *tls.Config                                                          // how to speak TLS; nil: plaintext; ServerName is the broker's host unless set
	Dial   func(ctx context.Context, network, address string) (net.Conn, error) // makes connections, and gives up when its context ends: Close waits for it; nil: TCP
	Logger *slog.Logger                                                         // hears of outages, and what no error tells; nil: slog.Default()

	// ClusterListener is told the cluster's id and brokers when the first metadata comes and whenever they
	// change (Java's ClusterResourceListener). It runs on the producer's goroutine: it must return
	// quickly, and must not call the producer.
	ClusterListener func(ClusterResource)

	made      bool     // set by NewConfig; travels with copies
	anonymous bool     // client.id was given and empty: an empty ClientID stays empty
	warnings  []string // ParseConfig's, for New to log
}

// Acks is how many replicas must hold a record before the broker says that it is written.
type Acks int16

// The three settings of acks.
const (
	AcksAll    Acks = -1 // all in-sync replicas
	AcksNone   Acks = 0  // none: a record is done once its bytes are handed to the network, its offset is unknown
	AcksLeader Acks = 1  // the partition's leader alone
)

// Compression is a codec, by its name in Java's configuration.
type Compression string

// The codecs. Brokers older than 2.1 do not know zstd. Lz4 compresses 64 KiB at a time, like Java's
// client, so larger batches do not become smaller with it.
const (
	CompressionNone   Compression = "none"
	CompressionGzip   Compression = "gzip"
	CompressionSnappy Compression = "snappy"
	CompressionLZ4    Compression = "lz4"
	CompressionZstd   Compression = "zstd"
)

// codec is what batches call it; false: there is no such codec.
func (c Compression) codec() (record.Codec, bool) {
	for codec := record.CodecNone; codec <= record.CodecZstd; codec++ {
		if codec.String() == string(c) {
			return codec, true
		}
	}
	return record.CodecNone, false
}

// NewConfig returns the defaults of Apache Kafka 4.4's producer: acknowledged by all replicas, idempotent,
// no compression; BatchSize 16 KiB, Linger 5 ms, BufferMemory 32 MiB, MaxRequestSize 1 MiB, MaxInFlight 5;
// MaxBlock one minute, RequestTimeout 30 s, DeliveryTimeout two minutes. docs/CONFIG.md has all of them.
func NewConfig(bootstrapServers ...string) Config {
	return Config{
		BootstrapServers:     bootstrapServers,
		Acks:                 AcksAll,
		Idempotence:          true,
		TransactionTimeout:   time.Minute,
		BatchSize:            16 << 10,
		Linger:               5 * time.Millisecond,
		BufferMemory:         32 << 20,
		MaxRequestSize:       1 << 20,
		Compression:          CompressionNone,
		CompressionLevel:     record.DefaultLevel,
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

// forever is as long as a duration can be: sums of two, and times so far from now, can still be counted.
const forever = 100 * 365 * 24 * time.Hour

// clientNumbers counts the producers of this process that nobody named. Only nameClient touches it.
var clientNumbers atomic.Int64

// resolve checks c, all mistakes in one error, and returns it with what zero stands for filled in.
func (c Config) resolve() (Config, error) {
	var bad configErrors
	refuse := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	if !c.made {
		refuse("a Config must come from NewConfig or ParseConfig")
		return Config{}, bad
	}
	c.clamp()
	c.checkServers(refuse)
	c.checkNumbers(refuse)
	c.checkDurations(refuse)
	c.checkIdempotence(refuse)
	c.checkCompression(refuse)
	c.checkPartitioner(refuse)
	if c.TransactionalID != "" {
		refuse("TransactionalID: transactions are not supported by this version")
	}
	if least := c.Linger + c.RequestTimeout; c.DeliveryTimeout > 0 && c.DeliveryTimeout < least {
		refuse("DeliveryTimeout %v is less than Linger %v plus RequestTimeout %v", c.DeliveryTimeout, c.Linger, c.RequestTimeout)
	}
	if len(bad) > 0 {
		return Config{}, bad
	}
	c.DeliveryTimeout = c.delivery()
	c.nameClient()
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.BootstrapServers, c.TLS = slices.Clone(c.BootstrapServers), c.TLS.Clone()
	return c, nil
}

// clamp cuts durations to forever, and ints to Java's and the protocol's 32 bits.
func (c *Config) clamp() {
	for _, k := range configKeys() {
		if k.at == nil {
			continue
		}
		switch v := k.at(c).(type) {
		case *time.Duration:
			*v = min(*v, forever)
		case *int:
			*v = min(*v, math.MaxInt32)
		}
	}
}

// delivery is DeliveryTimeout, or what zero stands for.
func (c *Config) delivery() time.Duration {
	if c.DeliveryTimeout == 0 {
		return max(minDeliveryTimeout, c.Linger+c.RequestTimeout)
	}
	return c.DeliveryTimeout
}

// nameClient gives a client without a name one, as Java does.
func (c *Config) nameClient() {
	switch {
	case c.ClientID != "" || c.anonymous:
	case c.TransactionalID != "":
		c.ClientID = "producer-" + c.TransactionalID
	default:
		c.ClientID = "producer-" + strconv.FormatInt(clientNumbers.Add(1), 10)
	}
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
	checkLeast(refuse, "BatchSize", c.BatchSize, 0)
	checkLeast(refuse, "BufferMemory", c.BufferMemory, 0)
	checkLeast(refuse, "MaxRequestSize", c.MaxRequestSize, 0)
	checkLeast(refuse, "MaxInFlight", c.MaxInFlight, 1)
	checkLeast(refuse, "Retries", c.Retries, 0)
	checkLeast(refuse, "SendBuffer", c.SendBuffer, -1)
	checkLeast(refuse, "ReceiveBuffer", c.ReceiveBuffer, -1)
	if c.Acks < AcksAll || c.Acks > AcksLeader {
		refuse("Acks %d is none of AcksAll, AcksNone, AcksLeader", c.Acks)
	}
}

func (c *Config) checkDurations(refuse func(string, ...any)) {
	checkLeast(refuse, "Linger", c.Linger, 0)
	checkLeast(refuse, "MaxBlock", c.MaxBlock, 0)
	checkLeast(refuse, "DeliveryTimeout", c.DeliveryTimeout, 0)
	checkLeast(refuse, "RequestTimeout", c.RequestTimeout, 1)
	checkLeast(refuse, "PartitionerAvailability", c.PartitionerAvailability, 0)
	checkLeast(refuse, "RetryBackoff", c.RetryBackoff, 0)
	checkLeast(refuse, "RetryBackoffMax", c.RetryBackoffMax, 0)
	checkLeast(refuse, "ReconnectBackoff", c.ReconnectBackoff, 0)
	checkLeast(refuse, "ReconnectBackoffMax", c.ReconnectBackoffMax, 0)
	checkLeast(refuse, "ConnectionSetup", c.ConnectionSetup, 1)
	checkLeast(refuse, "ConnectionSetupMax", c.ConnectionSetupMax, 1)
	checkLeast(refuse, "ConnectionsMaxIdle", c.ConnectionsMaxIdle, 0)
	checkLeast(refuse, "MetadataMaxAge", c.MetadataMaxAge, 0)
	checkLeast(refuse, "MetadataMaxIdle", c.MetadataMaxIdle, 5*time.Second)
	checkLeast(refuse, "BootstrapResolveTimeout", c.BootstrapResolveTimeout, 0)
	if c.RequestTimeout > math.MaxInt32*time.Millisecond {
		refuse("RequestTimeout %v does not fit the protocol's milliseconds", c.RequestTimeout)
	}
}

// checkLeast refuses a field that has less than it must.
func checkLeast[T int | int64 | time.Duration](refuse func(string, ...any), name string, value, least T) {
	if value < least {
		refuse("%s %v is less than %v", name, value, least)
	}
}

func (c *Config) checkCompression(refuse func(string, ...any)) {
	codec, ok := c.Compression.codec()
	if !ok {
		refuse("Compression %q is none of the codecs", string(c.Compression))
	} else if err := codec.CheckLevel(c.CompressionLevel); err != nil {
		refuse("CompressionLevel: %v", err)
	}
}

func (c *Config) checkPartitioner(refuse func(string, ...any)) {
	if c.lacksRack() {
		refuse("PartitionerRackAware needs a ClientRack")
	}
}

// lacksRack says whether records are to stay in a rack that nobody named.
func (c *Config) lacksRack() bool {
	return c.PartitionerRackAware && strings.TrimSpace(c.ClientRack) == ""
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

// configErrors is all that is wrong with a configuration. It matches ErrConfig, and what errors.As finds
// as an interface{ Unwrap() []error } has the mistakes one by one.
type configErrors []error

// Error names them all in one line.
func (e configErrors) Error() string {
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return ErrConfig.Error() + ": " + strings.Join(texts, "; ")
}

// Is answers errors.Is.
func (e configErrors) Is(target error) bool { return target == ErrConfig }

// Unwrap answers errors.Is, errors.As and who wants them one by one.
func (e configErrors) Unwrap() []error { return e }

package harness

import (
	"errors"
	"flag"
	"time"
)

// config.go owns the flags, which are the same for every client.

// Modes of sending, and ways to choose a partition.
const (
	ModeAsync   = "async" // do not wait for outcomes
	ModeSync    = "sync"  // wait for each record's outcome before the next one
	PartDefault = "default"
	PartRR      = "rr" // explicit partitions, round robin
)

// Config is one run.
type Config struct {
	Brokers    string        `json:"brokers"`
	Topic      string        `json:"topic"`
	Partitions int           `json:"partitions"`
	Records    int           `json:"records"`
	Warmup     int           `json:"warmup"` // -1: a tenth of Records
	Size       int           `json:"size"`   // bytes of a value
	KeySize    int           `json:"key"`    // bytes of a key; 0: null keys
	Goroutines int           `json:"goroutines"`
	Mode       string        `json:"mode"`
	Part       string        `json:"part"`
	Batch      int           `json:"batch"`  // bytes
	MaxRequest int           `json:"maxreq"` // bytes, where the client has such a limit
	Linger     time.Duration `json:"linger"` // ns
	Codec      string        `json:"codec"`  // Kafka's name of it
	Tuned      bool          `json:"tuned"`  // the client's documented settings for throughput, instead of equal ones
	CPUProfile string        `json:"-"`      // file for a profile of the measured part
	MemProfile string        `json:"-"`      // file for a profile of all allocations
}

// AddFlags makes fs fill in c.
func (c *Config) AddFlags(fs *flag.FlagSet) {
	fs.StringVar(&c.Brokers, "brokers", "127.0.0.1:19192", "`host:port` to find the brokers with")
	fs.StringVar(&c.Topic, "topic", "bench", "topic")
	fs.IntVar(&c.Partitions, "partitions", 12, "partitions of the topic; must be what the broker has")
	fs.IntVar(&c.Records, "records", 2_000_000, "records to measure, over all goroutines")
	fs.IntVar(&c.Warmup, "warmup", -1, "records before that; -1 for a tenth")
	fs.IntVar(&c.Size, "size", 100, "`bytes` of a value")
	fs.IntVar(&c.KeySize, "key", 0, "`bytes` of a key; 0 for null keys")
	fs.IntVar(&c.Goroutines, "goroutines", 1, "goroutines that send")
	fs.StringVar(&c.Mode, "mode", ModeAsync, "async, or sync: wait for each record")
	fs.StringVar(&c.Part, "part", PartDefault, "default: the client's partitioner; rr: explicit partitions, round robin")
	fs.IntVar(&c.Batch, "batch", 16<<10, "`bytes` of a batch")
	fs.IntVar(&c.MaxRequest, "maxreq", 1<<20, "`bytes` of a request, where the client limits them")
	fs.DurationVar(&c.Linger, "linger", 5*time.Millisecond, "how long a batch waits for more")
	fs.StringVar(&c.Codec, "codec", "none", "none, gzip, snappy, lz4 or zstd, at the client's default level")
	fs.BoolVar(&c.Tuned, "tuned", false, "the client's documented settings for throughput")
	fs.StringVar(&c.CPUProfile, "cpuprofile", "", "`file` for a CPU profile of the measured part")
	fs.StringVar(&c.MemProfile, "memprofile", "", "`file` for a profile of allocations")
}

// WarmupRecords is how many records come before the measured ones.
func (c *Config) WarmupRecords() int {
	if c.Warmup < 0 {
		return max(c.Records/10, 1)
	}
	return c.Warmup
}

func (c *Config) check() error {
	if c.Mode != ModeAsync && c.Mode != ModeSync {
		return errors.New("-mode is neither async nor sync")
	}
	if c.Part != PartDefault && c.Part != PartRR {
		return errors.New("-part is neither default nor rr")
	}
	if c.Records < 1 || c.Goroutines < 1 || c.Partitions < 1 || c.Size < 0 || c.KeySize < 0 {
		return errors.New("records, goroutines and partitions must be positive, sizes not negative")
	}
	return nil
}

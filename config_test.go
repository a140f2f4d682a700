package producer

import (
	"crypto/tls"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConfig_Resolve_Refused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no servers", func(c *Config) { c.BootstrapServers = nil }, "BootstrapServers"},
		{"server without port", func(c *Config) { c.BootstrapServers = []string{"b1"} }, `"b1"`},
		{"server with port zero", func(c *Config) { c.BootstrapServers = []string{"b1:0"} }, `"b1:0"`},
		{"server with a name for a port", func(c *Config) { c.BootstrapServers = []string{"b1:kafka"} }, `"b1:kafka"`},
		{"server with a path", func(c *Config) { c.BootstrapServers = []string{"b1:9092/x"} }, `"b1:9092/x"`},
		{"negative linger", func(c *Config) { c.Linger = -time.Second }, "Linger -1s is less than 0s"},
		{"topics forgotten too soon", func(c *Config) { c.MetadataMaxIdle = time.Second }, "MetadataMaxIdle 1s is less than 5s"},
		{"negative batch", func(c *Config) { c.BatchSize = -1 }, "BatchSize"},
		{"negative memory", func(c *Config) { c.BufferMemory = -1 }, "BufferMemory"},
		{"nothing in flight", func(c *Config) { c.MaxInFlight = 0 }, "MaxInFlight"},
		{"negative max block", func(c *Config) { c.MaxBlock = -1 }, "MaxBlock"},
		{"socket buffer", func(c *Config) { c.SendBuffer = -2 }, "SendBuffer"},
		{"request timeout too long", func(c *Config) { c.RequestTimeout = 1000 * time.Hour }, "RequestTimeout"},
		{"acks", func(c *Config) { c.Acks = 2; c.Idempotence = false }, "Acks"},
		{"idempotence without acks", func(c *Config) { c.Acks = AcksLeader }, "Idempotence needs Acks"},
		{"idempotence without retries", func(c *Config) { c.Retries = 0 }, "Idempotence needs Retries"},
		{"idempotence and six in flight", func(c *Config) { c.MaxInFlight = 6 }, "MaxInFlight"},
		{"rack aware without a rack", func(c *Config) { c.PartitionerRackAware = true; c.ClientRack = " " }, "ClientRack"},
		{"transactions", func(c *Config) { c.TransactionalID = "t" }, "TransactionalID"},
		{"no codec", func(c *Config) { c.Compression = "" }, "Compression"},
		{"unknown codec", func(c *Config) { c.Compression = "brotli" }, `Compression "brotli"`},
		{"level of no codec", func(c *Config) { c.CompressionLevel = 1 }, "CompressionLevel"},
		{"level too high", func(c *Config) { c.Compression, c.CompressionLevel = CompressionGzip, 10 }, "CompressionLevel"},
		{"delivery timeout too short", func(c *Config) { c.DeliveryTimeout = 30 * time.Second }, "DeliveryTimeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := NewConfig("b1:9092")
			tc.change(&cfg)
			_, err := New(cfg, StringSerializer, StringSerializer)
			assert.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestConfig_Resolve_AllMistakesAtOnce(t *testing.T) {
	cfg := NewConfig("nonsense")
	cfg.Linger, cfg.MaxInFlight = -1, 17
	_, err := cfg.resolve()
	for _, want := range []string{"nonsense", "Linger", "MaxInFlight"} {
		assert.ErrorContains(t, err, want)
	}
}

// What New was given may be changed afterwards.
func TestConfig_Resolve_Copies(t *testing.T) {
	cfg := NewConfig("b1:9092")
	cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: "b1"}
	resolved, err := cfg.resolve()
	require.NoError(t, err)
	cfg.BootstrapServers[0], cfg.TLS.ServerName = "b2:9092", "b2"
	assert.Equal(t, "b1:9092", resolved.BootstrapServers[0])
	assert.Equal(t, "b1", resolved.TLS.ServerName)
}

func TestConfig_Resolve_LargeInts(t *testing.T) {
	cfg := NewConfig("b1:9092")
	cfg.BatchSize, cfg.MaxRequestSize, cfg.Retries = math.MaxInt, math.MaxInt, math.MaxInt
	cfg, err := cfg.resolve()
	require.NoError(t, err)
	assert.Equal(t, []int{math.MaxInt32, math.MaxInt32, math.MaxInt32}, []int{cfg.BatchSize, cfg.MaxRequestSize, cfg.Retries})
}

func TestConfig_Resolve_NotFromNewConfig(t *testing.T) {
	_, err := New(Config{BootstrapServers: []string{"b1:9092"}}, StringSerializer, StringSerializer)
	assert.ErrorIs(t, err, ErrConfig)
	_, err = New[string, string](NewConfig("b1:9092"), nil, StringSerializer)
	assert.ErrorIs(t, err, ErrConfig)
}

func TestConfig_Resolve_DeliveryTimeout(t *testing.T) {
	cfg, err := NewConfig("b1:9092", "[::1]:9093").resolve()
	require.NoError(t, err)
	assert.Equal(t, 2*time.Minute, cfg.DeliveryTimeout)
	cfg = NewConfig("b1:9092")
	cfg.Linger = 10 * time.Minute
	cfg, err = cfg.resolve()
	require.NoError(t, err)
	assert.Equal(t, 10*time.Minute+30*time.Second, cfg.DeliveryTimeout)
	assert.Equal(t, []string{"b1:9092"}, cfg.BootstrapServers)
	assert.Equal(t, int32(-1), cfg.seeds()[0].ID)
}

func TestConfig_Seeds(t *testing.T) {
	for server, want := range map[string]string{
		"b1:9092":               "b1:9092",
		":9092":                 "localhost:9092",
		"[::1]:9092":            "[::1]:9092",
		"::1:9092":              "[::1]:9092",
		"[fe80::1%eth0]:9092":   "[fe80::1%eth0]:9092",
		"SASL_SSL://b1:9092":    "b1:9092",
		"my_host.example.:9092": "my_host.example.:9092",
	} {
		cfg, err := NewConfig(server).resolve()
		require.NoError(t, err)
		assert.Equal(t, want, cfg.seeds()[0].Address())
	}
}

func TestFailure_AnswersForItself(t *testing.T) {
	late := failed(ErrTimeout, "t-0: late").because(errors.Join(ErrMaybeWritten, ErrFatal))
	assert.ErrorIs(t, late, ErrTimeout)
	assert.ErrorIs(t, late, ErrRetriable)
	assert.NotErrorIs(t, late, ErrMaybeWritten, "its cause does not speak for the record")
	assert.NotErrorIs(t, late, ErrFatal)
	late.maybeWritten = true
	assert.ErrorIs(t, late, ErrMaybeWritten)
	assert.ErrorContains(t, late, "may be written")
	var f *failure
	assert.NotErrorIs(t, failed(ErrClosed, "x"), ErrRetriable)
	assert.False(t, errors.As(failed(ErrClosed, "x").because(errors.New("y")), &f) && f == nil)
}

package producer

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/record"
)

// parse is ParseConfig with a bootstrap server, if properties such as "acks=1 retries=0" name none.
func parse(properties ...string) (Config, []string, error) {
	props := map[string]string{"bootstrap.servers": "127.0.0.1:9092"}
	for _, p := range properties {
		key, value, _ := strings.Cut(p, "=")
		props[key] = value
	}
	return ParseConfig(props)
}

// mistakes are those in err, as a user gets at them.
func mistakes(err error) []error {
	var all interface{ Unwrap() []error }
	if errors.As(err, &all) {
		return all.Unwrap()
	}
	return nil
}

// rows reads a table of testdata: fields between tabs, comments behind #.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var all [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	require.NotEmpty(t, all)
	return all
}

// atFault is the key that Java names, in rows where several are given.
func atFault(properties string) string {
	switch properties {
	case "acks=1 enable.idempotence=true":
		return "acks"
	case "retries=0 enable.idempotence=true":
		return "retries"
	case "max.in.flight.requests.per.connection=6 transactional.id=t":
		return "max.in.flight.requests.per.connection"
	case "enable.idempotence=false transactional.id=t":
		return "transactional.id"
	case "request.timeout.ms=200000 delivery.timeout.ms=120000":
		return "delivery.timeout.ms"
	case "compression.type=lz4 compression.lz4.level=0":
		return "compression.lz4.level"
	case "compression.type=none compression.gzip.level=99":
		return "compression.gzip.level"
	case "security.protocol=SASL_PLAINTEXT sasl.mechanism=PLAIN":
		return "sasl.jaas.config"
	case "transactional.id=t transaction.two.phase.commit.enable=true transaction.timeout.ms=1000":
		return "transaction.timeout.ms"
	}
	key, _, _ := strings.Cut(properties, "=")
	return key
}

func TestParseConfig_JavasVerdicts(t *testing.T) {
	for _, row := range rows(t, "producer-config-validation.tsv") {
		verdict, properties := row[0], row[1]
		t.Run(properties, func(t *testing.T) {
			cfg, _, err := parse(strings.Fields(properties)...)
			if verdict == "ok" {
				require.NoError(t, err)
				cfg.TransactionalID = "" // what New refuses
				_, err = cfg.resolve()
				assert.NoError(t, err, "what ParseConfig lets through, New takes")
				return
			}
			require.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, atFault(properties))
			assert.Len(t, mistakes(err), 1, "one cause, one mistake: %v", err)
			assert.Equal(t, Config{}, cfg)
		})
	}
}

func TestParseConfig_Defaults(t *testing.T) {
	want := NewConfig("127.0.0.1:9092")
	got, unused, err := parse()
	require.NoError(t, err)
	assert.Empty(t, unused)
	assert.Equal(t, want, got)

	// A key that is given with its default changes nothing. Exceptions are Java's: see 1.6 of its rules.
	for _, row := range rows(t, "producer-configs.tsv") {
		key, standard := row[0], row[2]
		if standard == "null" || standard == "(required)" {
			continue
		}
		got, _, err := parse(key + "=" + strings.Trim(standard, "[]"))
		require.NoError(t, err, key)
		switch key {
		case "client.id":
			got.anonymous = false
		case "delivery.timeout.ms":
			assert.Equal(t, 2*time.Minute, got.DeliveryTimeout)
			got.DeliveryTimeout = 0
		case "reconnect.backoff.ms":
			assert.Equal(t, got.ReconnectBackoff, got.ReconnectBackoffMax)
			got.ReconnectBackoffMax = want.ReconnectBackoffMax
			got.warnings = nil
		}
		assert.Equal(t, want, got, key)
	}
	got, _, err = parse("compression.type=lz4", "compression.lz4.level=9")
	require.NoError(t, err)
	assert.Equal(t, 9, got.CompressionLevel)
}

func TestParseConfig_GivenOrNot(t *testing.T) {
	for _, tc := range []struct {
		properties string
		want       func(*Config)
	}{
		{"acks=1", func(c *Config) { c.Acks, c.Idempotence = AcksLeader, false }},
		{"acks=0; retries=0", func(c *Config) { c.Acks, c.Retries, c.Idempotence = AcksNone, 0, false }},
		{"acks=-1", func(*Config) {}},
		{"reconnect.backoff.ms=20", func(c *Config) { c.ReconnectBackoff, c.ReconnectBackoffMax = 20*time.Millisecond, 20*time.Millisecond }},
		{"reconnect.backoff.max.ms=20", func(c *Config) { c.ReconnectBackoffMax = 20 * time.Millisecond }},
		{"delivery.timeout.ms=40000", func(c *Config) { c.DeliveryTimeout = 40 * time.Second }},
		{"client.id=", func(c *Config) { c.anonymous = true }},
		{"client.id= me ", func(c *Config) { c.ClientID = "me" }},
		{"metadata.recovery.strategy=None; metadata.recovery.rebootstrap.trigger.ms=7", func(c *Config) { c.MetadataRebootstrap = -1 }},
		{"metadata.recovery.rebootstrap.trigger.ms=7", func(c *Config) { c.MetadataRebootstrap = 7 * time.Millisecond }},
		{"compression.type=zstd; compression.lz4.level=5", func(c *Config) { c.Compression = CompressionZstd }},
		{"compression.type=zstd; compression.zstd.level=-7", func(c *Config) { c.Compression, c.CompressionLevel = CompressionZstd, -7 }},
		{"connections.max.idle.ms=-9", func(c *Config) { c.ConnectionsMaxIdle = 0 }},
		{"connections.max.idle.ms=0", func(c *Config) { c.ConnectionsMaxIdle = time.Millisecond }},
		{"socket.connection.setup.timeout.ms=-9; socket.connection.setup.timeout.max.ms=0",
			func(c *Config) { c.ConnectionSetup, c.ConnectionSetupMax = time.Millisecond, time.Millisecond }},
		{"linger.ms=1; request.timeout.ms=0; delivery.timeout.ms=1", func(c *Config) {
			c.Linger, c.RequestTimeout, c.DeliveryTimeout = time.Millisecond, time.Millisecond, 2*time.Millisecond
		}},
		{"request.timeout.ms=2147483647; delivery.timeout.ms=2147483647", func(c *Config) {
			c.RequestTimeout, c.DeliveryTimeout = math.MaxInt32*time.Millisecond, (math.MaxInt32+5)*time.Millisecond
		}},
		{"buffer.memory.allocation.strategy=incremental; compression.type=gzip; batch.size=1000",
			func(c *Config) { c.Compression, c.BatchSize = CompressionGzip, 1000 }},
		{"bootstrap.servers=b:1, b:1 ,PLAINTEXT://c:2", func(c *Config) { c.BootstrapServers = []string{"b:1", "PLAINTEXT://c:2"} }},
	} {
		t.Run(tc.properties, func(t *testing.T) {
			want := NewConfig("127.0.0.1:9092")
			tc.want(&want)
			got, _, err := parse(strings.Split(tc.properties, "; ")...)
			require.NoError(t, err)
			got.warnings = nil
			assert.Equal(t, want, got)
			_, err = got.resolve()
			assert.NoError(t, err)
		})
	}
}

func TestParseConfig_AllMistakesAtOnce(t *testing.T) {
	_, unused, err := ParseConfig(map[string]string{
		"linger.ms": "x", "acks": "1", "enable.idempotence": "true", "max.block.ms": "-1", "made.up": "1", "client.dns.lookup": "default",
	})
	require.ErrorIs(t, err, ErrConfig)
	assert.NotErrorIs(t, err, ErrRetriable)
	var keys []string
	for _, mistake := range mistakes(err) {
		key, _, _ := strings.Cut(mistake.Error(), ":")
		keys = append(keys, key)
		assert.ErrorContains(t, err, mistake.Error())
	}
	slices.Sort(keys)
	assert.Equal(t, []string{"acks", "bootstrap.servers", "client.dns.lookup", "linger.ms", "max.block.ms"}, keys)
	assert.Contains(t, unused, "made.up")
	assert.NotContains(t, err.Error(), "\n", "one line")
}

func TestParseConfig_OneMistakeDoesNotMakeAnother(t *testing.T) {
	for _, properties := range []string{
		"acks=2 enable.idempotence=true",
		"delivery.timeout.ms=1000 request.timeout.ms=soon",
		"delivery.timeout.ms=1000 linger.ms=-1",
		"reconnect.backoff.ms=5 reconnect.backoff.max.ms=-1",
		"bootstrap.servers=",
	} {
		_, _, err := parse(strings.Fields(properties)...)
		require.Error(t, err, properties)
		assert.Len(t, mistakes(err), 1, "%s: %v", properties, err)
	}
}

// What a config provider would replace must not be taken for a value.
func TestParseConfig_References(t *testing.T) {
	_, _, err := parse("config.providers=file,env", "client.id=${file:/x:id}", "made.up=a${env:B}", "linger.ms=${env:L}", "client.rack=${vault:r}")
	require.Len(t, mistakes(err), 2, "%v", err)
	assert.ErrorContains(t, err, "client.id: there are no config providers to replace ${file:...}")
	assert.ErrorContains(t, err, "linger.ms: ")
	cfg, unused, err := parse("config.providers=file", "config.providers.file.class=C", "client.id=me")
	require.NoError(t, err)
	assert.Equal(t, "me", cfg.ClientID)
	assert.Equal(t, []string{"config.providers", "config.providers.file.class"}, unused)
	cfg, _, err = parse("client.id=${file:/x:id}")
	require.NoError(t, err)
	assert.Equal(t, "${file:/x:id}", cfg.ClientID, "without a provider it means itself, as in Java")
}

func TestParseConfig_Unused(t *testing.T) {
	_, unused, err := parse("zoo=1", "linger=7", "linger.ms=7", "key.serializer=S", "compression.type=gzip", "compression.lz4.level=3",
		"compression.gzip.level=3", "ssl.keystore.location=there is none", "ssl.protocol=TLSv1.3", "sasl.mechanism=PLAIN", "metadata.recovery.strategy=none")
	require.NoError(t, err)
	assert.Equal(t, []string{"compression.lz4.level", "key.serializer", "linger", "sasl.mechanism", "ssl.keystore.location", "ssl.protocol", "zoo"}, unused)
}

func TestParseConfig_WarningsAreLoggedByNew(t *testing.T) {
	var log bytes.Buffer
	cfg, _, err := parse("retry.backoff.ms=1000", "retry.backoff.max.ms=100", "reconnect.backoff.ms=9", "linger.ms=200000",
		"socket.connection.setup.timeout.ms=40000", "bootstrap.servers=b:1,b:1")
	require.NoError(t, err)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	p, err := New(cfg, StringSerializer, StringSerializer)
	require.NoError(t, err)
	require.NoError(t, p.Close(t.Context()))
	for _, key := range []string{"retry.backoff.ms", "reconnect.backoff.ms", "delivery.timeout.ms", "socket.connection.setup.timeout.ms", "bootstrap.servers"} {
		assert.Contains(t, log.String(), "level=WARN msg=\"configuration: "+key+": ")
	}
}

// What a Config prints, ParseConfig reads.
func TestParseConfig_ReadsWhatStringPrints(t *testing.T) {
	for _, properties := range [][]string{
		{},
		{"connections.max.idle.ms=-1", "compression.type=zstd", "compression.zstd.level=7", "acks=0", "retries=0", "metadata.recovery.strategy=none"},
		{"compression.type=gzip", "client.rack=r", "partitioner.rack.aware=true", "linger.ms=200000", "max.block.ms=9223372036854775807"},
	} {
		want, _, err := parse(append(properties, "client.id=me", "transactional.id=t", "enable.idempotence=true", "acks=all", "retries=9")...)
		require.NoError(t, err)
		props, err := ReadProperties(strings.NewReader(want.String()))
		require.NoError(t, err)
		got, _, err := ParseConfig(props)
		require.NoError(t, err)
		assert.Equal(t, want.String(), got.String())
		assert.Equal(t, want.ConnectionsMaxIdle, got.ConnectionsMaxIdle)
	}
}

func TestParseConfig_ClientIDs(t *testing.T) {
	var ids []string
	for range 3 {
		cfg, _, err := parse()
		require.NoError(t, err)
		cfg, err = cfg.resolve()
		require.NoError(t, err)
		assert.Regexp(t, `^producer-[1-9][0-9]*$`, cfg.ClientID)
		ids = append(ids, cfg.ClientID)
	}
	assert.Len(t, slices.Compact(ids), 3)
	for given, want := range map[string]string{"": "", "me": "me"} {
		cfg, _, err := parse("client.id=" + given)
		require.NoError(t, err)
		cfg, err = cfg.resolve()
		require.NoError(t, err)
		assert.Equal(t, want, cfg.ClientID)
	}
	cfg := NewConfig("b:1")
	cfg.TransactionalID = "t"
	cfg.nameClient()
	assert.Equal(t, "producer-t", cfg.ClientID)
}

func FuzzParseConfig(f *testing.F) {
	f.Add("linger.ms", "5")
	f.Add("bootstrap.servers", "PLAINTEXT://[::1]:9092, b:1")
	f.Add("ssl.enabled.protocols", "TLSv1.2,TLSv1.3")
	f.Add("ssl.truststore.certificates", "-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----")
	f.Add("ssl.keystore.key", "-----BEGIN ENCRYPTED PRIVATE KEY----- MAA= -----END ENCRYPTED PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, key, value string) {
		if strings.HasSuffix(key, ".location") {
			return // files are not what this is about
		}
		cfg, _, err := parse("security.protocol=SSL", "ssl.keystore.type=PEM", "ssl.truststore.type=PEM", key+"="+value)
		if err != nil {
			assert.ErrorIs(t, err, ErrConfig)
			return
		}
		if cfg.TransactionalID == "" {
			_, err = cfg.resolve()
			assert.NoError(t, err)
		}
		assert.NotEmpty(t, cfg.String())
		assert.True(t, cfg.CompressionLevel == record.DefaultLevel || cfg.Compression != CompressionNone)
	})
}

package producer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConfig_String(t *testing.T) {
	cfg := NewConfig("b1:9092", "b2:9092")
	text := cfg.String()
	for _, line := range []string{
		"acks = all", "batch.size = 16384", "bootstrap.servers = b1:9092,b2:9092", "client.id = producer-<n>", "compression.type = none",
		"delivery.timeout.ms = 120000", "enable.idempotence = true", "linger.ms = 5", "metadata.recovery.strategy = rebootstrap",
		"security.protocol = PLAINTEXT", "transactional.id = null",
	} {
		assert.Contains(t, "\n"+text, "\n"+line+"\n")
	}
	assert.NotContains(t, text, "level =")
	assert.NotContains(t, text, "ssl.")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	assert.IsIncreasing(t, lines)

	cfg.Linger, cfg.MetadataRebootstrap, cfg.RequestTimeout = 1500*time.Microsecond, -1, 3*time.Minute
	cfg.Compression, cfg.Acks = CompressionZstd, AcksLeader
	text = cfg.String()
	for _, line := range []string{
		"acks = 1", "compression.zstd.level = 3", "delivery.timeout.ms = 180001.5", "linger.ms = 1.5", "metadata.recovery.strategy = none",
	} {
		assert.Contains(t, "\n"+text, "\n"+line+"\n")
	}
	assert.NotContains(t, text, "trigger.ms")
}

// Whatever prints a Config, no secret of it comes out, and neither does one in an error.
func TestConfig_SecretsStaySecret(t *testing.T) {
	certificate, key := pemPair(t, "b1")
	secret := strings.Fields(key)[5] // a line of the key
	cfg, _, err := parse("security.protocol=SSL", "ssl.keystore.type=PEM", "ssl.keystore.certificate.chain="+certificate, "ssl.keystore.key="+key,
		"ssl.key.password=hunter2", "ssl.truststore.type=PEM", "ssl.truststore.certificates="+certificate)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", cfg)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", cfg, "pointer", &cfg)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cfg.report()
	_, _, err = parse("security.protocol=SSL", "ssl.keystore.type=PEM", "ssl.keystore.certificate.chain="+certificate, "ssl.keystore.password=hunter2",
		"ssl.keystore.key="+strings.Replace(key, secret, secret[:20], 1), "sasl.jaas.config=hunter2", "ssl.truststore.password=hunter2")
	require.Error(t, err)
	_, _, misplaced := parse("security.protocol=SSL", "ssl.keystore.type=PEM", "ssl.keystore.location="+key, "ssl.truststore.type=PEM", "ssl.truststore.location="+key)
	require.Len(t, mistakes(misplaced), 2)
	marshalled, _ := json.Marshal(map[string]any{"config": cfg}) // an error, as it has functions
	for _, text := range []string{cfg.String(), log.String(), err.Error(), misplaced.Error(), string(marshalled), fmt.Sprintf("%v %+v %s %#v", cfg, cfg, cfg, cfg), fmt.Sprintf("%+v", &cfg)} {
		assert.NotContains(t, text, "hunter2")
		assert.NotContains(t, text, secret[:20])
	}
	assert.Contains(t, cfg.String(), "ssl.keystore.key = [hidden]\n")
	assert.Contains(t, cfg.String(), "ssl.truststore.certificates = [hidden]\n")
	assert.Contains(t, log.String(), "config.ssl.keystore.key=[hidden]")
}

func TestNew_LogsTheConfigurationOnce(t *testing.T) {
	var log bytes.Buffer
	cfg := NewConfig("b1:9092")
	cfg.ClientID = "me"
	cfg.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p, err := New(cfg, StringSerializer, StringSerializer)
	require.NoError(t, err)
	require.NoError(t, p.Close(t.Context()))
	found := 0
	for d := json.NewDecoder(&log); ; {
		var entry map[string]any
		err := d.Decode(&entry)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if entry["msg"] != "configuration" {
			continue
		}
		found++
		assert.Equal(t, "DEBUG", entry["level"])
		assert.Equal(t, "me", entry["client.id"])
		for _, k := range configKeys() {
			if k.at != nil {
				assert.Contains(t, entry, k.name)
			}
		}
	}
	assert.Equal(t, 1, found)
}

package producer

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseConfig_ValuesAsInJava(t *testing.T) {
	for _, tc := range []struct{ key, value, mistake string }{
		{"linger.ms", " +7 ", ""},
		{"linger.ms", "9223372036854775807", ""},
		{"linger.ms", "9223372036854775808", "whole number of 64 bits"},
		{"linger.ms", "5.0", "whole number"},
		{"linger.ms", "0x5", "whole number"},
		{"linger.ms", "1_000", "whole number"},
		{"linger.ms", "", "whole number"},
		{"batch.size", "2147483648", "32 bits"},
		{"sasl.login.refresh.buffer.seconds", "32768", "16 bits"},
		{"sasl.login.refresh.buffer.seconds", "3601", "3601 is more than 3600"},
		{"sasl.login.refresh.window.factor", " 0.8f ", ""},
		{"sasl.login.refresh.window.factor", "0.4", "0.4 is less than 0.5"},
		{"sasl.login.refresh.window.factor", "much", "not a number"},
		{"enable.idempotence", "TRUE", ""},
		{"enable.idempotence", "\tFalse\n", ""},
		{"enable.idempotence", "yes", "neither true nor false"},
		{"enable.idempotence", "", "neither true nor false"},
		{"acks", " all ", ""},
		{"acks", "ALL", "none of all, -1, 0, 1"},
		{"compression.type", "GZIP", "none of none, gzip"},
		{"compression.gzip.level", "0", "0 is not allowed"},
		{"security.protocol", "plaintext", ""},
		{"metrics.recording.level", "info", "none of INFO"},
		{"transactional.id", "", "empty"},
		{"transactional.id", " t ", ""},
		{"interceptor.classes", ",", "empty"},
		{"metric.reporters", "", ""},
		{"ssl.cipher.suites", "a,,b", "empty"},
		{"sasl.oauthbearer.expected.audience", "a , a", ""},
		{"bootstrap.servers", "", "empty"},
		{"bootstrap.servers", "::1:9092", ""},
		{"bootstrap.servers", "127.0.0.1:99999", "host:port"},
		{"bootstrap.servers", "127.0.0.1:9092/x", "host:port"},
		{"bootstrap.servers", "a b:9092", "host:port"},
		{"key.serializer", "whatever", ""},
	} {
		t.Run(tc.key+"="+tc.value, func(t *testing.T) {
			_, _, err := parse(tc.key + "=" + tc.value)
			if tc.mistake == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, tc.key+": ")
			assert.ErrorContains(t, err, tc.mistake)
		})
	}
}

func TestParseConfig_LongDurationsDoNotWrap(t *testing.T) {
	var properties []string
	for _, k := range configKeys() {
		if k.at != nil && k.kind == kindLong && strings.HasSuffix(k.name, ".ms") {
			properties = append(properties, k.name+"=9223372036854775807")
		}
	}
	require.Greater(t, len(properties), 10)
	cfg, _, err := parse(properties...)
	require.NoError(t, err)
	assert.Equal(t, math.MaxInt32*time.Millisecond, cfg.Linger)
	assert.Equal(t, forever, cfg.MaxBlock)
	cfg, err = cfg.resolve()
	require.NoError(t, err)
	assert.Equal(t, math.MaxInt32*time.Millisecond+30*time.Second, cfg.DeliveryTimeout)

	cfg = NewConfig("b:1")
	cfg.Linger, cfg.MaxBlock, cfg.DeliveryTimeout = math.MaxInt64, math.MaxInt64, 0
	cfg, err = cfg.resolve()
	require.NoError(t, err)
	assert.Equal(t, forever, cfg.MaxBlock)
	assert.Positive(t, cfg.DeliveryTimeout)
}

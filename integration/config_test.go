// config_test.go asks Java about properties: whether ReadProperties reads what
// Java reads, and whether ParseConfig refuses what Java's producer refuses and
// makes the same of the rest; and whether the tables in the library's testdata are
// Java's own.

package integration

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
)

// answer is a line of testdata/Config.java.
type answer struct{ properties, verdict, settings string }

// askJava has Java read the texts of .properties files.
func askJava(t *testing.T, texts []string) []answer {
	t.Helper()
	var in, out bytes.Buffer
	for _, text := range texts {
		in.WriteString(base64.StdEncoding.EncodeToString([]byte(text)) + "\n")
	}
	require.NoError(t, kafka.JavaFor(t, "").Run(t.Context(), &in, &out, "testdata/Config.java"))
	var answers []answer
	for line := range strings.Lines(out.String()) {
		fields := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "", "")
		answers = append(answers, answer{fields[0], fields[1], fields[2]})
	}
	require.Len(t, answers, len(texts))
	return answers
}

func TestRealKafka_ReadProperties_AsJava(t *testing.T) {
	pieces := []string{
		"a", "b", "key", "=", ":", " ", "\t", "\f", `\`, `\\`, "\n", "\r", "\r\n", "#", "!", "\\\n", "\\\r\n  ", "\\\r",
		`\u0041`, `\u00e9`, `\u00`, `\uD83D\uDE00`, `\n`, `\t`, `\ `, `\=`, `\q`, "\xe9", "value",
	}
	r := rand.New(rand.NewPCG(4, 4))
	texts := make([]string, 20_000)
	for i := range texts {
		for range r.IntN(16) {
			texts[i] += pieces[r.IntN(len(pieces))]
		}
		if strings.HasSuffix(strings.TrimRight(texts[i], " \t\f\r\n"), `\`) {
			texts[i] += "\n\n" // for Java, a backslash with nothing behind it is a property without key and value
		}
	}
	refused := 0
	for i, java := range askJava(t, texts) {
		props, err := producer.ReadProperties(strings.NewReader(texts[i]))
		if java.properties == "malformed" {
			refused++
			assert.ErrorIs(t, err, producer.ErrConfig, "%q", texts[i])
			continue
		}
		require.NoError(t, err, "%q", texts[i])
		var lines []string
		for key, value := range props {
			lines = append(lines, encoded(key)+"="+encoded(value)+",")
		}
		java := strings.SplitAfter(java.properties, ",")
		assert.ElementsMatch(t, java[:len(java)-1], lines, "%q", texts[i])
	}
	t.Logf("%d files, %d of them malformed", len(texts), refused)
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestRealKafka_ParseConfig_AsJava(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = "bootstrap.servers=" + pick(r, "127.0.0.1:9092", "127.0.0.1:9092", " 127.0.0.1:9092 , [::1]:1 ", "PLAINTEXT://:9092", "127.0.0.1:9092", "127.0.0.1") + "\n"
		for range 1 + r.IntN(4) {
			texts[i] += randomProperty(r) + "\n"
		}
	}
	accepted := 0
	for i, java := range askJava(t, texts) {
		props, err := producer.ReadProperties(strings.NewReader(texts[i]))
		require.NoError(t, err)
		cfg, _, err := producer.ParseConfig(props)
		if java.verdict == "refused" {
			assert.ErrorIs(t, err, producer.ErrConfig, "%s", texts[i])
			continue
		}
		accepted++
		if !assert.NoError(t, err, "%s", texts[i]) {
			continue
		}
		ours := strings.Split(strings.Replace(cfg.String(), "acks = all\n", "acks = -1\n", 1), "\n")
		for setting := range strings.SplitSeq(strings.TrimSuffix(java.settings, ";"), ";") {
			// Longer than a hundred years is a hundred years.
			setting = strings.Replace(setting, ".ms = 9223372036854775807", ".ms = 3153600000000", 1)
			assert.True(t, slices.Contains(ours, setting), "%s: not among ours:\n%s", setting, texts[i])
		}
	}
	t.Logf("%d configurations, %d of them accepted", len(texts), accepted)
	assert.Greater(t, accepted, len(texts)/10)
	assert.Less(t, accepted, len(texts)*9/10)
}

// tableOf reads a table that the library's own tests go by, without the comment on top.
func tableOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	require.NoError(t, err)
	_, rows, _ := strings.Cut(string(text), "\n")
	return rows
}

func TestRealKafka_ConfigKeys_AreJavas(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, kafka.JavaFor(t, "").Run(t.Context(), nil, &out, "testdata/ConfigKeys.java"))
	assert.Equal(t, tableOf(t, "producer-configs.tsv"), out.String())
}

func TestRealKafka_ConfigVerdicts_AreJavas(t *testing.T) {
	verdicts := map[string]string{"ok": "ok", "error": "refused"}
	var texts, want []string
	for row := range strings.Lines(tableOf(t, "producer-config-validation.tsv")) {
		fields := strings.Split(row, "\t")
		if strings.Contains(fields[1], ".invalid") {
			continue // nobody is asked for names
		}
		texts = append(texts, "bootstrap.servers=127.0.0.1:9092\n"+strings.ReplaceAll(fields[1], " ", "\n"))
		want = append(want, verdicts[fields[0]])
	}
	for i, java := range askJava(t, texts) {
		assert.Equal(t, want[i], java.verdict, "%s", texts[i])
	}
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// randomProperty is a line that Java may like or not.
func randomProperty(r *rand.Rand) string {
	number := func() string {
		return pick(r, "0", "1", "5", "-1", "9", "17", "22", "23", "6", "100", "1000", "5000", "120000", "200000", "16384", "+7", "007",
			"2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "-131072", "", "1.5", "ten")
	}
	switch r.IntN(5) {
	case 0:
		return pick(r, "enable.idempotence", "partitioner.ignore.keys", "partitioner.adaptive.partitioning.enable", "partitioner.rack.aware",
			"metadata.cluster.check.enable", "enable.metrics.push", "transaction.two.phase.commit.enable") + "=" + pick(r, "true", "false", "TRUE", " False", "yes", "")
	case 1:
		key := pick(r, "acks", "compression.type", "transactional.id", "client.id", "client.rack", "metadata.recovery.strategy",
			"metrics.recording.level", "buffer.memory.allocation.strategy", "client.dns.lookup", "ssl.cipher.suites", "security.protocol")
		return key + "=" + pick(r, "all", "-1", "0", "1", "2", "none", "gzip", "lz4", "zstd", "GZIP", "", " ", "x", ",", "NONE", "rebootstrap", "INFO",
			"info", "full", "Incremental", "use_all_dns_ips", "plaintext", "SSL")
	case 2: // those that depend on each other
		return pick(r, "acks=1", "acks=all", "retries=0", "retries=1", "max.in.flight.requests.per.connection=6", "enable.idempotence=true",
			"enable.idempotence=false", "transactional.id=t", "delivery.timeout.ms=30005", "delivery.timeout.ms=30004", "request.timeout.ms=1",
			"linger.ms=0", "delivery.timeout.ms=2147483647", "request.timeout.ms=2147483647", "linger.ms=9223372036854775807", "reconnect.backoff.ms=70", "reconnect.backoff.max.ms=80", "client.rack=r", "partitioner.rack.aware=true",
			"transaction.timeout.ms=1", "compression.type=gzip", "buffer.memory.allocation.strategy=incremental", "batch.size=16383")
	}
	return pick(r, "batch.size", "linger.ms", "buffer.memory", "max.request.size", "compression.gzip.level", "compression.lz4.level",
		"compression.zstd.level", "max.in.flight.requests.per.connection", "retries", "max.block.ms", "delivery.timeout.ms", "request.timeout.ms",
		"transaction.timeout.ms", "partitioner.availability.timeout.ms", "retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.ms",
		"reconnect.backoff.max.ms", "socket.connection.setup.timeout.ms", "connections.max.idle.ms", "metadata.max.age.ms", "metadata.max.idle.ms",
		"metadata.recovery.rebootstrap.trigger.ms", "bootstrap.resolve.timeout.ms", "send.buffer.bytes", "receive.buffer.bytes", "metrics.num.samples",
		"metrics.sample.window.ms", "sasl.login.refresh.window.factor", "sasl.login.refresh.buffer.seconds", "sasl.oauthbearer.clock.skew.seconds") + "=" + number()
}

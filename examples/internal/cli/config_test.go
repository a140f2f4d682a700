package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
)

// config_test.go owns the proof that files and flags become the right Config.

func TestProperties_Config(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.properties")
	require.NoError(t, os.WriteFile(file, []byte("# of a file\nlinger.ms = 7\nacks: 1\nno.such.key = x\n"), 0o600))
	p := make(Properties)
	require.NoError(t, p.Load(""))
	require.NoError(t, p.Load(file))
	require.NoError(t, p.Add([]string{"acks=all", "bootstrap.servers=a:1,b:2"}))
	p.Default("client.id", "me")
	p.Default("linger.ms", "8")

	errs := new(strings.Builder)
	cfg, err := p.Config(Std{Tool: "tool", Err: errs})
	require.NoError(t, err)
	assert.Equal(t, []string{"a:1", "b:2"}, cfg.BootstrapServers)
	assert.Equal(t, producer.AcksAll, cfg.Acks)
	assert.Equal(t, 7*time.Millisecond, cfg.Linger)
	assert.Equal(t, "me", cfg.ClientID)
	assert.Equal(t, "tool: these properties change nothing: no.such.key\n", errs.String())
	cfg.Logger.Info("not told")
	cfg.Logger.Warn("told")
	assert.Contains(t, errs.String(), "level=WARN msg=told")
	assert.NotContains(t, errs.String(), "not told")
}

func TestProperties_Refuse(t *testing.T) {
	p := make(Properties)
	assert.ErrorContains(t, p.Add([]string{"a=1", "b"}), `"b" is not of the form key=value`)
	assert.ErrorContains(t, p.Add([]string{"=1"}), `"=1" is not of the form key=value`)
	assert.ErrorIs(t, p.Load(filepath.Join(t.TempDir(), "missing")), os.ErrNotExist)

	file := filepath.Join(t.TempDir(), "bad.properties")
	require.NoError(t, os.WriteFile(file, []byte(`a = \u12`), 0o600))
	err := p.Load(file)
	require.ErrorIs(t, err, producer.ErrConfig)
	assert.ErrorContains(t, err, file)

	_, err = Properties{"bootstrap.servers": "a:1", "acks": "2", "security.protocol": "SASL_SSL", "transactional.id": "t"}.Config(Std{})
	require.ErrorIs(t, err, producer.ErrConfig)
	for _, key := range []string{"acks", "security.protocol", "transactional.id"} {
		assert.ErrorContains(t, err, key+": ")
	}
}

package cli

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flags_test.go owns the proof that a command line is read as Kafka's tools read it.

// sample has a flag of each kind.
type sample struct {
	*Flags
	text, codec, topic  *string
	whole               *int64
	rate                *float64
	on                  *bool
	single, many, older *[]string
}

func newSample() *sample {
	s := &sample{Flags: NewFlags("sample", "Shows flags.")}
	s.topic = s.Text("topic", "", "the `TOPIC`")
	s.text = s.Text("text", "t", "some `TEXT`")
	s.whole = s.Whole("whole", "5", "a `NUMBER`")
	s.rate = s.Rate("rate", "", "a `RATE`")
	s.on = s.Switch("on", "a switch")
	s.codec = s.Maybe("codec", "gzip", "a `CODEC`")
	s.single = s.List("single", false, "`KEY=VALUE`")
	s.many = s.List("many", true, "`KEY=VALUE`")
	s.older = s.List("old.many", true, "`KEY=VALUE`")
	s.Refuse("metrics", false, "print metrics", "there are none")
	s.Refuse("id", true, "an `ID`", "there is no such thing")
	s.Need("topic")
	s.Deprecate("old.many", "many")
	return s
}

func TestFlags_Parse(t *testing.T) {
	for _, c := range []struct {
		args  string
		check func(*testing.T, *sample)
	}{
		{"--topic a", func(t *testing.T, s *sample) {
			assert.Equal(t, "a", *s.topic)
			assert.Equal(t, "t", *s.text)
			assert.Equal(t, int64(5), *s.whole)
			assert.Zero(t, *s.rate)
			assert.False(t, *s.on)
			assert.Empty(t, *s.codec)
			assert.True(t, s.Given("topic"))
			assert.False(t, s.Given("text"))
		}},
		{"-topic a -on -text=x", func(t *testing.T, s *sample) {
			assert.True(t, *s.on)
			assert.Equal(t, "x", *s.text)
		}},
		{"--whole -1 --rate -0.5 --topic --on", func(t *testing.T, s *sample) {
			assert.Equal(t, int64(-1), *s.whole)
			assert.InDelta(t, -0.5, *s.rate, 0)
			assert.Equal(t, "--on", *s.topic)
			assert.False(t, *s.on)
		}},
		{"--many a=1 b=2=3 --topic t -many c=", func(t *testing.T, s *sample) {
			assert.Equal(t, []string{"a=1", "b=2=3", "c="}, *s.many)
			assert.Equal(t, "t", *s.topic)
		}},
		{"--single a=1 --single b=2 --topic t", func(t *testing.T, s *sample) {
			assert.Equal(t, []string{"a=1", "b=2"}, *s.single)
		}},
		{"--codec --topic t", func(t *testing.T, s *sample) { assert.Equal(t, "gzip", *s.codec) }},
		{"--topic t --codec", func(t *testing.T, s *sample) { assert.Equal(t, "gzip", *s.codec) }},
		{"--codec zstd --topic t", func(t *testing.T, s *sample) { assert.Equal(t, "zstd", *s.codec) }},
		{"--codec=lz4 --topic t --metrics=false", func(t *testing.T, s *sample) { assert.Equal(t, "lz4", *s.codec) }},
	} {
		t.Run(c.args, func(t *testing.T) {
			s, errs := newSample(), new(strings.Builder)
			require.NoError(t, s.Parse(Std{Tool: "sample", Err: errs}, strings.Fields(c.args)))
			assert.Empty(t, errs.String())
			c.check(t, s)
		})
	}
}

func TestFlags_Parse_Refuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                            "--topic must be given",
		"--topic":                     "flag needs an argument",
		"--topic t --no-such":         "no-such",
		"--topic t --no-such=1":       "no-such",
		"--topic t --whole 1.5":       "not a whole number of 64 bits",
		"--topic t --rate five":       "not a number",
		"--topic t --many":            "flag needs an argument",
		"--topic t more":              `"more" is neither a flag nor`,
		"--topic t --single a=1 b=2":  `"b=2" is neither a flag nor`,
		"--topic t -- --on":           `"--on" is neither a flag nor`,
		"--topic t --metrics":         "--metrics: there are none",
		"--topic t --id x --metrics":  "--id: there is no such thing; --metrics: there are none",
		"--id x --no-such --topic -1": "no-such",
	} {
		err := newSample().Parse(Std{Tool: "sample", Err: new(strings.Builder)}, strings.Fields(args))
		assert.ErrorContains(t, err, want, args)
	}
}

func TestFlags_Parse_WarnsOfDeprecatedFlags(t *testing.T) {
	s, errs := newSample(), new(strings.Builder)
	require.NoError(t, s.Parse(Std{Tool: "sample", Err: errs}, []string{"--old.many", "a=1", "b=2", "--topic", "t"}))
	assert.Equal(t, "sample: --old.many is deprecated, use --many\n", errs.String())
	assert.Equal(t, []string{"a=1", "b=2"}, *s.older)
	assert.ErrorContains(t, s.Exclusive("old.many", "topic", "many"), "--old.many and --topic exclude each other")
	assert.NoError(t, s.Exclusive("old.many", "many"))
}

func TestFlags_Help(t *testing.T) {
	for _, args := range []string{"--help", "-h", "--topic t -help"} {
		out := new(strings.Builder)
		require.ErrorIs(t, newSample().Parse(Std{Out: out}, strings.Fields(args)), flag.ErrHelp)
		assert.Contains(t, out.String(), "usage: sample --topic TOPIC [flags]\n\nShows flags.\n\n")
		assert.Contains(t, out.String(), "\n  --codec [CODEC]\n        a CODEC\n")
		assert.Contains(t, out.String(), "\n  --many KEY=VALUE [KEY=VALUE ...]\n        KEY=VALUE\n")
		assert.Contains(t, out.String(), "\n  --metrics\n        print metrics (not supported: there are none)\n")
		assert.Contains(t, out.String(), "\n  --whole NUMBER\n        a NUMBER (default: 5)\n")
	}
}

func TestFlags_Table(t *testing.T) {
	assert.Equal(t, `codec	optional		
help	none		
id	one		
many	many		
metrics	none		
old.many	many		
on	none		
rate	one		
single	one		
text	one		t
topic	one	required	
whole	one		5
`, newSample().Table())
}

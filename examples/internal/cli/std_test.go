package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer"
)

// std_test.go owns the proof of what a tool says in the end.

func TestStd_JSON(t *testing.T) {
	out, errs := new(strings.Builder), new(strings.Builder)
	s := Std{Tool: "tool", Out: out, Err: errs}
	s.JSON(map[string]string{"a": "<&>\n"})
	s.JSON(math.NaN())
	assert.Equal(t, `{"a":"<&>\n"}`+"\n", out.String())
	assert.Equal(t, "tool: printing JSON: json: unsupported value: NaN\n", errs.String())
}

func TestStd_Tell(t *testing.T) {
	_, _, mistakes := producer.ParseConfig(map[string]string{"bootstrap.servers": "a:1", "linger.ms": "x", "acks": "2"})
	two := errors.Join(errors.New("one"), errors.New("two"))
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"one", errors.New("one"), "tool: one\n"},
		{"several", two, "tool: one\ntool: two\n"},
		{"several in one of several", errors.Join(two, errors.New("three")), "tool: one\ntool: two\ntool: three\n"},
		{"what one is because of", fmt.Errorf("zero: %w", errors.Join(errors.New("one"))), "tool: zero: one\n"},
		{"mistakes", mistakes, "tool: acks: \"2\" is none of all, -1, 0, 1\ntool: linger.ms: \"x\" is not a whole number of 64 bits\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := new(strings.Builder)
			Std{Tool: "tool", Err: errs}.Tell(c.err)
			assert.Equal(t, c.want, errs.String())
		})
	}
}

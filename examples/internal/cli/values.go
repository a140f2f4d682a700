package cli

import (
	"errors"
	"strconv"
	"strings"
)

// values.go owns the kinds of values that the standard library has no flags for.

// number is a number that may have no default.
type number[T int64 | float64] struct {
	value T
	text  string
}

// String implements flag.Value.
func (n *number[T]) String() string { return n.text }

// Set implements flag.Value.
func (n *number[T]) Set(s string) (err error) {
	what := "a number"
	switch v := any(&n.value).(type) {
	case *int64:
		what = "a whole number of 64 bits"
		*v, err = strconv.ParseInt(s, 10, 64)
	case *float64:
		*v, err = strconv.ParseFloat(s, 64)
	}
	if err != nil {
		return errors.New("not " + what)
	}
	n.text = s
	return nil
}

// list is all the values of a flag, in order.
type list []string

// String implements flag.Value.
func (l *list) String() string { return strings.Join(*l, " ") }

// Set implements flag.Value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// maybe is a value that may be left out where the flag is given.
type maybe struct{ bare, value string }

// String implements flag.Value.
func (m *maybe) String() string { return m.value }

// Set implements flag.Value.
func (m *maybe) Set(s string) error {
	if m.value = s; s == "" {
		m.value = m.bare
	}
	return nil
}

// refusal is a flag that cannot be used.
type refusal struct {
	f            *Flags
	name, reason string
	takesValue   bool
}

// String implements flag.Value.
func (*refusal) String() string { return "" }

// IsBoolFlag tells the standard library which flags take no value.
func (r *refusal) IsBoolFlag() bool { return !r.takesValue }

// Set implements flag.Value.
func (r *refusal) Set(s string) error {
	if r.takesValue || s != "false" {
		r.f.refused = append(r.f.refused, "--"+r.name+": "+r.reason)
	}
	return nil
}

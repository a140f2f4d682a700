// Package errcode owns the error codes that brokers put into responses.
//
// A [Code] is an error. Ask what to do about it by class, not by comparing codes, because clusters add codes over time:
//
//	if errors.Is(err, errcode.ErrRetriable) { … }
//
// A code answers for itself alone. What it means to a record also depends on whether the record was sent before, and to
// a producer on whether a transaction is open; the producer adds that to the errors it returns. Everything here is
// constant and may be used from any goroutine.
package errcode

import (
	"strconv"
	"strings"
)

// Code is an error code of the Kafka protocol. Zero, [None], stands for success: test for it before treating a Code as
// an error, or use [Code.Err].
//
// A number that is not among the constants came from a newer broker. It keeps its number, which texts show, and answers
// like [UnknownServerError] in every other way; errors.Is(c, UnknownServerError) is true.
type Code int16

const (
	first = UnknownServerError
	last  = ControllerIDNotRegistered
)

// Of is the code with that number; any number will do.
func Of(number int16) Code { return Code(number) }

// Known tells whether c is one of the constants.
func (c Code) Known() bool { return first <= c && c <= last }

// Err is c as an error, nil for [None].
func (c Code) Err() error {
	if c == None {
		return nil
	}
	return c
}

// Name is Kafka's name of the code, such as NOT_LEADER_OR_FOLLOWER; UNKNOWN_SERVER_ERROR if it is not known.
func (c Code) Name() string {
	name, _, _ := strings.Cut(c.text(), " ")
	return name
}

// String is the name, with the number if the code is not known: UNKNOWN_SERVER_ERROR(999).
func (c Code) String() string {
	if c.Known() {
		return c.Name()
	}
	return c.Name() + "(" + strconv.Itoa(int(c)) + ")"
}

// Error is the name and what it means, if there is more to say.
func (c Code) Error() string {
	_, meaning, ok := strings.Cut(c.text(), " ")
	switch {
	case !c.Known():
		return c.String() + ": a code that this client does not know"
	case !ok:
		return c.Name()
	default:
		return c.Name() + ": " + meaning
	}
}

// text is the line of texts for c.
func (c Code) text() string {
	if !c.Known() {
		c = UnknownServerError
	}
	line, rest := "", texts
	for range c - first + 1 {
		line, rest, _ = strings.Cut(rest, "\n")
	}
	return line
}

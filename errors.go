package producer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kafka-go-producer/producer/errcode"
)

// errors.go owns what the package's errors answer to. All of it is immutable.

// Classes: what a program can do about an error. Every error of this package, and every errcode.Code,
// answers them through errors.Is.
const (
	// ErrRetriable says that the same call may succeed later.
	ErrRetriable = errcode.ErrRetriable
	// ErrFatal says that the producer is of no more use; only Close is left.
	ErrFatal = errcode.ErrFatal
	// ErrMaybeWritten says that the record may be in the log, or may still get there. An error that
	// does not match it means that the record is surely not written.
	ErrMaybeWritten = errcode.ErrMaybeWritten
)

// Causes: what happened.
const (
	// ErrConfig is a Config that New refuses, or properties that ParseConfig or ReadProperties refuse; its
	// text names every field or key at fault.
	ErrConfig = errcode.Class("invalid configuration")
	// ErrClosed ends the records a closed producer did not deliver, and refuses new ones.
	ErrClosed = errcode.Class("producer closed")
	// ErrTimeout is a deadline of the Config that passed: MaxBlock or DeliveryTimeout.
	ErrTimeout = errcode.ErrTimeout
	// ErrBufferExhausted is MaxBlock passing without BufferMemory getting free. It is an ErrTimeout too.
	ErrBufferExhausted = errcode.Class("no buffer memory")
	// ErrRecordTooLarge is a record over MaxRequestSize or BufferMemory, or over the broker's limit.
	ErrRecordTooLarge = errcode.ErrRecordTooLarge
	// ErrInvalidRecord is a record that cannot be sent as it is: its partition, timestamp or content.
	ErrInvalidRecord = errcode.ErrInvalidRecord
	// ErrInvalidTopic is a topic name that Kafka does not allow.
	ErrInvalidTopic = errcode.ErrInvalidTopic
	// ErrSerialization is a serializer that returned an error or panicked.
	ErrSerialization = errcode.Class("serialization failed")
	// ErrAuthentication is a broker and this producer that did not accept each other.
	ErrAuthentication = errcode.ErrAuthentication
	// ErrInvalidState is a call that is not allowed where it was made: Flush or Close in a callback.
	ErrInvalidState = errcode.Class("call not allowed now")
)

// failure is the error of a call or a record: what was being done, why it ended, and whether the
// record may be written. It answers for the classes alone, whatever its cause would say about them:
// the time-out of a metadata request does not make a record that was never sent "maybe written".
// Hence Is and As, but no Unwrap.
type failure struct {
	kind         error // what errors.Is asks for; nil when the cause says it all
	what         string
	cause        error
	maybeWritten bool
}

// Error tells the whole story in one line.
func (f *failure) Error() string {
	parts := make([]string, 0, 3)
	if f.kind != nil {
		parts = append(parts, f.kind.Error())
	}
	parts = append(parts, f.what)
	if f.cause != nil {
		parts = append(parts, f.cause.Error())
	}
	s := strings.Join(parts, ": ")
	if f.maybeWritten {
		s += " (" + ErrMaybeWritten.Error() + ")"
	}
	return s
}

// Is answers errors.Is.
func (f *failure) Is(target error) bool {
	switch target {
	case ErrMaybeWritten:
		return f.maybeWritten
	case ErrRetriable:
		return f.retriable()
	case ErrTimeout:
		return f.kind == ErrTimeout || f.kind == ErrBufferExhausted || f.kind == nil && errors.Is(f.cause, ErrTimeout)
	case ErrFatal:
		return f.kind == ErrFatal || f.kind == nil && errors.Is(f.cause, ErrFatal)
	}
	return f.kind == target || errors.Is(f.cause, target)
}

func (f *failure) retriable() bool {
	switch f.kind {
	case nil:
		return errors.Is(f.cause, ErrRetriable)
	case ErrTimeout, ErrBufferExhausted, ErrAuthentication, ErrRetriable:
		return true
	}
	return false
}

// As answers errors.As with the cause, where a broker's errcode.Code or an operating system's error is.
func (f *failure) As(target any) bool { return errors.As(f.cause, target) }

func failed(kind error, format string, args ...any) *failure {
	return &failure{kind: kind, what: fmt.Sprintf(format, args...)}
}

// because returns f with a cause; a nil cause is fine.
func (f *failure) because(cause error) *failure {
	f.cause = cause
	return f
}

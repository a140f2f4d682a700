package errcode

// This file owns the classes, and which code answers to which. The lists follow the exception hierarchy of Kafka's own
// client, except where a comment says otherwise.

// Class is a kind of error, a target for errors.Is. Its text is the error message.
type Class string

// Error is the class in words.
func (c Class) Error() string { return string(c) }

// What to do about an error.
const (
	ErrRetriable    Class = "retriable"              // the same request may succeed later
	ErrAbortable    Class = "transaction must abort" // the transaction is lost, the producer is not
	ErrFatal        Class = "producer is unusable"   // nothing is left but to close it
	ErrMaybeWritten Class = "record may be written"  // without it, this answer means that the batch was not appended
)

// Whose fault it is.
const (
	ErrTimeout        Class = "timed out"
	ErrRecordTooLarge Class = "record too large"
	ErrInvalidRecord  Class = "invalid record"
	ErrInvalidTopic   Class = "invalid topic"
	ErrAuthentication Class = "authentication failed"
	ErrAuthorization  Class = "not authorized"
	ErrProducerFenced Class = "fenced by a newer producer"
)

// Is lets errors.Is match a code with a [Class], and a code that is not known with [UnknownServerError].
func (c Code) Is(target error) bool {
	switch target := target.(type) {
	case Class:
		return c.in(target)
	case Code:
		return target == UnknownServerError && !c.Known()
	default:
		return false
	}
}

func (c Code) in(class Class) bool {
	switch class {
	case ErrRetriable:
		return c.Retriable()
	case ErrAbortable:
		return c.Abortable()
	case ErrFatal:
		return c.Fatal()
	case ErrMaybeWritten:
		return c.MaybeWritten()
	case ErrTimeout:
		return c == RequestTimedOut
	case ErrRecordTooLarge:
		return c == MessageTooLarge || c == RecordListTooLarge
	case ErrInvalidRecord:
		return c == InvalidRecord || c == InvalidTimestamp // both blame single records of a batch
	case ErrInvalidTopic:
		return c == InvalidTopicException
	case ErrAuthentication:
		return c == SASLAuthenticationFailed || c == UnsupportedSASLMechanism || c == IllegalSASLState
	case ErrAuthorization:
		return c.authorization()
	case ErrProducerFenced:
		// INVALID_PRODUCER_EPOCH is the same only in answers to the transaction coordinator's requests; in a produce
		// response it ends a batch, not the producer.
		return c == ProducerFenced
	default:
		return false
	}
}

// Retriable tells whether the same request may succeed later. It does not ask whether sending it again could write a
// record twice.
func (c Code) Retriable() bool {
	switch c {
	case CorruptMessage, RequestTimedOut, NotEnoughReplicas, NotEnoughReplicasAfterAppend,
		CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator, ConcurrentTransactions,
		NotController, UnknownLeaderEpoch, OffsetNotAvailable, UnstableOffsetCommit, ThrottlingQuotaExceeded,
		FetchSessionIDNotFound, InvalidFetchSessionEpoch, FetchSessionTopicIDError,
		ShareSessionNotFound, InvalidShareSessionEpoch, ShareSessionLimitReached:
		return true
	default:
		return c.InvalidMetadata()
	}
}

// InvalidMetadata tells whether the client's view of the cluster is out of date, so that it must be fetched again before
// the request is. All such codes are retriable.
func (c Code) InvalidMetadata() bool {
	switch c {
	case UnknownTopicOrPartition, LeaderNotAvailable, NotLeaderOrFollower, ReplicaNotAvailable, NetworkException,
		KafkaStorageError, ListenerNotFound, FencedLeaderEpoch, PreferredLeaderNotAvailable,
		EligibleLeadersNotAvailable, ElectionNotNeeded, UnknownTopicID, InconsistentTopicID:
		return true
	default:
		return false
	}
}

// Abortable tells whether the code itself says that the transaction is lost and the producer is not. Within a
// transaction other codes can have that effect, depending on the request they answer; only the producer knows.
func (c Code) Abortable() bool {
	switch c {
	case TransactionAbortable, OperationNotAttempted, GroupAuthorizationFailed,
		// The consumer group moved on while its offsets were added to the transaction.
		IllegalGeneration, UnknownMemberID, FencedInstanceID, GroupIDNotFound, StaleMemberEpoch:
		return true
	default:
		return false
	}
}

// Fatal tells whether the producer that got the code cannot go on, whatever request it answers. There are two
// exceptions: after the two authorization codes InitProducerId may be tried again.
func (c Code) Fatal() bool {
	switch c {
	case ClusterAuthorizationFailed, TransactionalIDAuthorizationFailed, UnsupportedVersion,
		InvalidProducerIDMapping, ProducerFenced,
		// These answer requests of transactions only, and mean that a setting is wrong.
		OffsetMetadataTooLarge, InvalidGroupID, InvalidTransactionTimeout:
		return true
	default:
		return false
	}
}

// MaybeWritten tells whether the batch may be in the log, and may even be read by consumers, although a produce request
// was answered with this code. It is about that one answer: an earlier attempt may have been written all the same.
func (c Code) MaybeWritten() bool {
	switch c {
	case RequestTimedOut, // appended, but the replicas did not confirm in time
		NotEnoughReplicasAfterAppend, // appended, and the in-sync set shrank afterwards
		NetworkException,             // the response was lost, not necessarily the request
		UnknownServerError,           // whatever went wrong may have gone wrong after the append
		KafkaStorageError,            // the disk can fail after the append, and a follower may have copied it by then
		NotLeaderOrFollower,          // besides a refusal: with acks=all, leadership was lost while waiting for replicas
		DuplicateSequenceNumber:      // an earlier attempt was written
		return true
	default:
		return !c.Known()
	}
	// Not here: UNKNOWN_TOPIC_OR_PARTITION can come after an append too, but only when the topic, and the record with
	// it, has been deleted. All else is refused before the append: NOT_ENOUGH_REPLICAS, sizes, sequences, epochs,
	// authorization, the state of the transaction, and the checks of the batch itself.
}

func (c Code) authorization() bool {
	switch c {
	case TopicAuthorizationFailed, GroupAuthorizationFailed, ClusterAuthorizationFailed,
		TransactionalIDAuthorizationFailed, DelegationTokenAuthorizationFailed:
		return true
	default:
		return false
	}
}

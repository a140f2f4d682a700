package errcode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCode_AgreesWithKafkasTable(t *testing.T) {
	table := goldenTable()
	require.Len(t, table, 138)
	require.Equal(t, len(table), strings.Count(texts, "\n")+1, "lines of texts")
	for i, g := range table {
		t.Run(g.name, func(t *testing.T) {
			assert.Equal(t, i-1, int(g.number), "the table has no gaps")
			assert.Equal(t, g.number, int16(g.code))
			assert.Equal(t, g.code, Of(g.number))
			assert.True(t, g.code.Known())
			assert.Equal(t, g.name, g.code.Name())
			assert.Equal(t, g.name, g.code.String())
			assert.True(t, strings.HasPrefix(g.code.Error(), g.name), g.code.Error())
			assert.Equal(t, strings.Contains(g.marks, "r"), g.code.Retriable(), "retriable")
			assert.Equal(t, strings.Contains(g.marks, "i"), g.code.InvalidMetadata(), "invalidates metadata")
			assert.Equal(t, g.code.Retriable(), errors.Is(g.code, ErrRetriable))
			assert.Equal(t, g.code.Abortable(), errors.Is(g.code, ErrAbortable))
			assert.Equal(t, g.code.Fatal(), errors.Is(g.code, ErrFatal))
			assert.Equal(t, g.code.MaybeWritten(), errors.Is(g.code, ErrMaybeWritten))
		})
	}
}

func TestCode_Is_HasExactlyTheseMembers(t *testing.T) {
	for _, tc := range []struct {
		class   Class
		members []Code
	}{
		{ErrTimeout, []Code{RequestTimedOut}},
		{ErrRecordTooLarge, []Code{MessageTooLarge, RecordListTooLarge}},
		{ErrInvalidRecord, []Code{InvalidTimestamp, InvalidRecord}},
		{ErrInvalidTopic, []Code{InvalidTopicException}},
		{ErrAuthentication, []Code{UnsupportedSASLMechanism, IllegalSASLState, SASLAuthenticationFailed}},
		{ErrAuthorization, []Code{
			TopicAuthorizationFailed, GroupAuthorizationFailed, ClusterAuthorizationFailed,
			TransactionalIDAuthorizationFailed, DelegationTokenAuthorizationFailed,
		}},
		{ErrProducerFenced, []Code{ProducerFenced}},
		{ErrFatal, []Code{
			OffsetMetadataTooLarge, InvalidGroupID, ClusterAuthorizationFailed, UnsupportedVersion,
			InvalidProducerIDMapping, InvalidTransactionTimeout, TransactionalIDAuthorizationFailed, ProducerFenced,
		}},
		{ErrAbortable, []Code{
			IllegalGeneration, UnknownMemberID, GroupAuthorizationFailed, OperationNotAttempted, GroupIDNotFound,
			FencedInstanceID, StaleMemberEpoch, TransactionAbortable,
		}},
		{ErrMaybeWritten, []Code{
			UnknownServerError, NotLeaderOrFollower, RequestTimedOut, NetworkException, NotEnoughReplicasAfterAppend,
			DuplicateSequenceNumber, KafkaStorageError,
		}},
		{Class("somebody else's"), nil},
	} {
		t.Run(string(tc.class), func(t *testing.T) {
			var members []Code
			for _, g := range goldenTable() {
				if errors.Is(g.code, tc.class) {
					members = append(members, g.code)
				}
			}
			assert.Equal(t, tc.members, members)
		})
	}
}

func TestCode_ClassesDoNotContradict(t *testing.T) {
	for _, g := range goldenTable() {
		do := []bool{g.code.Retriable(), g.code.Abortable(), g.code.Fatal()}
		assert.LessOrEqual(t, len(slices.DeleteFunc(do, func(b bool) bool { return !b })), 1, g.name)
		if g.code.InvalidMetadata() {
			assert.True(t, g.code.Retriable(), g.name)
		}
	}
}

func TestCode_Unknown_KeepsItsNumber(t *testing.T) {
	for _, number := range []int16{-2, 137, 999, math.MaxInt16, math.MinInt16} {
		c := Of(number)
		assert.False(t, c.Known())
		assert.Equal(t, number, int16(c))
		assert.Equal(t, "UNKNOWN_SERVER_ERROR", c.Name())
		assert.Equal(t, fmt.Sprintf("UNKNOWN_SERVER_ERROR(%d)", number), c.String())
		assert.Contains(t, c.Error(), c.String())
		assert.ErrorIs(t, c, UnknownServerError)
		assert.ErrorIs(t, c, ErrMaybeWritten, "as for UNKNOWN_SERVER_ERROR")
		assert.NotErrorIs(t, c, ErrRetriable)
	}
	assert.NotErrorIs(t, InvalidRequest, UnknownServerError)
}

func TestCode_Error(t *testing.T) {
	for _, tc := range []struct {
		code Code
		want string
	}{
		{None, "NONE"},
		{MessageTooLarge, "MESSAGE_TOO_LARGE: the batch is larger than the topic's max.message.bytes"},
		{SnapshotNotFound, "SNAPSHOT_NOT_FOUND"},
		{1000, "UNKNOWN_SERVER_ERROR(1000): a code that this client does not know"},
	} {
		assert.Equal(t, tc.want, tc.code.Error())
	}
}

func TestCode_Is_SeesThroughWrapping(t *testing.T) {
	err := fmt.Errorf("produce to t-0: %w", NotLeaderOrFollower)
	assert.ErrorIs(t, err, ErrRetriable)
	assert.ErrorIs(t, err, NotLeaderOrFollower)
	assert.NotErrorIs(t, err, ErrFatal)
	assert.NotErrorIs(t, err, errors.New("retriable"))

	var code Code
	require.ErrorAs(t, err, &code)
	assert.Equal(t, NotLeaderOrFollower, code)
}

func TestCode_Err(t *testing.T) {
	assert.NoError(t, None.Err())
	assert.Equal(t, ProducerFenced, ProducerFenced.Err())
}

package protocol

import (
	"fmt"
	"testing"
)

func TestInitProducerIDRequest_Bytes(t *testing.T) {
	full := sampleOf(&InitProducerIDRequest{}).(*InitProducerIDRequest)
	plain := &InitProducerIDRequest{TransactionTimeoutMs: 60000, ProducerID: -1, ProducerEpoch: -1}
	noID := *full
	noID.ProducerID, noID.ProducerEpoch = -1, -1
	for _, tc := range []struct {
		version    int16
		wire       string
		send, want *InitProducerIDRequest
	}{
		{0, `0002 7478 0000ea60`, full, &noID},
		{1, `ffff 0000ea60`, plain, plain},
		{2, `03 7478 0000ea60 00`, full, &noID},
		{3, `00 0000ea60 ffffffffffffffff ffff 00`, plain, plain},
		{5, `03 7478 0000ea60 00000000000003e9 0003 00`, full, full},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			checkBytes(t, tc.version, tc.wire, tc.send, tc.want)
		})
	}
}

func TestInitProducerIDResponse_Bytes(t *testing.T) {
	r := sampleOf(&InitProducerIDResponse{}).(*InitProducerIDResponse)
	for _, tc := range []struct {
		version int16
		wire    string
	}{
		{0, `00000007 005a 00000000000003e9 0004`},
		{1, `00000007 005a 00000000000003e9 0004`},
		{2, `00000007 005a 00000000000003e9 0004 00`},
		{5, `00000007 005a 00000000000003e9 0004 00`},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			checkBytes(t, tc.version, tc.wire, r, r)
		})
	}
}

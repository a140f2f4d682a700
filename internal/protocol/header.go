package protocol

// This file owns what stands between the size of a frame and its body: the headers of requests and responses. Frames
// here are without their four bytes of size.

import "fmt"

// AppendRequestHeader appends a request header: version 1, or for flexible versions version 2, which adds tagged
// fields. The client id keeps the old string form in both, so that any broker can read it; an empty one is sent as null.
func AppendRequestHeader(dst []byte, key Key, version int16, correlationID int32, clientID string) []byte {
	c := coder{buf: dst}
	id := NullString{Value: clientID, Valid: clientID != ""}
	walkRequestHeader(&c, &key, &version, &correlationID, &id)
	return c.buf
}

// ReadRequestHeader is the broker's side of AppendRequestHeader. The body aliases frame. If the API is one this client
// does not speak, its header cannot be told from its body: key, version and correlationID are returned with the error.
func ReadRequestHeader(frame []byte) (key Key, version int16, correlationID int32, clientID string, body []byte, err error) {
	c := coder{buf: frame, end: len(frame), decoding: true}
	var id NullString
	walkRequestHeader(&c, &key, &version, &correlationID, &id)
	if c.fault != "" {
		return key, version, correlationID, id.Value, nil, fmt.Errorf("request header: %w: %s", ErrMalformed, c.fault)
	}
	if key.FlexibleFrom() < 0 {
		return key, version, correlationID, id.Value, nil, fmt.Errorf("request header: %w: %v is not spoken", ErrMalformed, key)
	}
	return key, version, correlationID, id.Value, frame[c.pos:], nil
}

func walkRequestHeader(c *coder, key *Key, version *int16, correlationID *int32, clientID *NullString) {
	c.int16((*int16)(key))
	c.int16(version)
	c.int32(correlationID)
	c.nullString(clientID, true)
	c.flexible = key.Flexible(*version)
	c.noTags()
}

// AppendResponseHeader is the broker's side of ReadResponseHeader.
func AppendResponseHeader(dst []byte, key Key, version int16, correlationID int32) []byte {
	c := coder{buf: dst, flexible: flexibleResponseHeader(key, version)}
	c.int32(&correlationID)
	c.noTags()
	return c.buf
}

// ReadResponseHeader reads the header of the response to a request of that API and version: version 0, or for flexible
// versions version 1, which adds tagged fields. The body aliases frame.
func ReadResponseHeader(frame []byte, key Key, version int16) (correlationID int32, body []byte, err error) {
	c := coder{buf: frame, end: len(frame), decoding: true, flexible: flexibleResponseHeader(key, version)}
	c.int32(&correlationID)
	c.noTags()
	if c.fault != "" {
		return correlationID, nil, fmt.Errorf("response header of %v version %d: %w: %s", key, version, ErrMalformed, c.fault)
	}
	return correlationID, frame[c.pos:], nil
}

// flexibleResponseHeader: ApiVersions always answers with header version 0, because the client cannot know yet which
// versions the broker understood (KIP-511).
func flexibleResponseHeader(key Key, version int16) bool {
	return key != ApiVersions && key.Flexible(version)
}

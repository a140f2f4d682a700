package network

// This file owns the greeting of a new connection: ApiVersions, from the newest version down. It runs on the
// connection's run goroutine; its result is read by the Client.

import (
	"fmt"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

const (
	newestHello = 5 // ApiVersions version to begin with
	plainHello  = 3 // where to go when a broker hangs up on a newer one

	softwareName = "kafka-go-producer"
)

// hello is what a broker tells about itself.
type hello struct {
	protocol.ApiVersionsResponse
	version     int16 // of ApiVersions, the one that worked
	correlation int32 // the connection's next correlation id
}

// choose intersects the broker's versions with the caller's.
func (h *hello) choose(key protocol.Key, low, high int16) (int16, error) {
	brokerLow, brokerHigh, ok := h.Range(key)
	if !ok {
		return 0, fmt.Errorf("the broker does not have this API; this client speaks %d to %d", low, high)
	}
	version := min(brokerHigh, high)
	if version < max(brokerLow, low) {
		return 0, fmt.Errorf("no common version: the broker speaks %d to %d, this client %d to %d",
			brokerLow, brokerHigh, low, high)
	}
	return version, nil
}

// lowerHello is the version to try after a broker hung up during version v. After the lowest it starts over, since
// then it was not the version that the broker minded.
func lowerHello(v int16) int16 {
	switch {
	case v > plainHello:
		return plainHello
	case v > 0:
		return 0
	default:
		return newestHello
	}
}

// greet asks for the broker's versions. A broker that does not know the version of the question says so in version 0
// and may name its newest; each further question is in a lower version, so there are few. On false the connection has
// ended.
func (c *conn) greet() bool {
	version := c.firstAsk
	for {
		if err := c.ask(version); err != nil {
			if isHangUp(err) && c.endedBy() == nil {
				c.resetAt = version
			}
			c.end(c.greetError(version, err))
			return false
		}
		switch code := c.hello.ErrorCode; {
		case code == errcode.None:
			c.hello.version = version
			return true
		case code == errcode.UnsupportedVersion && version > 0:
			version = c.hello.suggested(version)
		default:
			e := networkError(c.node, fmt.Errorf("the broker does not tell its versions: %w", code))
			e.API = apiName(protocol.ApiVersions, version)
			if code == errcode.UnsupportedVersion {
				e.Class = code
			}
			c.end(e)
			return false
		}
	}
}

// suggested is the newest version of ApiVersions that the broker lists, or 0 if that is not below the one asked in.
func (h *hello) suggested(asked int16) int16 {
	if _, newest, ok := h.Range(protocol.ApiVersions); ok && newest >= 0 && newest < asked {
		return newest
	}
	return 0
}

// ask sends one ApiVersions request and reads the response into hello.
func (c *conn) ask(version int16) error {
	if c.cfg.RequestTimeout > 0 {
		if err := c.stream.SetDeadline(time.Now().Add(c.cfg.RequestTimeout)); err != nil {
			return err
		}
	}
	question := protocol.ApiVersionsRequest{
		ClientSoftwareName:    softwareName,
		ClientSoftwareVersion: c.cfg.SoftwareVersion,
		ClusterID:             c.cluster,
		NodeID:                -1,
	}
	if c.cluster.Valid {
		question.NodeID = c.node.ID
	}
	r := Request{
		Key:     protocol.ApiVersions,
		Version: version,
		Body:    [][]byte{protocol.Append(nil, &question, version)},
	}
	r.encode(c.cfg.ClientID, c.hello.correlation)
	c.hello.correlation++
	if err := newFrameWriter(c.stream).write(&r); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	frame, err := c.frames.next()
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	defer c.bodies.put(frame)
	correlation, body, err := protocol.ReadResponseHeader(frame, r.Key, r.Version)
	if err != nil {
		return err
	}
	if correlation != r.correlation {
		return mismatch(correlation, r.correlation)
	}
	if err := protocol.DecodeApiVersions(body, version, &c.hello.ApiVersionsResponse); err != nil {
		return err
	}
	return c.stream.SetDeadline(time.Time{})
}

// mismatch is the cause of a response that answers another question.
func mismatch(got, want int32) error {
	return fmt.Errorf("a response with correlation id %d came where %d was due", got, want)
}

// greetError is the end of a connection during ApiVersions.
func (c *conn) greetError(version int16, err error) *Error {
	if isHangUp(err) && c.cfg.TLS == nil {
		err = fmt.Errorf("the broker hung up (a listener that wants TLS does this to plaintext clients): %w", err)
	}
	e := setupError(c.node, c.cfg.RequestTimeout, err)
	e.API = apiName(protocol.ApiVersions, version)
	return e
}

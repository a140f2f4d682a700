package network_test

// This file owns the tests that need real sockets, on loopback: whether a request allocates, and vectored writes, can
// only be seen there; so can a TLS server that refuses while the client already sends, which a pipe without a buffer
// would block.

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// listen serves every connection to a port of its own with a function, until the test ends.
func listen(t testing.TB, serve func(net.Conn)) network.Node {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	host, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	return network.Node{ID: 1, Host: host, Port: int32(number)}
}

// echo greets, then answers every request with its own body, and allocates nothing for it.
func echo(conn net.Conn) {
	buf := make([]byte, 8<<20)
	for {
		if _, err := io.ReadFull(conn, buf[:4]); err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(buf))
		if _, err := io.ReadFull(conn, buf[4:4+n]); err != nil {
			return
		}
		var out []byte
		if protocol.Key(binary.BigEndian.Uint16(buf[4:])) == protocol.ApiVersions {
			out = greeting(buf[4 : 4+n])
		} else {
			const header = 4 + 8 + 2 + 4 + 1 // up to the client id "test" and no tags
			out = buf[header-9 : 4+n]        // over the header of the request: a size, a correlation id, no tags
			copy(out[4:8], buf[8:12])
			binary.BigEndian.PutUint32(out, uint32(len(out)-4))
			out[8] = 0
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// greeting answers ApiVersions.
func greeting(frame []byte) []byte {
	_, version, correlation, _, _, err := protocol.ReadRequestHeader(frame)
	if err != nil {
		return nil
	}
	out := protocol.AppendResponseHeader(make([]byte, 4), protocol.ApiVersions, version, correlation)
	out = protocol.Append(out, &protocol.ApiVersionsResponse{FinalizedFeaturesEpoch: -1}, version)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}

// pieces cuts a pattern into vectors of many sizes.
func pieces(n int) (whole []byte, vectors [][]byte) {
	whole = make([]byte, n)
	for i := range whole {
		whole[i] = byte(i ^ i>>8)
	}
	rest := whole
	for size := 1; len(rest) > 0; size = size*3%70001 + 1 {
		k := min(size, len(rest))
		vectors = append(vectors, rest[:k])
		rest = rest[k:]
	}
	return whole, vectors
}

func TestClient_OverTCP_VectoredWritesArriveWhole(t *testing.T) {
	d := newDriver(t, settings(), listen(t, echo))
	d.connect(1)
	for _, n := range []int{0, 1, 1000, 100_000, 5 << 20} {
		whole, vectors := pieces(n)
		for range 3 {
			d.send(1, &network.Request{Key: protocol.Produce, Version: 9, Body: vectors})
		}
		for range 3 {
			e := d.await(network.Response)
			assert.True(t, bytes.Equal(whole, e.Body), "%d bytes in %d pieces", n, len(vectors))
			d.Recycle(e.Body)
		}
	}
}

func TestClient_OverTCP_RoundTripAllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the race detector allocates")
	}
	d := newDriver(t, settings(), listen(t, echo))
	d.connect(1)
	_, vectors := pieces(20_000)
	r := &network.Request{Key: protocol.Produce, Version: 9, Body: vectors}
	roundTrip := func() {
		now := time.Now()
		if err := d.Send(1, r, now); err != nil {
			panic(err)
		}
		for ended := false; !ended; {
			for _, e := range d.Handle(<-d.Signals(), now) {
				ended = e.Kind == network.Response
				d.Recycle(e.Body)
			}
		}
		d.Tick(now)
	}
	assert.Zero(t, testing.AllocsPerRun(2000, roundTrip), "client and echo server together")
}

func TestClient_OverTCP_RequestsWithoutResponseAllocateNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the race detector allocates")
	}
	d := newDriver(t, settings(), listen(t, func(conn net.Conn) {
		first := make([]byte, 1024)
		n, err := conn.Read(first)
		if err != nil {
			return
		}
		_, _ = conn.Write(greeting(first[4:n]))
		silence(conn)
	}))
	d.connect(1)
	_, vectors := pieces(20_000)
	r := &network.Request{Key: protocol.Produce, Version: 9, Body: vectors, NoResponse: true}
	assert.Zero(t, testing.AllocsPerRun(2000, func() {
		now := time.Now()
		if err := d.Send(1, r, now); err != nil {
			panic(err)
		}
		if e := d.Handle(<-d.Signals(), now)[0]; e.Kind != network.Written {
			panic(e.Err)
		}
	}))
}

func BenchmarkClient_OverTCP_RoundTrip(b *testing.B) {
	c := network.NewClient(settings())
	c.SetNodes([]network.Node{listen(b, echo)})
	b.Cleanup(c.Close)
	for !c.Ready(1, time.Now()) {
		c.Handle(<-c.Signals(), time.Now())
	}
	_, vectors := pieces(1000)
	r := &network.Request{Key: protocol.Produce, Version: 9, Body: vectors}
	b.ReportAllocs()
	for b.Loop() {
		now := time.Now()
		if err := c.Send(1, r, now); err != nil {
			b.Fatal(err)
		}
		c.Recycle(c.Handle(<-c.Signals(), now)[0].Body)
	}
}

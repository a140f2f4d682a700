//go:build unix

package network_test

import (
	"context"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/network"
)

func TestClient_OverTCP_SocketOptions(t *testing.T) { // I27
	cfg := settings()
	cfg.SendBuffer, cfg.ReceiveBuffer = 32<<10, 16<<10
	dialer := &net.Dialer{}
	var dialled net.Conn
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		dialled = conn
		return conn, err
	}
	d := newDriver(t, cfg, listen(t, echo))
	d.connect(1)
	assert.Equal(t, 1, min(1, option(t, dialled, syscall.IPPROTO_TCP, syscall.TCP_NODELAY)))
	assert.Equal(t, 1, min(1, option(t, dialled, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)))
	send := option(t, dialled, syscall.SOL_SOCKET, syscall.SO_SNDBUF)
	receive := option(t, dialled, syscall.SOL_SOCKET, syscall.SO_RCVBUF)
	assert.GreaterOrEqual(t, send, 32<<10)
	assert.GreaterOrEqual(t, receive, 16<<10)
	assert.LessOrEqual(t, send, 2*32<<10, "some systems double it")
	assert.LessOrEqual(t, receive, 2*16<<10)
}

func TestClient_OverTCP_DefaultDialerConnects(t *testing.T) {
	d := newDriver(t, settings(), listen(t, echo))
	d.connect(1)
	d.send(1, &network.Request{Key: 0, Version: 9})
	d.await(network.Response)
}

// option reads a socket option.
func option(t *testing.T, conn net.Conn, level, name int) int {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	var value int
	require.NoError(t, raw.Control(func(fd uintptr) {
		value, err = syscall.GetsockoptInt(int(fd), level, name)
	}))
	require.NoError(t, err)
	return value
}

//go:build linux || darwin

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// socket.go owns a blocking IPv4 socket, which spares the floor Go's poller.

type socket int

func dial(address string) (socket, error) {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return 0, fmt.Errorf("dialing: %w", err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, fmt.Errorf("dialing: %w", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}); err != nil {
		return 0, fmt.Errorf("dialing %s: %w", address, err)
	}
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
		return 0, fmt.Errorf("dialing %s: %w", address, err)
	}
	return socket(fd), nil
}

// Read implements io.Reader.
func (s socket) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(s), p)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements io.Writer.
func (s socket) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(int(s), p[written:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

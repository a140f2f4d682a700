package network

// This file owns how frames come off a connection: their size, their bounds, and the memory they are read into. A
// frameReader belongs to the connection's reading goroutine; bodyList may be used from anywhere.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	frameSizeBytes = 4
	maxFrame       = 256 << 20 // bytes; beyond it, it is not a response but something else
	frameAhead     = 64 << 10  // bytes of memory taken before anything of a frame has arrived
	readBuffer     = 8 << 10   // bytes; most responses are far smaller, so one system call reads all of one

	smallestBody = 512        // bytes
	keptBodies   = 16         // bodies kept for reuse
	maxKeptBody  = frameAhead // bytes; larger ones are left to the garbage collector
)

// putSize writes a frame's size into its first four bytes.
func putSize(frame []byte, size int) {
	binary.BigEndian.PutUint32(frame, uint32(size))
}

// frameReader cuts a stream into frames.
type frameReader struct {
	in     *bufio.Reader
	bodies bodyList
	size   [frameSizeBytes]byte
}

func newFrameReader(stream io.Reader, bodies bodyList) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(stream, readBuffer), bodies: bodies}
}

// next blocks for the next frame and returns what follows its size. Memory grows with what has arrived: a size that
// lies costs at most frameAhead, or as much again as did arrive.
func (f *frameReader) next() ([]byte, error) {
	if _, err := io.ReadFull(f.in, f.size[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(f.size[:])
	if size > maxFrame {
		return nil, oversize(f.size)
	}
	n := int(size)
	frame := f.bodies.take()
	for len(frame) < n {
		step := min(n-len(frame), max(cap(frame)-len(frame), frameAhead, len(frame)))
		have := len(frame)
		frame = extend(frame, step)
		if _, err := io.ReadFull(f.in, frame[have:]); err != nil {
			return nil, midFrame(err)
		}
	}
	return frame, nil
}

// extend makes b longer by n bytes. If it has to move, it gets no room beyond them, but for small ones.
func extend(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	longer := make([]byte, len(b)+n, max(len(b)+n, smallestBody))
	copy(longer, b)
	return longer
}

// midFrame says that an end of the stream inside a frame is not an orderly one.
func midFrame(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// oversize explains a size no response has. The usual reason is that the other side speaks another protocol.
func oversize(size [frameSizeBytes]byte) error {
	switch {
	case (size[0] == 0x15 || size[0] == 0x16) && size[1] == 3 && size[2] <= 4:
		return reason("the answer looks like TLS: the listener wants TLS and this client is configured for plaintext")
	case string(size[:]) == "HTTP":
		return reason("the answer looks like HTTP: this is not the port of a Kafka listener")
	default:
		return fmt.Errorf("a frame of %d bytes was announced: the other side does not speak Kafka, or the stream is damaged",
			int32(binary.BigEndian.Uint32(size[:])))
	}
}

// bodyList is a small bounded stock of response bodies.
type bodyList chan []byte

// take returns an empty slice, with room when there is a used one.
func (l bodyList) take() []byte {
	select {
	case b := <-l:
		return b[:0]
	default:
		return nil
	}
}

// put keeps b for the next take, unless it is too large or there are enough.
func (l bodyList) put(b []byte) {
	if cap(b) == 0 || cap(b) > maxKeptBody {
		return
	}
	select {
	case l <- b:
	default:
	}
}

package network

// This file owns how a request's pieces reach the connection. A frameWriter belongs to the connection's writing
// goroutine.

import "net"

const gatherBuffer = 16 << 10 // bytes: one TLS record

// frameWriter writes requests without a copy where the system can gather pieces, and with as few writes as TLS records
// elsewhere.
type frameWriter struct {
	stream   net.Conn
	vectored *net.TCPConn // the stream when it is TCP; nil otherwise
	buffer   []byte       // of gatherBuffer when it is not
}

func newFrameWriter(stream net.Conn) *frameWriter {
	w := &frameWriter{stream: stream}
	if tcp, ok := stream.(*net.TCPConn); ok {
		w.vectored = tcp
	} else {
		w.buffer = make([]byte, 0, gatherBuffer)
	}
	return w
}

// write blocks until the request is handed to the system whole, or the connection is closed. Stalled writes have no
// deadline of their own: the Client closes the connection at the deadline of the request, which throttling may move.
func (w *frameWriter) write(r *Request) error {
	if w.vectored != nil {
		_, err := r.wire.WriteTo(w.vectored)
		return err
	}
	for _, piece := range r.pieces {
		if err := w.gather(piece); err != nil {
			return err
		}
	}
	return w.flush()
}

// gather adds a piece to the buffer and empties it when full. What fills a buffer by itself is written in place.
func (w *frameWriter) gather(piece []byte) error {
	for len(piece) > 0 {
		if len(w.buffer) == 0 && len(piece) >= gatherBuffer {
			if _, err := w.stream.Write(piece[:gatherBuffer]); err != nil {
				return err
			}
			piece = piece[gatherBuffer:]
			continue
		}
		n := min(len(piece), gatherBuffer-len(w.buffer))
		w.buffer = append(w.buffer, piece[:n]...)
		piece = piece[n:]
		if len(w.buffer) == gatherBuffer {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what was gathered.
func (w *frameWriter) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	_, err := w.stream.Write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

package sink

import (
	"encoding/binary"
	"net"
	"time"
)

// conn.go owns one connection: frames in, responses out, in order. Only the connection's goroutine touches it.

const (
	readBuffer = 4 << 20 // bytes; a frame that is larger gets a buffer of its own size
	readRoom   = 1 << 20 // bytes of free buffer below which what is unread moves to its front
	maxFrame   = 200 << 20
)

// responder writes responses, at once or later.
type responder struct {
	conn    net.Conn
	delay   time.Duration
	waiting chan delayed // nil: at once
}

type delayed struct {
	at time.Time
	b  []byte
}

// write sends b, whose memory is the caller's again afterwards.
func (r *responder) write(b []byte) error {
	if r.waiting != nil {
		r.waiting <- delayed{time.Now().Add(r.delay), append([]byte(nil), b...)}
		return nil
	}
	_, err := r.conn.Write(b)
	return err
}

// run writes what waits, each when it is due. After an error it writes nothing, and reads on until it is told to end.
func (r *responder) run() {
	var failed error
	for d := range r.waiting {
		time.Sleep(time.Until(d.at))
		if failed == nil {
			_, failed = r.conn.Write(d.b)
		}
	}
}

func (s *Server) serve(c net.Conn) {
	defer s.forget(c)
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(readBuffer)
	}
	out := &responder{conn: c, delay: s.cfg.Delay}
	if out.delay > 0 {
		out.waiting = make(chan delayed, 1024)
		s.running.Go(out.run)
		defer close(out.waiting)
	}
	var answers []byte
	in := &frames{buf: make([]byte, readBuffer)}
	for {
		n, err := c.Read(in.buf[in.end:])
		if n == 0 && err != nil {
			return
		}
		in.end += n
		answers = answers[:0]
		for frame := in.next(); frame != nil; frame = in.next() {
			if answers, err = s.answer(answers, frame); err != nil {
				s.problem(&s.count.badRequests, "%v: %v", c.RemoteAddr(), err)
				return
			}
		}
		if in.tooLarge {
			s.problem(&s.count.badRequests, "%v: a request of more than %d bytes", c.RemoteAddr(), maxFrame)
			return
		}
		in.makeRoom()
		if len(answers) > 0 && out.write(answers) != nil {
			return
		}
	}
}

// frames cuts what was read into requests. Unread bytes are buf[start:end].
type frames struct {
	buf        []byte
	start, end int
	tooLarge   bool
}

// next is the next whole request without its length, valid until makeRoom; nil if it is not there yet.
func (f *frames) next() []byte {
	if f.end-f.start < 4 {
		return nil
	}
	size := int(binary.BigEndian.Uint32(f.buf[f.start:]))
	if size > maxFrame {
		f.tooLarge = true
		return nil
	}
	if f.end-f.start < 4+size {
		return nil
	}
	frame := f.buf[f.start+4 : f.start+4+size]
	f.start += 4 + size
	return frame
}

// makeRoom is called when no whole frame is left.
func (f *frames) makeRoom() {
	unread := f.buf[f.start:f.end]
	switch {
	case len(unread) == 0:
		f.start, f.end = 0, 0
	case len(unread) >= 4 && 4+int(binary.BigEndian.Uint32(unread)) > len(f.buf):
		buf := make([]byte, 4+int(binary.BigEndian.Uint32(unread))+readRoom)
		f.start, f.end = 0, copy(buf, unread)
		f.buf = buf
	case len(f.buf)-f.end < readRoom:
		f.start, f.end = 0, copy(f.buf, unread)
	}
}

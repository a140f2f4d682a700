package network

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// framed puts sizes in front of bodies.
func framed(bodies ...[]byte) []byte {
	var stream []byte
	for _, b := range bodies {
		stream = binary.BigEndian.AppendUint32(stream, uint32(len(b)))
		stream = append(stream, b...)
	}
	return stream
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

func TestFrameReader_Next_CutsTheStream(t *testing.T) {
	sizes := []int{0, 1, 4, 511, 513, readBuffer, frameAhead - 1, frameAhead, frameAhead + 1, 3*frameAhead + 5}
	var bodies [][]byte
	for _, n := range sizes {
		bodies = append(bodies, pattern(n))
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":    func(r io.Reader) io.Reader { return r },
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data+EOF": iotest.DataErrReader,
	}
	for name, wrap := range readers {
		t.Run(name, func(t *testing.T) {
			list := make(bodyList, keptBodies)
			f := newFrameReader(wrap(bytes.NewReader(framed(bodies...))), list)
			for i, want := range bodies {
				got, err := f.next()
				require.NoError(t, err)
				assert.Equal(t, len(want), len(got), "frame %d", i)
				assert.True(t, bytes.Equal(want, got), "frame %d", i)
				list.put(got)
			}
			_, err := f.next()
			assert.Equal(t, io.EOF, err)
		})
	}
}

func TestFrameReader_Next_EndInsideAFrame(t *testing.T) {
	whole := framed(pattern(2 * frameAhead))
	for _, n := range []int{1, 3, 4, 5, frameAhead + 4, len(whole) - 1} {
		f := newFrameReader(bytes.NewReader(whole[:n]), make(bodyList, 1))
		_, err := f.next()
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "after %d bytes", n)
	}
}

func TestFrameReader_Next_TakesMemoryAsBytesArrive(t *testing.T) { // I9: a size that lies
	allocated := func(arrived int) uint64 {
		stream := append([]byte{0x0f, 0xff, 0xff, 0xff}, make([]byte, arrived)...)
		f := newFrameReader(bytes.NewReader(stream), make(bodyList, 1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := f.next()
		runtime.ReadMemStats(&after)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, allocated(0), uint64(2*frameAhead), "256 MiB were announced")
	assert.Less(t, allocated(1<<20), uint64(5<<20), "all steps together")
}

func TestBodyList_KeepsWhatIsWorthKeeping(t *testing.T) {
	list := make(bodyList, 2)
	list.put(nil)
	list.put(make([]byte, maxKeptBody+1))
	assert.Empty(t, list)
	for range 5 {
		list.put(make([]byte, 100))
	}
	assert.Len(t, list, 2)
	got := list.take()
	assert.Empty(t, got)
	assert.Equal(t, 100, cap(got))
	list.take()
	assert.Nil(t, list.take())
}

func FuzzFrameReader(f *testing.F) {
	f.Add(framed([]byte("abc"), nil, pattern(600)))
	f.Add([]byte("HTTP/1.1 400"))
	f.Add([]byte{0x15, 3, 3, 0, 2, 2, 40})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, stream []byte) {
		reader := newFrameReader(bytes.NewReader(stream), make(bodyList, 1))
		rest := stream
		for {
			frame, err := reader.next()
			if err != nil {
				return
			}
			if !bytes.Equal(frame, rest[4:4+len(frame)]) {
				t.Fatal("not what was in the stream")
			}
			rest = rest[4+len(frame):]
		}
	})
}

// recorder is a net.Conn that keeps what is written, and fails at a limit.
type recorder struct {
	net.Conn
	writes [][]byte
	limit  int // writes
}

func (r *recorder) Write(p []byte) (int, error) {
	if len(r.writes) == r.limit {
		return 0, errFull
	}
	r.writes = append(r.writes, bytes.Clone(p))
	return len(p), nil
}

var errFull = errors.New("full")

func TestFrameWriter_Write_GathersPieces(t *testing.T) {
	sizes := func(n ...int) []int { return n }
	const head = 4 + 8 + 2 + 1 + 1 // size, header v2 with the client id "x", tags
	tests := []struct {
		name   string
		pieces []int
		want   []int // sizes of writes
	}{
		{"header only", nil, sizes(head)},
		{"small pieces", sizes(10, 0, 20), sizes(head + 30)},
		{"fills one", sizes(gatherBuffer - head), sizes(gatherBuffer)},
		{"one more", sizes(gatherBuffer - head + 1), sizes(gatherBuffer, 1)},
		{"large pieces in place", sizes(gatherBuffer-head, 2*gatherBuffer+5), sizes(gatherBuffer, gatherBuffer, gatherBuffer, 5)},
		{"many", sizes(9000, 9000, 9000, 9000), sizes(gatherBuffer, gatherBuffer, head+36000-2*gatherBuffer)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Request{Key: protocol.Produce, Version: 9}
			var body []byte
			for _, n := range tt.pieces {
				r.Body = append(r.Body, pattern(n))
				body = append(body, pattern(n)...)
			}
			r.encode("x", 77)
			for fails := range len(tt.want) {
				out := &recorder{limit: fails}
				require.ErrorIs(t, newFrameWriter(out).write(r), errFull)
			}
			out := &recorder{limit: -1}
			require.NoError(t, newFrameWriter(out).write(r))
			var got []int
			for _, w := range out.writes {
				got = append(got, len(w))
			}
			assert.Equal(t, tt.want, got)
			stream := bytes.Join(out.writes, nil)
			assert.Equal(t, r.size, len(stream))
			assert.EqualValues(t, len(stream)-4, binary.BigEndian.Uint32(stream))
			assert.True(t, bytes.Equal(body, stream[head:]))
		})
	}
}

func TestRequest_Release_ForgetsTheCallersMemory(t *testing.T) {
	r := &Request{Key: protocol.Produce, Version: 9, Body: [][]byte{pattern(10), pattern(20)}}
	r.encode("x", 1)
	r.release()
	for _, piece := range r.pieces[:cap(r.pieces)] {
		assert.Nil(t, piece)
	}
}

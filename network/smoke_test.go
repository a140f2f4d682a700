package network

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(Config{MaxInFlight: 5, RequestTimeout: time.Second, Dial: func(context.Context, string, string) (net.Conn, error) {
			a, b := net.Pipe()
			go func() {
				for {
					var size [4]byte
					if _, err := io.ReadFull(b, size[:]); err != nil {
						return
					}
					frame := make([]byte, binary.BigEndian.Uint32(size[:]))
					io.ReadFull(b, frame)
					key, v, corr, _, _, err := protocol.ReadRequestHeader(frame)
					if err != nil {
						return
					}
					out := protocol.AppendResponseHeader(make([]byte, 4), key, v, corr)
					if key == protocol.ApiVersions {
						out = protocol.Append(out, &protocol.ApiVersionsResponse{APIKeys: []protocol.APIVersionRange{{Key: 0, MinVersion: 3, MaxVersion: 11}}}, v)
					} else if key == protocol.InitProducerID {
						continue
					}
					binary.BigEndian.PutUint32(out, uint32(len(out)-4))
					b.Write(out)
				}
			}()
			return a, nil
		}})
		c.SetNodes([]Node{{ID: 1, Host: "b1", Port: 9092}})
		require.False(t, c.Ready(1, time.Now()))
		t.Log(c.Handle(<-c.Signals(), time.Now()))
		require.True(t, c.Ready(1, time.Now()))
		v, err := c.Version(1, 0, 3, 13)
		require.NoError(t, err)
		_, err = c.Version(1, 3, 3, 13)
		t.Log(v, err)
		require.NoError(t, c.Send(1, &Request{Key: 0, Version: v, Body: [][]byte{[]byte("abc")}}, time.Now()))
		t.Log(c.Handle(<-c.Signals(), time.Now()))
		require.NoError(t, c.Send(1, &Request{Key: 22, Version: 4, Body: [][]byte{[]byte("abc")}}, time.Now()))
		next := c.Tick(time.Now())
		time.Sleep(time.Until(next))
		c.Tick(time.Now())
		for _, e := range c.Handle(<-c.Signals(), time.Now()) {
			t.Log(e.Kind, e.Err)
		}
		c.Close()
		t.Logf("%+v", c.Stats())
	})
}

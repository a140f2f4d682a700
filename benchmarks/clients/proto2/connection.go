package main

import (
	"bufio"

	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// connection.go owns the writer and the reader of the one connection.

// event is an answer.
type event struct {
	body    []byte
	request *request
}

// write is the writer.
func (c *client) write() {
	for {
		select {
		case r := <-c.toWrite:
			if _, err := r.vector.WriteTo(c.conn); err != nil {
				c.broken("write", err)
			}
			c.written <- r // only now can the answer be matched: the last write is over
		case <-c.quit:
			return
		}
	}
}

// read is the reader.
func (c *client) read() {
	in := bufio.NewReaderSize(c.conn, 64<<10)
	for {
		var body []byte
		select {
		case body = <-c.bodies:
		default:
		}
		body, err := wire.ReadFrame(in, body)
		if err != nil {
			c.broken("read", err)
			return
		}
		c.events <- event{body, <-c.written}
	}
}

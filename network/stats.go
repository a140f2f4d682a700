package network

// This file owns what a Client counts. Client goroutine only.

// Stats are counts since the Client was made. Bytes are those of requests and responses with their sizes and headers,
// without TLS and without the greeting of a connection.
type Stats struct {
	Requests    uint64 // handed to a connection
	Responses   uint64
	Failed      uint64 // requests that ended without the response that was due, or unwritten
	BytesOut    uint64
	BytesIn     uint64
	Attempts    uint64 // connections begun
	Connects    uint64 // connections that got ready
	Disconnects uint64 // connections that ended, and attempts that failed
	Connections int    // ready now
	InFlight    int    // requests that have not ended
}

// Stats returns a snapshot.
func (c *Client) Stats() Stats {
	s := c.stats
	for cn := range c.conns {
		if cn.state == ready {
			s.Connections++
		}
		s.InFlight += cn.sent.len()
	}
	return s
}

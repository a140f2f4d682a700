// Package network is the producer's client for a cluster of brokers: one connection per node, requests in flight in
// order, protocol versions, back-off, throttling and TLS. It carries requests as opaque bytes and knows nothing of
// records, batches or topics.
//
// A [Client] belongs to one goroutine, which sends requests and waits on [Client.Signals]:
//
//	for {
//		select {
//		case s := <-client.Signals():
//			for _, e := range client.Handle(s, time.Now()) { ... }
//		case <-timer.C:
//		}
//		if client.Ready(node, now) {
//			client.Send(node, request, now)
//		}
//		next := client.Tick(now)
//	}
//
// Two more goroutines serve each connection. One dials, shakes hands and then reads; the other writes, and is the only
// one that ever does. The end of a request, by whatever cause, is reported only after the writer has returned from the
// last write that touches the request: memory that may still be on its way to a socket is never given back.
//
// The package may be imported, but it is not covered by the compatibility promise before v1 of the module.
package network

// Package fakebroker is a Kafka cluster in memory for unit tests. It speaks the real protocol over net.Pipe, so the
// code under test runs whole, and it works inside a testing/synctest bubble: delays cost nothing.
//
//	cluster := fakebroker.New(fakebroker.Nodes(2), fakebroker.Topic("orders", 6))
//	defer cluster.Close()
//	cfg.Dial = cluster.Dial                                     // b1:9092, b2:9092
//	cluster.On(protocol.Produce, fakebroker.Script(
//		fakebroker.Action{HangUp: fakebroker.AfterApplying},    // the first produce request is written, its answer lost
//		fakebroker.Action{Code: errcode.NotEnoughReplicas},     // the second is refused, all others are answered
//	))
//	...
//	cluster.Log("orders", 0)                                    // what consumers would see
//
// Unscripted, it does what a broker does: it checks batches, keeps them, and holds idempotent producers to their
// sequences. A script changes the answer to a request, delays it, or does to the connection what networks do.
//
// All methods of a Cluster may be called from any goroutine, also from scripts.
package fakebroker

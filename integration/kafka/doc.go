// Package kafka runs real Apache Kafka for tests: it resolves the published
// artifacts with Maven, formats and starts nodes (KRaft: broker and controller
// in one process; before 3.0: brokers and a ZooKeeper) on loopback ports, and stops, kills, pauses and restarts
// single nodes.
//
// Tests that use it are skipped unless the environment says
// KAFKA_TESTS=real; then a machine without Java, Maven or Linux is a failure,
// not a skip. A node never outlives the test process, however that ends.
//
//	var shared kafka.Shared // one cluster for all tests of a binary
//
//	func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }
//
//	func TestSomething(t *testing.T) {
//		c := shared.Cluster(t)
//		c.CreateTopic(t, "orders", 12)
//		...
//		c.Node(1).Pause(t)
//	}
//
// Package judge, below this one, asks Kafka's own Java code about what a test
// wrote.
package kafka

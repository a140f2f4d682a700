// Package integration tests the producer end to end: always against an
// in-process fake cluster, and against real Kafka where the environment says
// KAFKA_TESTS=real. It is an unpublished module; nothing imports it.
package integration

// Package benchmarks compares the producer with a lower bound, with franz-go and with a prototype of its own design on
// the same work. It is an unpublished module; nothing imports it. README.md says how to run it and how to read it.
package benchmarks

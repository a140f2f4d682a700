// Package benchmarks is an unpublished module.
package benchmarks

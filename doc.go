// Package producer sends records to Apache Kafka.
package producer

module github.com/kafka-go-producer/producer/examples

go 1.26

require github.com/kafka-go-producer/producer v0.1.0

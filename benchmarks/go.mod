module github.com/kafka-go-producer/producer/benchmarks

go 1.26

require github.com/kafka-go-producer/producer v0.0.0

replace github.com/kafka-go-producer/producer => ../

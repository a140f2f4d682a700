package producer_test

import (
	"fmt"
	"strings"

	"github.com/kafka-go-producer/producer"
)

func ExampleParseConfig() {
	props, err := producer.ReadProperties(strings.NewReader(`
		# what Java's producer was configured with
		bootstrap.servers = kafka-1:9092, \
		                    kafka-2:9092
		compression.type = zstd
		linger.ms = 20
		key.serializer = org.apache.kafka.common.serialization.StringSerializer
	`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg, unused, err := producer.ParseConfig(props)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.BootstrapServers, cfg.Compression, cfg.Linger, unused)
	// Output: [kafka-1:9092 kafka-2:9092] zstd 20ms [key.serializer]
}

func ExampleParseConfig_mistakes() {
	_, _, err := producer.ParseConfig(map[string]string{"bootstrap.servers": "kafka-1", "acks": "most"})
	fmt.Println(err)
	// Output: invalid configuration: acks: "most" is none of all, -1, 0, 1; bootstrap.servers: "kafka-1" is not host:port
}

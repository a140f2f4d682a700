// Command async sends a thousand records without waiting for each, and hears of
// every outcome in a callback.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/kafka-go-producer/producer"
)

func main() {
	bootstrap := flag.String("bootstrap-server", "localhost:9092", "HOST:PORT of a broker")
	flag.Parse()
	if err := send(context.Background(), *bootstrap); err != nil {
		log.Fatal(err)
	}
}

func send(ctx context.Context, bootstrap string) error {
	p, err := producer.New(producer.NewConfig(bootstrap), producer.StringSerializer, producer.StringSerializer)
	if err != nil {
		return err
	}
	for i := range 1000 {
		r := producer.Record[string, string]{Topic: "quickstart", Key: fmt.Sprint("key-", i%10), Value: fmt.Sprint("value ", i)}
		p.Send(ctx, r, func(md producer.RecordMetadata, err error) {
			if err != nil {
				log.Printf("a record for %s failed: %v", md.Topic, err)
			}
		})
	}
	return p.Close(ctx) // sends what is waiting; Flush would, too
}

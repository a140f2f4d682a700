// Command sync sends one record and waits for the broker's answer.
package main

import (
	"context"
	"errors"
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
	cfg := producer.NewConfig(bootstrap)
	cfg.Linger = 0 // nobody else fills the batch while this caller waits
	p, err := producer.New(cfg, producer.StringSerializer, producer.StringSerializer)
	if err != nil {
		return err
	}
	r := producer.Record[string, string]{Topic: "quickstart", Key: "greeting", Value: "hello"}
	md, err := p.Send(ctx, r, nil).Get(ctx)
	if err == nil {
		fmt.Println(md)
	}
	return errors.Join(err, p.Close(ctx))
}

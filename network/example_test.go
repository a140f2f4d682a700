package network_test

import (
	"fmt"
	"time"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

func ExampleClient() {
	cluster := fakebroker.New(fakebroker.Topic("orders", 3))
	defer cluster.Close()

	client := network.NewClient(network.Config{ClientID: "example", RequestTimeout: 30 * time.Second, Dial: cluster.Dial})
	defer client.Close()
	client.SetNodes([]network.Node{{ID: -1, Host: "b1", Port: 9092}}) // bootstrap

	id, ready := client.LeastLoaded(time.Now())
	for !ready { // a connection is being made
		client.Handle(<-client.Signals(), time.Now())
		id, ready = client.LeastLoaded(time.Now())
	}
	version, err := client.Version(id, protocol.Metadata, 1, 13)
	if err != nil {
		fmt.Println(err)
		return
	}
	body := protocol.Append(nil, &protocol.MetadataRequest{}, version)
	if err := client.Send(id, &network.Request{Key: protocol.Metadata, Version: version, Body: [][]byte{body}}, time.Now()); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range client.Handle(<-client.Signals(), time.Now()) {
		var answer protocol.MetadataResponse
		if err := protocol.Decode(e.Body, &answer, version); err != nil {
			fmt.Println(err)
			return
		}
		client.Recycle(e.Body)
		fmt.Println(answer.Topics[0].Name.Value, len(answer.Topics[0].Partitions))
	}
	// Output: orders 3
}

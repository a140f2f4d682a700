package errcode_test

import (
	"errors"
	"fmt"

	"github.com/kafka-go-producer/producer/errcode"
)

func ExampleCode() {
	err := fmt.Errorf("produce to orders-3: %w", errcode.NotEnoughReplicas)

	fmt.Println(errors.Is(err, errcode.ErrRetriable), errors.Is(err, errcode.ErrMaybeWritten))
	fmt.Println(err)
	// Output:
	// true false
	// produce to orders-3: NOT_ENOUGH_REPLICAS: fewer replicas are in sync than min.insync.replicas; nothing was written
}

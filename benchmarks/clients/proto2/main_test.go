package main

import (
	"testing"

	"github.com/kafka-go-producer/producer/benchmarks/harness/harnesstest"
)

func TestClient_SendsExactlyWhatItIsGiven(t *testing.T) { harnesstest.TestClient(t, open) }

package integration
import ("testing";"github.com/kafka-go-producer/producer")
func TestLeak(t *testing.T){ producer.New(producer.NewConfig("127.0.0.1:1"), producer.BytesSerializer, producer.BytesSerializer) }

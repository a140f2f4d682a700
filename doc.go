// Package producer sends records to Apache Kafka. It is the architecture of Kafka's Java producer, its
// names and its guarantees, in Go.
//
// Four types are all a program needs:
//
//   - [Config], made by [NewConfig] or [ParseConfig]: the servers to start from, and every setting with Java's default;
//   - [KafkaProducer], made by [New] for a type of key and a type of value, and safe for any number of
//     goroutines: one per process is right, close it in the end;
//   - [Record]: a topic, a key, a value, and if need be a partition, a timestamp and headers;
//   - [Future]: what became of a record. Get waits for it; a [Callback] hears of it.
//
// Send puts a record into the batch of its partition and returns. One goroutine sends the batches to the
// brokers that lead their partitions, five requests at a time, and sends again what failed and may
// succeed: without duplicates and without changing the order of a partition, since a Config has
// Idempotence on.
//
// Memory is bounded by BufferMemory: when it is used up, Send waits, at most MaxBlock. Time is bounded
// by DeliveryTimeout: a record that was accepted has its outcome within it.
//
// # Errors
//
// Every failure of a record reaches its Future and its Callback, once. errors.Is tells what to do about
// it ([ErrRetriable], [ErrFatal]), what happened ([ErrTimeout], [ErrRecordTooLarge] and so on), and
// whether the record may be in the log all the same: an error that does not match [ErrMaybeWritten]
// means that it surely is not. The broker's own code, where there is one, is an errcode.Code.
//
// # Context
//
// A context bounds a wait, never a record: Send's wait for metadata and memory, Get, Flush and Close. A
// record that was accepted goes on when the context of its Send ends.
package producer

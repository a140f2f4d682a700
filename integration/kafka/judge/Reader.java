// Reader.java prints every record of a topic as Kafka's own consumer sees it.
//
//   java Reader.java BOOTSTRAP TOPIC [read_committed]
//
// One line a record, fields separated by one blank:
//
//   partition offset timestamp key value headers
//
// Bytes are base64; "-" is null, nothing is empty. Headers are key:value pairs
// joined by commas. It reads to the end offsets the topic has at the start, and
// then prints the number of records, so that a reader knows it has them all:
//
//   end RECORDS

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Reader {
    private static final Base64.Encoder BASE64 = Base64.getEncoder();

    public static void main(String[] args) throws IOException {
        Properties props = new Properties();
        props.put("bootstrap.servers", args[0]);
        props.put("enable.auto.commit", "false"); // old consumers want a group for it
        props.put("isolation.level", args.length > 2 ? args[2] : "read_uncommitted");
        props.put("max.poll.records", "20000");
        props.put("fetch.max.bytes", "16777216");
        props.put("max.partition.fetch.bytes", "4194304");
        props.put("check.crcs", "true");

        try (KafkaConsumer<byte[], byte[]> consumer =
                 new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer());
             OutputStream out = new BufferedOutputStream(System.out, 1 << 20)) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (PartitionInfo p : consumer.partitionsFor(args[1])) {
                partitions.add(new TopicPartition(p.topic(), p.partition()));
            }
            if (partitions.isEmpty()) {
                throw new IllegalStateException("the broker knows no topic " + args[1]);
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long records = 0;
            while (!reached(consumer, ends)) {
                for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofMillis(200))) {
                    if (r.offset() < ends.get(new TopicPartition(r.topic(), r.partition()))) {
                        print(out, r);
                        records++;
                    }
                }
            }
            out.write(("end " + records + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Positions, not records, tell the end: markers and compacted offsets carry no record. */
    private static boolean reached(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            if (consumer.position(end.getKey()) < end.getValue()) {
                return false;
            }
        }
        return true;
    }

    private static void print(OutputStream out, ConsumerRecord<byte[], byte[]> r) throws IOException {
        String place = r.partition() + " " + r.offset() + " " + r.timestamp() + " ";
        out.write(place.getBytes(StandardCharsets.US_ASCII));
        bytes(out, r.key());
        out.write(' ');
        bytes(out, r.value());
        out.write(' ');
        boolean first = true;
        for (Header h : r.headers()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            bytes(out, h.key().getBytes(StandardCharsets.UTF_8));
            out.write(':');
            bytes(out, h.value());
        }
        out.write('\n');
    }

    private static void bytes(OutputStream out, byte[] b) throws IOException {
        if (b == null) {
            out.write('-');
        } else {
            out.write(BASE64.encode(b));
        }
    }
}

// Partitions.java tells where Kafka's own code puts keys.
//
//   java Partitions.java NUMBER_OF_PARTITIONS < keys
//
// Standard input has one base64 key a line; an empty line is the empty key. For
// each it prints the murmur2 hash, the partition that follows from it, and the
// one that the producer's built-in partitioner names.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.utils.Utils;

public class Partitions {
    public static void main(String[] args) throws IOException {
        int partitions = Integer.parseInt(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));

        StringBuilder text = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            byte[] key = Base64.getDecoder().decode(line);
            int hash = Utils.murmur2(key);
            text.append(hash).append(' ')
                .append(Utils.toPositive(hash) % partitions).append(' ')
                .append(BuiltInPartitioner.partitionForKey(key, partitions)).append('\n');
        }
        System.out.print(text);
        System.out.flush();
    }
}

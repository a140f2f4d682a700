// Config.java tells what Java makes of properties: of their text, and of them as
// the producer's configuration.
//
//   java Config.java < questions
//
// Each line of standard input is base64 of the text of a .properties file. For
// each it prints a line of three fields: the properties, in order, each as base64
// of key and value with = between and a comma behind (or "malformed"); then, if
// there is bootstrap.servers among them, "ok" or "refused" for a KafkaProducer;
// then, if ok, some of its effective settings.

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Properties;
import java.util.TreeSet;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class Config {
    static final String[] SHOWN = {
        "acks", "batch.size", "buffer.memory", "client.rack", "compression.type", "enable.idempotence",
        "max.in.flight.requests.per.connection", "metadata.max.idle.ms", "partitioner.ignore.keys", "reconnect.backoff.max.ms",
        "retries", "retry.backoff.ms", "send.buffer.bytes", "transaction.timeout.ms",
    };

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder text = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Properties p = new Properties();
            try {
                p.load(new ByteArrayInputStream(Base64.getDecoder().decode(line)));
                for (String key : new TreeSet<>(p.stringPropertyNames())) {
                    text.append(encode(key)).append('=').append(encode(p.getProperty(key))).append(',');
                }
            } catch (IllegalArgumentException e) {
                text.append("malformed");
            }
            text.append('\t');
            if (p.containsKey("bootstrap.servers")) {
                text.append(judge(p));
            }
            text.append('\n');
        }
        System.out.print(text);
        System.out.flush();
    }

    static String encode(String s) {
        return Base64.getEncoder().encodeToString(s.getBytes(StandardCharsets.UTF_8));
    }

    static String judge(Properties p) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer())) {
            Field field = KafkaProducer.class.getDeclaredField("producerConfig");
            field.setAccessible(true);
            ProducerConfig config = (ProducerConfig) field.get(producer);
            StringBuilder shown = new StringBuilder("ok\t");
            for (String key : SHOWN) {
                shown.append(key).append(" = ").append(config.values().get(key)).append(';');
            }
            producer.close(Duration.ZERO);
            return shown.toString();
        } catch (KafkaException e) {
            return "refused";
        }
    }
}

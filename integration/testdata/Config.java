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

    // Half a surrogate pair becomes U+FFFD.
    static String encode(String s) {
        int[] runes = s.codePoints().map(c -> c >= 0xd800 && c <= 0xdfff ? 0xfffd : c).toArray();
        return Base64.getEncoder().encodeToString(new String(runes, 0, runes.length).getBytes(StandardCharsets.UTF_8));
    }

    static String judge(Properties p) throws Exception {
        KafkaProducer<byte[], byte[]> producer;
        try {
            producer = new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer());
        } catch (KafkaException | IllegalArgumentException e) {
            return "refused";
        }
        Field field = KafkaProducer.class.getDeclaredField("producerConfig");
        field.setAccessible(true);
        ProducerConfig config = (ProducerConfig) field.get(producer);
        StringBuilder shown = new StringBuilder("ok\t");
        for (String key : SHOWN) {
            shown.append(key).append(" = ").append(config.values().get(key)).append(';');
        }
        // With a long backoff even a close at once takes long: nobody waits for it.
        Thread closing = new Thread(() -> producer.close(Duration.ZERO));
        closing.setDaemon(true);
        closing.start();
        return shown.toString();
    }
}

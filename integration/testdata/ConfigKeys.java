// ConfigKeys.java prints the keys of Java's producer: a line each, in order, of
// key, type, default, valid values and importance, with tabs between.

import java.util.Map;
import java.util.TreeMap;

import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

public class ConfigKeys {
    public static void main(String[] args) {
        for (Map.Entry<String, ConfigDef.ConfigKey> e : new TreeMap<>(ProducerConfig.configDef().configKeys()).entrySet()) {
            ConfigDef.ConfigKey k = e.getValue();
            Object standard = k.hasDefault() ? k.defaultValue : "(required)";
            System.out.println(String.join("\t", e.getKey(), k.type.toString(), String.valueOf(standard),
                k.validator == null ? "" : k.validator.toString(), k.importance.toString()));
        }
    }
}

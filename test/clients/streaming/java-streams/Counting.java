// Kafka Streams with exactly-once: numbered records of ten keys are counted by two instances, while the brokers are
// killed and an instance is replaced. Without a cache each record gives one result, so the results of a key have to be
// 1, 2, 3 and so on, each of them once. It prints what it saw as JSON. See streams.test.ts.
import com.fasterxml.jackson.databind.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;

public class Counting {
    static JsonNode place;
    static String name;
    static long deadline;
    static final int keys = 10;
    static final int records = 3000;

    static Map<String, Object> with(Object... more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", place.get("bootstrap").asText());
        settings.put("security.protocol", "SSL");
        settings.put("ssl.endpoint.identification.algorithm", "");
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", place.get("ca").asText());
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.location", place.get("keystore").asText());
        for (int at = 0; at < more.length; at += 2) settings.put((String) more[at], more[at + 1]);
        return settings;
    }

    static KafkaStreams start(int number, Queue<String> failures) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(name + "-input", Consumed.with(Serdes.String(), Serdes.String()))
            .groupByKey().count(Materialized.with(Serdes.String(), Serdes.Long())).toStream()
            .to(name + "-output", Produced.with(Serdes.String(), Serdes.Long()));
        Properties settings = new Properties();
        settings.putAll(with("application.id", name, "processing.guarantee", "exactly_once_v2", "commit.interval.ms", 100,
            "statestore.cache.max.bytes", 0, "replication.factor", 3, "num.stream.threads", 1, "state.dir",
            Path.of(place.get("folder").asText(), "state-" + number).toString(), "consumer.session.timeout.ms", 10000,
            "consumer.heartbeat.interval.ms", 500, "consumer.auto.offset.reset", "earliest"));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.setUncaughtExceptionHandler(error -> {
            failures.add(String.valueOf(error));
            return org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        streams.start();
        return streams;
    }

    static void send(int from, int to) throws Exception {
        try (var producer = new KafkaProducer<>(with("acks", "all", "linger.ms", 5), new StringSerializer(), new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int at = from; at < to; at++)
                sent.add(producer.send(new ProducerRecord<>(name + "-input", "key " + at % keys, "value " + at)));
            for (var one : sent) one.get();
        }
    }

    // The results so far, by key, in the order of the partition.
    static Map<String, List<Long>> results(int count) {
        Map<String, List<Long>> found = new TreeMap<>();
        try (var consumer = new KafkaConsumer<>(with("isolation.level", "read_committed"), new StringDeserializer(), new LongDeserializer())) {
            var partitions = IntStream.range(0, 3).mapToObj(at -> new TopicPartition(name + "-output", at)).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long quietUntil = 0;
            for (int read = 0; System.currentTimeMillis() < deadline; ) {
                var polled = consumer.poll(Duration.ofMillis(200));
                polled.forEach(one -> found.computeIfAbsent(one.key(), key -> new ArrayList<>()).add(one.value()));
                read += polled.count();
                if (read < count) continue;
                if (quietUntil == 0) quietUntil = System.currentTimeMillis() + 1500; // a result too many would come now
                else if (System.currentTimeMillis() > quietUntil) break;
            }
        }
        return found;
    }

    static void restart(int number) throws Exception {
        System.out.println("restart " + number);
        Path done = Path.of(place.get("folder").asText(), "restarted-" + number);
        while (!Files.exists(done)) Thread.sleep(50);
    }

    public static void main(String[] words) throws Exception {
        place = new ObjectMapper().readTree(words[0]);
        name = place.get("name").asText();
        deadline = System.currentTimeMillis() + place.get("limitMs").asLong();
        int restarts = place.get("restarts").asInt();
        try (Admin admin = Admin.create(with())) {
            admin.createTopics(Stream.of("-input", "-output").map(end -> new NewTopic(name + end, 3, (short) 3)).toList()).all().get();
        }
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        KafkaStreams first = start(1, failures);
        KafkaStreams second = start(2, failures);
        int third = records / 3;
        send(0, third);
        for (int number = 1; number <= restarts; number++) {
            if (number == 1) results(third / 2);
            restart(number);
        }
        send(third, 2 * third);
        first.close(Duration.ofSeconds(30));
        KafkaStreams next = start(3, failures);
        send(2 * third, records);
        var found = results(records);
        List<Long> wanted = LongStream.rangeClosed(1, records / keys).boxed().toList();
        long exact = found.values().stream().filter(wanted::equals).count();
        next.close(Duration.ofSeconds(30));
        second.close(Duration.ofSeconds(30));
        System.out.println(new ObjectMapper().writeValueAsString(new TreeMap<>(Map.of("keys", found.size(), "exact", exact,
            "results", found.values().stream().mapToInt(List::size).sum(), "failures", failures))));
        System.exit(0);
    }
}

// The journey of Apache Kafka's own client. See journey.ts for what every journey does and prints.
import java.time.Duration;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.common.utils.AppInfoParser;
import com.fasterxml.jackson.databind.*;

public class Journey {
    static JsonNode place;
    static String name;
    static long deadline;
    static Admin admin;

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

    static KafkaProducer<String, String> producer(Object... more) {
        Map<String, Object> settings = with("acks", "all", "linger.ms", 5);
        for (int at = 0; at < more.length; at += 2) settings.put((String) more[at], more[at + 1]);
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    static List<TopicPartitionInfo> create(String topic, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 3))).all().get(60, TimeUnit.SECONDS);
        return partitionsOf(topic, partitions);
    }

    // Every broker learns of them a moment later.
    static List<TopicPartitionInfo> partitionsOf(String topic, int count) throws Exception {
        while (true) {
            if (System.currentTimeMillis() > deadline) throw new IllegalStateException(topic + " is not ready");
            try {
                List<TopicPartitionInfo> found =
                    admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions();
                if (found.size() == count && found.stream().allMatch(one -> one.leader() != null)) return found;
            } catch (java.util.concurrent.ExecutionException error) {
                if (!(error.getCause() instanceof UnknownTopicOrPartitionException)) throw error;
            }
        }
    }

    static List<String> numbered(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(at -> prefix + at).toList();
    }

    static void produce(String topic, List<String> values, String codec) throws Exception {
        try (var producer = producer("compression.type", codec)) {
            List<java.util.concurrent.Future<RecordMetadata>> sent = new ArrayList<>();
            for (int at = 0; at < values.size(); at++)
                sent.add(producer.send(new ProducerRecord<>(topic, "k" + at % 12, values.get(at))));
            for (var one : sent) one.get();
        }
    }

    static KafkaConsumer<String, String> consumer(Object... more) {
        return new KafkaConsumer<>(with(more), new StringDeserializer(), new StringDeserializer());
    }

    // The values of partition 0, from its beginning.
    static List<String> read(String topic, int count, Object... more) {
        List<String> values = new ArrayList<>();
        try (var consumer = consumer(more)) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (values.size() < count && System.currentTimeMillis() < deadline)
                consumer.poll(Duration.ofMillis(200)).forEach(one -> values.add(one.value()));
        }
        return values;
    }

    static class Member implements ConsumerRebalanceListener {
        final Set<Integer> assigned = new HashSet<>();
        final Set<String> values = new HashSet<>();
        final KafkaConsumer<String, String> consumer;

        Member(String topic, Object... more) {
            consumer = consumer(Stream.concat(
                Stream.of("group.id", topic, "auto.offset.reset", "earliest"), Stream.of(more)).toArray());
            consumer.subscribe(List.of(topic), this);
        }
        public void onPartitionsAssigned(Collection<TopicPartition> given) {
            given.forEach(one -> assigned.add(one.partition()));
        }
        public void onPartitionsRevoked(Collection<TopicPartition> taken) {
            taken.forEach(one -> assigned.remove(one.partition()));
        }
        void poll() {
            consumer.poll(Duration.ofMillis(50)).forEach(one -> values.add(one.value()));
        }
    }

    static void until(List<Member> members, BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            if (System.currentTimeMillis() > deadline)
                throw new IllegalStateException(members.stream().map(one -> one.assigned + " " + one.values.size()).toList().toString());
            members.forEach(Member::poll);
        }
    }

    static int all(Member... members) {
        return (int) Stream.of(members).flatMap(one -> one.values.stream()).distinct().count();
    }

    static Map<String, Object> group(String label, Object... settings) throws Exception {
        String topic = name + "-" + label;
        create(topic, 6);
        List<List<Integer>> steps = new ArrayList<>();
        var one = new Member(topic, settings);
        until(List.of(one), () -> one.assigned.size() == 6);
        steps.add(List.of(6));
        produce(topic, numbered("a", 60), "none");
        until(List.of(one), () -> all(one) == 60);
        var two = new Member(topic, settings);
        until(List.of(one, two), () -> one.assigned.size() == 3 && two.assigned.size() == 3);
        steps.add(List.of(3, 3));
        produce(topic, numbered("b", 60), "none");
        until(List.of(one, two), () -> all(one, two) == 120);
        one.consumer.close();
        until(List.of(two), () -> two.assigned.size() == 6);
        steps.add(List.of(6));
        produce(topic, numbered("c", 60), "none");
        until(List.of(two), () -> all(one, two) == 180);
        two.consumer.close();
        long committed = admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get().values().stream()
            .mapToLong(OffsetAndMetadata::offset).sum();
        return new TreeMap<>(Map.of("steps", steps, "read", all(one, two), "committed", committed));
    }

    static Map<String, Object> transactions() throws Exception {
        String topic = name + "-money";
        create(topic, 1);
        Object[] settings = {"transactional.id", name + "-bank", "transaction.timeout.ms", 20000};
        var first = producer(settings);
        first.initTransactions();
        for (String outcome : List.of("kept ", "dropped ")) {
            first.beginTransaction();
            for (String value : numbered(outcome, 5)) first.send(new ProducerRecord<>(topic, value));
            if (outcome.equals("kept ")) {
                first.sendOffsetsToTransaction(Map.of(new TopicPartition(name + "-codecs", 0), new OffsetAndMetadata(77)),
                    new ConsumerGroupMetadata(name + "-bank"));
                first.commitTransaction();
            } else {
                first.flush();
                first.abortTransaction();
            }
        }
        var second = producer(settings);
        second.initTransactions();
        boolean isFenced = false;
        try {
            first.beginTransaction();
            first.send(new ProducerRecord<>(topic, "fenced"));
            first.commitTransaction();
        } catch (ProducerFencedException | InvalidProducerEpochException error) {
            isFenced = true;
        }
        first.close(Duration.ZERO);
        second.beginTransaction();
        second.send(new ProducerRecord<>(topic, "last"));
        second.commitTransaction();
        second.close();
        long offset = admin.listConsumerGroupOffsets(name + "-bank").partitionsToOffsetAndMetadata().get()
            .get(new TopicPartition(name + "-codecs", 0)).offset();
        return Map.of("committed", read(topic, 6, "isolation.level", "read_committed"),
            "all", read(topic, 11, "isolation.level", "read_uncommitted").size(), "offset", offset, "fenced", isFenced);
    }

    static Map<String, Object> administrate() throws Exception {
        String topic = name + "-classic";
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(8))).all().get();
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var change = new AlterConfigOp(new ConfigEntry("retention.ms", "3600000"), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
        int partitions = partitionsOf(topic, 8).size();
        String retention = "";
        while (!retention.equals("3600000") && System.currentTimeMillis() < deadline)
            retention = admin.describeConfigs(List.of(resource)).all().get().get(resource).get("retention.ms").value();
        var codecs = new TopicPartition(name + "-codecs", 0);
        long low = admin.deleteRecords(Map.of(codecs, RecordsToDelete.beforeOffset(100))).lowWatermarks().get(codecs).get()
            .lowWatermark();
        List<String> groups = admin.listGroups().all().get().stream().map(GroupListing::groupId)
            .filter(one -> one.startsWith(name)).map(one -> one.substring(name.length() + 1)).sorted().toList();
        admin.deleteConsumerGroups(List.of(topic)).all().get();
        boolean isGone = admin.listGroups().all().get().stream().noneMatch(one -> one.groupId().equals(topic));
        admin.deleteTopics(Stream.of("codecs", "classic", "consumer", "money").map(one -> name + "-" + one).toList())
            .all().get();
        return Map.of("partitions", partitions, "retentionMs", retention, "lowWatermark", low, "groups", groups,
            "isGroupGone", isGone);
    }

    public static void main(String[] words) throws Exception {
        place = new ObjectMapper().readTree(words[0]);
        name = place.get("name").asText();
        deadline = System.currentTimeMillis() + place.get("limitMs").asLong();
        admin = Admin.create(with());
        Map<String, Object> saw = new TreeMap<>();
        saw.put("client", "Apache Kafka " + AppInfoParser.getVersion());
        var found = create(name + "-codecs", 1);
        saw.put("topic", List.of(found.size(), found.get(0).replicas().size()));
        List<String> codecs = List.of("none", "gzip", "snappy", "lz4", "zstd");
        for (String codec : codecs) produce(name + "-codecs", numbered(codec + " ", 50), codec);
        List<String> sent = codecs.stream().flatMap(one -> numbered(one + " ", 50).stream()).toList();
        saw.put("codecs", read(name + "-codecs", 250).equals(sent) ? codecs : "not in order");
        saw.put("classic", group("classic", "group.protocol", "classic", "heartbeat.interval.ms", 200, "session.timeout.ms", 10000));
        saw.put("consumer", group("consumer", "group.protocol", "consumer"));
        saw.put("transactions", transactions());
        saw.put("admin", administrate());
        admin.close();
        System.out.println(new ObjectMapper().writeValueAsString(saw));
    }
}

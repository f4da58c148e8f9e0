// What administrators ask of a cluster and change, with Apache Kafka's own client. It prints what it saw as JSON, which
// has to be the same with every engine. See administration.ts.
import com.fasterxml.jackson.databind.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;

public class Administration {
    static final Map<String, Object> saw = new TreeMap<>();
    static Admin admin;
    static String name;

    // The simple name of the error, or the value.
    static Object attempt(Callable<?> work) throws Exception {
        try {
            Object value = work.call();
            return value == null ? "done" : value;
        } catch (ExecutionException error) {
            return error.getCause().getClass().getSimpleName().replace("Exception", "");
        }
    }

    static ConfigResource resource(ConfigResource.Type type, String name) {
        return new ConfigResource(type, name);
    }

    static Object change(ConfigResource resource, String key, String value, AlterConfigOp.OpType type) throws Exception {
        var change = new AlterConfigOp(new ConfigEntry(key, value), type);
        return attempt(() -> admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get());
    }

    static Object set(ConfigResource resource, String key, String value) throws Exception {
        return change(resource, key, value, AlterConfigOp.OpType.SET);
    }

    static Config configs(ConfigResource resource) throws Exception {
        return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }

    // Asked until it shows: brokers learn of a change one after the other.
    static Object until(Callable<Object> look, Object wanted) throws Exception {
        Object seen = look.call();
        while (!seen.equals(wanted) && System.currentTimeMillis() < Journey.deadline) {
            Thread.sleep(50);
            seen = look.call();
        }
        return seen;
    }

    static List<List<Integer>> replicas(String topic, int count) throws Exception {
        return Journey.partitionsOf(topic, count).stream().map(one -> one.replicas().stream().map(Node::id).toList()).toList();
    }

    static void assignments() throws Exception {
        String topic = name + "-assigned";
        admin.createTopics(List.of(new NewTopic(topic, Map.of(0, List.of(2, 1), 1, List.of(3, 2))))).all().get();
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3, List.of(List.of(1, 3))))).all().get();
        saw.put("assigned", replicas(topic, 3));
        saw.put("leaders", Journey.partitionsOf(topic, 3).stream().map(one -> one.leader().id()).toList());
        List<Map<Integer, List<Integer>>> bad = List.of(Map.of(0, List.of(9)), Map.of(0, List.of(1, 1)), Map.of(0, List.of()),
            Map.of(1, List.of(1)), Map.of(0, List.of(1), 1, List.of(1, 2)));
        Set<Object> refused = new TreeSet<>();
        for (var one : bad)
            refused.add(attempt(() -> admin.createTopics(List.of(new NewTopic(name + "-bad", one))).all().get()));
        refused.add(attempt(() -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5, List.of(List.of(1, 3))))).all().get()));
        saw.put("refusedAssignments", refused);
        var first = new TopicPartition(topic, 0);
        Map<TopicPartition, Optional<NewPartitionReassignment>> moved =
            Map.of(first, Optional.of(new NewPartitionReassignment(List.of(3, 1))));
        admin.alterPartitionReassignments(moved).all().get();
        saw.put("reassigned", until(() -> replicas(topic, 3).get(0), List.of(3, 1)));
        saw.put("reassignments", until(() -> admin.listPartitionReassignments().reassignments().get().size(), 0));
        Map<TopicPartition, Optional<NewPartitionReassignment>> cancelled = Map.of(first, Optional.empty());
        saw.put("cancelled", attempt(() -> admin.alterPartitionReassignments(cancelled).all().get()));
        var elected = admin.electLeaders(ElectionType.PREFERRED, Set.of(new TopicPartition(topic, 1), new TopicPartition(topic, 9)))
            .partitions().get();
        saw.put("elections", elected.values().stream().map(one -> one.get().getClass().getSimpleName()).sorted().toList());
        admin.deleteTopics(List.of(topic)).all().get();
    }

    static void brokerSettings() throws Exception {
        var one = resource(ConfigResource.Type.BROKER, "1");
        var all = resource(ConfigResource.Type.BROKER, "");
        Map<String, ConfigEntry> entries = configs(one).entries().stream().collect(Collectors.toMap(ConfigEntry::name, entry -> entry));
        List<String> missing = new ArrayList<>();
        List<String> otherDefaults = new ArrayList<>();
        kafka.server.KafkaConfig.configDef().configKeys().forEach((key, definition) -> {
            if (definition.internalConfig) return;
            ConfigEntry entry = entries.get(key);
            if (entry == null) missing.add(key);
            else if (entry.source() == ConfigEntry.ConfigSource.DEFAULT_CONFIG
                && !Objects.equals(entry.value(), ConfigDef.convertToString(definition.defaultValue, definition.type)))
                otherDefaults.add(key + "=" + entry.value());
        });
        saw.put("missingSettings", missing);
        saw.put("otherDefaults", otherDefaults);
        String topic = name + "-inherits";
        Journey.create(topic, 1);
        var topicResource = resource(ConfigResource.Type.TOPIC, topic);
        saw.put("setForAll", set(all, "log.retention.ms", "12345678"));
        saw.put("inherited", until(() -> configs(topicResource).get("retention.ms").value(), "12345678"));
        saw.put("source", until(() -> configs(one).get("log.retention.ms").source().name(), "DYNAMIC_DEFAULT_BROKER_CONFIG"));
        saw.put("setForOne", set(one, "log.retention.ms", "23456789"));
        saw.put("ofOne", until(() -> configs(one).get("log.retention.ms").value(), "23456789"));
        saw.put("refusedSettings", List.of(set(all, "node.id", "5"), set(one, "num.partitions", "5"), set(all, "log.segment.bytes", "abc"),
            set(all, "log.segment.bytes", "10"), set(all, "listeners", "SSL://:1"), set(one, "ssl.keystore.type", "PEM"),
            change(all, "log.retention.ms", "1", AlterConfigOp.OpType.APPEND)));
        for (var owner : List.of(one, all)) change(owner, "log.retention.ms", "", AlterConfigOp.OpType.DELETE);
        saw.put("reset", until(() -> configs(topicResource).get("retention.ms").value(), "604800000"));
        admin.deleteTopics(List.of(topic)).all().get();
    }

    static void groupSettings() throws Exception {
        var group = resource(ConfigResource.Type.GROUP, name + "-group");
        saw.put("groupSettings", configs(group).entries().stream().map(ConfigEntry::name).sorted().toList());
        saw.put("groupSet", set(group, "consumer.session.timeout.ms", "50000"));
        saw.put("groupValue", until(() -> configs(group).get("consumer.session.timeout.ms").value(), "50000"));
        saw.put("groupSource", configs(group).get("consumer.session.timeout.ms").source().name());
        saw.put("refusedForGroup", List.of(set(group, "consumer.session.timeout.ms", "5"), set(group, "no.such", "1"),
            set(resource(ConfigResource.Type.GROUP, ""), "consumer.session.timeout.ms", "50000")));
        change(group, "consumer.session.timeout.ms", "", AlterConfigOp.OpType.DELETE);
        var metrics = resource(ConfigResource.Type.CLIENT_METRICS, name + "-metrics");
        saw.put("metricsSet", set(metrics, "interval.ms", "60000"));
        saw.put("metrics", until(() -> admin.listClientMetricsResources().all().get().stream()
            .map(ClientMetricsResourceListing::name).toList(), List.of(name + "-metrics")));
        saw.put("refusedMetrics", set(metrics, "match", "x"));
        change(metrics, "interval.ms", "", AlterConfigOp.OpType.DELETE);
        saw.put("metricsAfter", until(() -> admin.listClientMetricsResources().all().get().size(), 0));
    }

    // A transaction that its producer has left open is ended in its partition.
    static void hangingTransaction() throws Exception {
        String topic = name + "-hanging";
        Journey.create(topic, 1);
        var partition = new TopicPartition(topic, 0);
        var producer = Journey.producer("transactional.id", topic);
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic, "open")).get();
        var active = admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().get(0);
        saw.put("isOpen", active.currentTransactionStartOffset().isPresent());
        var spec = new AbortTransactionSpec(partition, active.producerId(), (short) active.producerEpoch(),
            active.coordinatorEpoch().orElse(0));
        saw.put("aborted", attempt(() -> admin.abortTransaction(spec).all().get()));
        saw.put("isOpenAfter", admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().stream()
            .anyMatch(one -> one.currentTransactionStartOffset().isPresent()));
        producer.close(java.time.Duration.ZERO);
    }

    public static void main(String[] words) throws Exception {
        Journey.place = new ObjectMapper().readTree(words[0]);
        name = Journey.name = Journey.place.get("name").asText();
        Journey.deadline = System.currentTimeMillis() + Journey.place.get("limitMs").asLong();
        admin = Journey.admin = Admin.create(Journey.with());
        assignments();
        brokerSettings();
        groupSettings();
        hangingTransaction();
        saw.put("operations", admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
            .authorizedOperations().get().stream().map(Enum::name).sorted().toList());
        var finalized = new TreeMap<String, Integer>();
        admin.describeFeatures().featureMetadata().get().finalizedFeatures()
            .forEach((feature, range) -> finalized.put(feature, (int) range.maxVersionLevel()));
        saw.put("features", finalized);
        var quorum = admin.describeMetadataQuorum().quorumInfo().get();
        saw.put("voters", quorum.voters().stream().map(QuorumInfo.ReplicaState::replicaId).sorted().toList());
        saw.put("hasLeader", quorum.leaderId() > 0 && quorum.highWatermark() > 0);
        admin.close();
        System.out.println(new ObjectMapper().writeValueAsString(saw));
    }
}

// Transactions whose broker is killed and started again between their records and their offsets. It asks for each
// restart by a line on its output, and waits for a file. It prints what it saw as JSON. See administration.ts.
import com.fasterxml.jackson.databind.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;

public class Restart {
    static int restarts = 0;

    static void restart() throws Exception {
        int number = ++restarts;
        System.out.println("restart " + number);
        Path done = Path.of(Journey.place.get("folder").asText(), "restarted-" + number);
        while (!Files.exists(done)) Thread.sleep(50);
    }

    static Map<String, Object> transfer(String protocol) throws Exception {
        String from = Journey.name + "-from-" + protocol;
        String to = Journey.name + "-to-" + protocol;
        Journey.create(from, 1);
        Journey.create(to, 1);
        Journey.produce(from, Journey.numbered("", 30), "none");
        int commits = 0;
        List<String> failures = new ArrayList<>();
        int assignments = 0;
        // By default, a client that reaches no broker bootstraps again, which clears its metadata. The leader of a
        // classic group may then join again before it has fetched the metadata, whatever state the broker has. With
        // "none" the client keeps its metadata, and joins again only if the broker asks for it.
        String recovery = protocol.equals("classic") ? "none" : "rebootstrap";
        try (var consumer = Journey.consumer("group.id", from, "group.protocol", protocol, "enable.auto.commit", false,
                 "auto.offset.reset", "earliest", "max.poll.records", 10, "isolation.level", "read_committed",
                 "metadata.recovery.strategy", recovery);
             var producer = Journey.producer("transactional.id", to)) {
            int[] given = {0};
            consumer.subscribe(List.of(from), new ConsumerRebalanceListener() {
                public void onPartitionsAssigned(Collection<TopicPartition> all) { given[0] += all.size(); }
                public void onPartitionsRevoked(Collection<TopicPartition> all) {}
            });
            producer.initTransactions();
            int read = 0;
            while (read < 30 && System.currentTimeMillis() < Journey.deadline) {
                var records = consumer.poll(Duration.ofMillis(200));
                if (records.isEmpty()) continue;
                read += records.count();
                producer.beginTransaction();
                for (var one : records) producer.send(new ProducerRecord<>(to, one.value()));
                producer.flush();
                restart();
                try {
                    producer.sendOffsetsToTransaction(records.nextOffsets(), consumer.groupMetadata());
                    producer.commitTransaction();
                    commits++;
                } catch (org.apache.kafka.common.KafkaException error) {
                    failures.add(error.toString());
                    break;
                }
            }
            if (read < 30 && failures.isEmpty()) failures.add("read " + read + " of 30 records before the deadline");
            assignments = given[0];
        }
        var committed = Journey.admin.listConsumerGroupOffsets(from).partitionsToOffsetAndMetadata().get()
            .get(new TopicPartition(from, 0));
        long offset = committed == null ? -1 : committed.offset();
        boolean isCopied = failures.isEmpty()
            && Journey.read(to, 30, "isolation.level", "read_committed").equals(Journey.numbered("", 30));
        return new TreeMap<>(Map.of("commits", commits, "failures", failures, "assignments", assignments,
            "offset", offset, "isCopied", isCopied));
    }

    public static void main(String[] words) throws Exception {
        Journey.place = new ObjectMapper().readTree(words[0]);
        Journey.name = Journey.place.get("name").asText();
        Journey.deadline = System.currentTimeMillis() + Journey.place.get("limitMs").asLong();
        Journey.admin = Admin.create(Journey.with());
        Map<String, Object> saw = new TreeMap<>();
        for (String protocol : List.of("classic", "consumer")) saw.put(protocol, transfer(protocol));
        Journey.admin.close();
        System.out.println(new ObjectMapper().writeValueAsString(saw));
        System.exit(0);
    }
}

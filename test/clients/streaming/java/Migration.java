// A group changes from the classic to the consumer group protocol and back while its members read. It prints what it
// saw as JSON. See administration.ts.
import com.fasterxml.jackson.databind.*;
import java.util.*;
import java.util.stream.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

public class Migration {
    static String typeOf(String group) throws Exception {
        return Journey.admin.listGroups().all().get().stream().filter(one -> one.groupId().equals(group))
            .map(one -> one.type().map(Enum::name).orElse("")).findFirst().orElse("");
    }

    static Map<String, Object> migrate(String assignor) throws Exception {
        String topic = Journey.name + "-" + assignor.substring(assignor.lastIndexOf('.') + 1);
        Journey.create(topic, 6);
        Object[] classic = {"group.protocol", "classic", "partition.assignment.strategy", assignor, "heartbeat.interval.ms", 200,
            "session.timeout.ms", 10000};
        Object[] modern = {"group.protocol", "consumer"};
        List<Object> steps = new ArrayList<>();
        var first = new Journey.Member(topic, classic);
        Journey.until(List.of(first), () -> first.assigned.size() == 6);
        steps.add(List.of(typeOf(topic), 6));
        Journey.produce(topic, Journey.numbered("a", 60), "none");
        Journey.until(List.of(first), () -> Journey.all(first) == 60);
        var second = new Journey.Member(topic, modern);
        Journey.until(List.of(first, second), () -> first.assigned.size() == 3 && second.assigned.size() == 3);
        steps.add(List.of(typeOf(topic), 3, 3));
        Journey.produce(topic, Journey.numbered("b", 60), "none");
        Journey.until(List.of(first, second), () -> Journey.all(first, second) == 120);
        var types = Journey.admin.describeConsumerGroups(List.of(topic)).all().get().get(topic).members().stream()
            .map(one -> one.upgraded().map(isNew -> isNew ? "consumer" : "classic").orElse("unknown")).sorted().toList();
        steps.add(types);
        second.consumer.close();
        Journey.until(List.of(first), () -> first.assigned.size() == 6);
        steps.add(List.of(typeOf(topic), 6));
        Journey.produce(topic, Journey.numbered("c", 60), "none");
        Journey.until(List.of(first), () -> Journey.all(first, second) == 180);
        var third = new Journey.Member(topic, modern);
        Journey.until(List.of(first, third), () -> first.assigned.size() == 3 && third.assigned.size() == 3);
        first.consumer.close();
        Journey.until(List.of(third), () -> third.assigned.size() == 6);
        steps.add(List.of(typeOf(topic), 6));
        Journey.produce(topic, Journey.numbered("d", 60), "none");
        Journey.until(List.of(third), () -> Journey.all(first, second, third) == 240);
        third.consumer.close();
        long committed = Journey.admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata().get().values().stream()
            .mapToLong(OffsetAndMetadata::offset).sum();
        return new TreeMap<>(Map.of("steps", steps, "read", Journey.all(first, second, third), "committed", committed));
    }

    public static void main(String[] words) throws Exception {
        Journey.place = new ObjectMapper().readTree(words[0]);
        Journey.name = Journey.place.get("name").asText();
        Journey.deadline = System.currentTimeMillis() + Journey.place.get("limitMs").asLong();
        Journey.admin = Admin.create(Journey.with());
        Map<String, Object> saw = new TreeMap<>();
        saw.put("eager", migrate("org.apache.kafka.clients.consumer.RangeAssignor"));
        saw.put("cooperative", migrate("org.apache.kafka.clients.consumer.CooperativeStickyAssignor"));
        Journey.admin.close();
        System.out.println(new ObjectMapper().writeValueAsString(saw));
    }
}

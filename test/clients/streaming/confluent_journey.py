"""The journey of confluent-kafka (librdkafka). See journey.ts for what every journey does and prints."""
import json
import sys
import time

import confluent_kafka
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourceType,
)

place = json.loads(sys.argv[1])
name = place["name"]
base = {
    "bootstrap.servers": place["bootstrap"],
    "security.protocol": "ssl",
    "ssl.ca.location": place["ca"],
    "ssl.certificate.location": place["certificate"],
    "ssl.key.location": place["key"],
    "ssl.endpoint.identification.algorithm": "none",
}
deadline = time.monotonic() + place["limitMs"] / 1000
saw = {"client": f"confluent-kafka {confluent_kafka.version()}, librdkafka {confluent_kafka.libversion()[0]}"}
admin = AdminClient(base)


def wait(future):
    return future.result(max(1, deadline - time.monotonic()))


def create(topic, partitions):
    wait(admin.create_topics([NewTopic(topic, partitions, 3)])[topic])
    while True:  # every broker learns of it a moment later
        found = admin.list_topics(topic, 10).topics[topic]
        if found.error is None and len(found.partitions) == partitions and all(
            one.leader >= 0 for one in found.partitions.values()
        ):
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{topic} has no leaders")


def produce(topic, values, **settings):
    failed = []
    producer = Producer({**base, "acks": "all", "enable.idempotence": True, "linger.ms": 5, **settings})
    for at, value in enumerate(values):
        producer.produce(topic, value=value, key=f"k{at % 12}", on_delivery=lambda e, _: e and failed.append(str(e)))
    left = producer.flush(60)
    if failed or left:
        raise RuntimeError(f"{topic}: {left} left, failed {failed[:3]}")


def read(topic, count, **settings):
    """The values of partition 0, from its beginning."""
    consumer = Consumer({**base, "group.id": f"{name}-reader", "enable.auto.commit": False, **settings})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    values = []
    while len(values) < count and time.monotonic() < deadline:
        message = consumer.poll(0.2)
        if message and not message.error():
            values.append(message.value().decode())
    consumer.close()
    return values


class Member:
    def __init__(self, group, topic, **settings):
        self.assigned, self.values, self.changes = set(), [], 0
        more = {"auto.offset.reset": "earliest", "enable.auto.commit": True, **settings}
        self.consumer = Consumer({**base, "group.id": group, **more})
        self.consumer.subscribe([topic], on_assign=self.gains, on_revoke=self.loses, on_lost=self.loses)

    def gains(self, _, partitions):
        self.assigned |= {one.partition for one in partitions}

    def loses(self, _, partitions):
        self.assigned -= {one.partition for one in partitions}

    def poll(self):
        message = self.consumer.poll(0.05)
        if message and not message.error():
            self.values.append(message.value().decode())


def until(members, holds):
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{[sorted(one.assigned) for one in members]} {[len(one.values) for one in members]}")
        for one in members:
            one.poll()


def group_journey(label, settings):
    topic = f"{name}-{label}"
    create(topic, 6)
    one, steps = Member(topic, topic, **settings), []
    until([one], lambda: len(one.assigned) == 6)
    steps.append([len(one.assigned)])
    produce(topic, [f"a{at}" for at in range(60)])
    until([one], lambda: len(set(one.values)) == 60)
    two = Member(topic, topic, **settings)
    until([one, two], lambda: len(one.assigned) == 3 and len(two.assigned) == 3)
    steps.append([len(one.assigned), len(two.assigned)])
    produce(topic, [f"b{at}" for at in range(60)])
    until([one, two], lambda: len({*one.values, *two.values}) == 120)
    one.consumer.close()
    until([two], lambda: len(two.assigned) == 6)
    steps.append([len(two.assigned)])
    produce(topic, [f"c{at}" for at in range(60)])
    until([two], lambda: len({*one.values, *two.values}) == 180)
    two.consumer.close()
    committed = wait(admin.list_consumer_group_offsets([confluent_kafka.ConsumerGroupTopicPartitions(topic)])[topic])
    return {"steps": steps, "read": len({*one.values, *two.values}),
            "committed": sum(one.offset for one in committed.topic_partitions)}


found = create(f"{name}-codecs", 1)
saw["topic"] = [len(found.partitions), len(found.partitions[0].replicas)]
codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
for codec in codecs:
    produce(f"{name}-codecs", [f"{codec} {at}" for at in range(50)], **{"compression.type": codec})
sent = [f"{codec} {at}" for codec in codecs for at in range(50)]
saw["codecs"] = codecs if read(f"{name}-codecs", 250) == sent else "not in order"

saw["classic"] = group_journey("classic", {"session.timeout.ms": 10000, "heartbeat.interval.ms": 200})
saw["consumer"] = group_journey("consumer", {"group.protocol": "consumer"})

create(f"{name}-money", 1)
settings = {**base, "transactional.id": f"{name}-bank", "transaction.timeout.ms": 20000}
first = Producer(settings)
first.init_transactions()
group = confluent_kafka.Consumer({**base, "group.id": f"{name}-bank"})
for outcome in ["kept", "dropped"]:
    first.begin_transaction()
    for at in range(5):
        first.produce(f"{name}-money", f"{outcome} {at}")
    if outcome == "kept":
        first.send_offsets_to_transaction([TopicPartition(f"{name}-codecs", 0, 77)], group.consumer_group_metadata())
        first.commit_transaction()
    else:
        first.flush()
        first.abort_transaction()
second = Producer(settings)
second.init_transactions()
fenced = False
try:
    first.begin_transaction()
    first.produce(f"{name}-money", "fenced")
    first.commit_transaction()
except confluent_kafka.KafkaException as error:
    fenced = error.args[0].fatal() or error.args[0].txn_requires_abort()
second.begin_transaction()
second.produce(f"{name}-money", "last")
second.commit_transaction()
offset = wait(admin.list_consumer_group_offsets([confluent_kafka.ConsumerGroupTopicPartitions(f"{name}-bank")])[f"{name}-bank"])
saw["transactions"] = {
    "committed": read(f"{name}-money", 6, **{"isolation.level": "read_committed"}),
    "all": len(read(f"{name}-money", 11, **{"isolation.level": "read_uncommitted"})),
    "offset": offset.topic_partitions[0].offset,
    "fenced": bool(fenced),
}

topic = f"{name}-classic"
wait(admin.create_partitions([NewPartitions(topic, 8)])[topic])
resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[
    ConfigEntry("retention.ms", "3600000", incremental_operation=AlterConfigOpType.SET)])
wait(admin.incremental_alter_configs([resource])[resource])
while len(admin.list_topics(topic, 10).topics[topic].partitions) != 8:
    if time.monotonic() > deadline:
        raise TimeoutError("the new partitions")
resource = ConfigResource(ResourceType.TOPIC, topic)
retention = ""
while retention != "3600000" and time.monotonic() < deadline:
    retention = wait(admin.describe_configs([resource])[resource])["retention.ms"].value
low = wait(list(admin.delete_records([TopicPartition(f"{name}-codecs", 0, 100)]).values())[0]).low_watermark
groups = {one.group_id for one in wait(admin.list_consumer_groups()).valid}
wait(admin.delete_consumer_groups([topic])[topic])
gone = topic not in {one.group_id for one in wait(admin.list_consumer_groups()).valid}
for label in ["codecs", "classic", "consumer", "money"]:
    wait(admin.delete_topics([f"{name}-{label}"])[f"{name}-{label}"])
saw["admin"] = {"partitions": 8, "retentionMs": retention, "lowWatermark": low,
                "groups": sorted(one[len(name) + 1:] for one in groups if one.startswith(name)),
                "isGroupGone": gone}
print(json.dumps(saw))

"""The journey of aiokafka. See journey.ts for what every journey does and prints."""
import asyncio
import json
import ssl
import sys
import time

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

place = json.loads(sys.argv[1])
name = place["name"]
context = ssl.create_default_context(cafile=place["ca"])
context.check_hostname = False
context.load_cert_chain(place["certificate"], place["key"])
base = {"bootstrap_servers": place["bootstrap"], "security_protocol": "SSL", "ssl_context": context}
saw = {"client": f"aiokafka {aiokafka.__version__}"}


async def create(admin, topic, partitions):
    answer = await admin.create_topics([NewTopic(topic, partitions, 3)])
    assert all(one[1] == 0 for one in answer.topic_errors), answer
    while True:  # every broker learns of it a moment later
        found = (await admin.describe_topics([topic]))[0]
        if len(found["partitions"]) == partitions and all(one["leader"] >= 0 for one in found["partitions"]):
            return found["partitions"]
        await asyncio.sleep(0.05)


async def produce(topic, values, **settings):
    producer = AIOKafkaProducer(**base, acks="all", enable_idempotence=True, **settings)
    await producer.start()
    sent = [await producer.send(topic, value.encode(), key=b"k%d" % (at % 12)) for at, value in enumerate(values)]
    await asyncio.gather(*sent)
    await producer.stop()


async def read(topic, count, **settings):
    """The values of partition 0, from its beginning."""
    consumer = AIOKafkaConsumer(**base, enable_auto_commit=False, **settings)
    await consumer.start()
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    await consumer.seek_to_beginning(partition)
    values = [(await consumer.getone()).value.decode() for _ in range(count)]
    await consumer.stop()
    return values


class Member(ConsumerRebalanceListener):
    def __init__(self, topic):
        self.topic, self.assigned, self.values = topic, set(), []
        self.consumer = AIOKafkaConsumer(
            **base, group_id=topic, auto_offset_reset="earliest", session_timeout_ms=10000, heartbeat_interval_ms=200)

    async def start(self):
        self.consumer.subscribe([self.topic], listener=self)
        await self.consumer.start()
        return self

    async def on_partitions_assigned(self, assigned):
        self.assigned = {one.partition for one in assigned}

    async def on_partitions_revoked(self, revoked):
        self.assigned = set()

    async def poll(self):
        for messages in (await self.consumer.getmany(timeout_ms=50)).values():
            self.values += [one.value.decode() for one in messages]


async def until(members, holds):
    while not holds():
        await asyncio.gather(*(one.poll() for one in members))


async def group_journey(admin):
    topic = f"{name}-classic"
    await create(admin, topic, 6)
    one, steps = await Member(topic).start(), []
    await until([one], lambda: len(one.assigned) == 6)
    steps.append([6])
    await produce(topic, [f"a{at}" for at in range(60)])
    await until([one], lambda: len(set(one.values)) == 60)
    starting = asyncio.create_task(Member(topic).start())
    await until([one], starting.done)
    two = starting.result()
    await until([one, two], lambda: len(one.assigned) == 3 and len(two.assigned) == 3)
    steps.append([len(one.assigned), len(two.assigned)])
    await produce(topic, [f"b{at}" for at in range(60)])
    await until([one, two], lambda: len({*one.values, *two.values}) == 120)
    await one.consumer.stop()
    await until([two], lambda: len(two.assigned) == 6)
    steps.append([len(two.assigned)])
    await produce(topic, [f"c{at}" for at in range(60)])
    await until([two], lambda: len({*one.values, *two.values}) == 180)
    await two.consumer.stop()
    committed = await admin.list_consumer_group_offsets(topic)
    return {"steps": steps, "read": len({*one.values, *two.values}),
            "committed": sum(one.offset for one in committed.values())}


async def transactions(admin):
    topic = f"{name}-money"
    await create(admin, topic, 1)
    settings = {**base, "transactional_id": f"{name}-bank", "transaction_timeout_ms": 20000}
    first = AIOKafkaProducer(**settings)
    await first.start()
    for outcome in ["kept", "dropped"]:
        await first.begin_transaction()
        for at in range(5):
            await first.send_and_wait(topic, f"{outcome} {at}".encode())
        if outcome == "kept":
            await first.send_offsets_to_transaction({TopicPartition(f"{name}-codecs", 0): 77}, f"{name}-bank")
            await first.commit_transaction()
        else:
            await first.abort_transaction()
    second = AIOKafkaProducer(**settings)
    await second.start()
    fenced = False
    try:
        await first.begin_transaction()
        await first.send_and_wait(topic, b"fenced")
        await first.commit_transaction()
    except KafkaError as error:
        fenced = "Fenced" in type(error).__name__ or "Epoch" in type(error).__name__
    async with second.transaction():
        await second.send(topic, b"last")
    offsets = await admin.list_consumer_group_offsets(f"{name}-bank")
    await second.stop()
    await first.stop()
    return {"committed": await read(topic, 6, isolation_level="read_committed"),
            "all": len(await read(topic, 11)),
            "offset": [one.offset for one in offsets.values()][0], "fenced": fenced}


async def administrate(admin):
    topic = f"{name}-classic"
    await admin.create_partitions({topic: NewPartitions(8)})
    resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs={"retention.ms": "3600000"})
    await admin.alter_configs([resource])
    while len((await admin.describe_topics([topic]))[0]["partitions"]) != 8:
        await asyncio.sleep(0.05)
    retention = ""
    while retention != "3600000":
        answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
        retention = {one[0]: one[1] for one in answers[0].resources[0][4]}["retention.ms"]
    codecs = TopicPartition(f"{name}-codecs", 0)
    low = (await admin.delete_records({codecs: RecordsToDelete(before_offset=100)}))[codecs]
    groups = {one[0] for one in await admin.list_consumer_groups()}
    await admin.delete_topics([f"{name}-{label}" for label in ["codecs", "classic", "money"]])
    return {"partitions": 8, "retentionMs": retention, "lowWatermark": low,
            "groups": sorted(one[len(name) + 1:] for one in groups if one.startswith(name))}


async def main():
    admin = AIOKafkaAdminClient(**base)
    await admin.start()
    found = await create(admin, f"{name}-codecs", 1)
    saw["topic"] = [len(found), len(found[0]["replicas"])]
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    for codec in codecs:
        values = [f"{codec} {at}" for at in range(50)]
        await produce(f"{name}-codecs", values, compression_type=None if codec == "none" else codec)
    sent = [f"{codec} {at}" for codec in codecs for at in range(50)]
    saw["codecs"] = codecs if await read(f"{name}-codecs", 250) == sent else "not in order"
    saw["classic"] = await group_journey(admin)
    saw["transactions"] = await transactions(admin)
    saw["admin"] = await administrate(admin)
    await admin.close()


asyncio.run(asyncio.wait_for(main(), place["limitMs"] / 1000))
print(json.dumps(saw))

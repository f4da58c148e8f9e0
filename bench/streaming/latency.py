"""One record after the other, from send to receipt: prints the times in milliseconds as JSON."""
import json
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

place, topic, count = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
base = {
    "bootstrap.servers": place["bootstrap"],
    "security.protocol": "ssl",
    "ssl.ca.location": place["ca"],
    "ssl.certificate.location": place["certificate"],
    "ssl.key.location": place["key"],
    "ssl.endpoint.identification.algorithm": "none",
}
producer = Producer({**base, "acks": "all", "linger.ms": 0})
consumer = Consumer({**base, "group.id": "latency", "enable.auto.commit": False, "fetch.wait.max.ms": 500})
consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
times = []
for at in range(count):
    began = time.perf_counter()
    producer.produce(topic, b"%099d\n" % at)
    producer.poll(0)
    while True:
        message = consumer.poll(10)
        if message is None or message.error():
            raise RuntimeError(f"record {at} did not come: {message and message.error()}")
        if message.value() == b"%099d\n" % at:
            break
    times.append((time.perf_counter() - began) * 1000)
producer.flush(10)
consumer.close()
print(json.dumps(times))

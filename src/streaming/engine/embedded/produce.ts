// Writes one message for a user without a Kafka client, as a Kafka producer with acks=all would.
import { Fault } from '../../../base/fault.ts';
import { randomHex } from '../../../base/ids.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Partition, Topic } from '../../broker/topic/topics.ts';
import { errorCodes, ProtocolError } from '../../broker/wire/errors.ts';
import { buildBatch } from '../../broker/wire/record-batch.ts';
import { writeRecord } from '../../broker/wire/records.ts';
import type { NewMessage, Produced } from '../inspection.ts';
import { topicNamed } from './inspection.ts';
import { murmur2 } from './murmur2.ts';

export async function produceMessage(broker: Broker, message: NewMessage): Promise<Produced> {
  const key = bytesOf(message.key);
  const partition = partitionFor(topicNamed(broker, message.topic), message.partition, key);
  const { log, leader, leaderEpoch, inSync } = partition;
  if (leader < 0) throw new Fault('unavailable', 'No broker of this partition is running.', { retryAfterS: 1 });
  if (inSync.length < log.config.minInSyncReplicas)
    throw new Fault('unavailable', 'Fewer replicas are in sync than min.insync.replicas requires.', { retryAfterS: 1 });
  const headers = message.headers.map((one) => ({ key: one.key, value: bytesOf(one.value) }));
  try {
    const batch = batchOf(writeRecord(0, 0, key, bytesOf(message.value), headers), broker.cluster.clock.now());
    const { baseOffset } = await log.append(batch, leaderEpoch);
    return { partition: partition.index, offset: baseOffset };
  } catch (error) {
    throw error instanceof ProtocolError ? faultOf(error) : error;
  }
}

// Without a partition, messages with equal keys go to the same one, which Kafka's own clients choose, too.
function partitionFor({ partitions }: Topic, requested: number | null, key: Buffer | null): Partition {
  const count = partitions.length;
  const hash = key === null ? Number.parseInt(randomHex(4), 16) : murmur2(key) & 0x7fffffff;
  const index = requested ?? hash % count;
  const found = partitions[index];
  if (!found) throw new Fault('refused', `[partition] The topic has the partitions 0 to ${count - 1}.`);
  return found;
}

const bytesOf = (base64: string | null): Buffer | null => (base64 === null ? null : Buffer.from(base64, 'base64'));

const batchOf = (record: Buffer, timeMs: number): Buffer =>
  buildBatch(
    {
      baseOffset: 0,
      leaderEpoch: 0,
      compression: 0,
      isLogAppendTime: false,
      isTransactional: false,
      isControl: false,
      lastOffset: 0,
      baseTimestamp: timeMs,
      maxTimestamp: timeMs,
      producerId: -1,
      producerEpoch: -1,
      baseSequence: -1,
      count: 1,
    },
    record,
  );

function faultOf({ code, message }: ProtocolError): Fault {
  if (code === errorCodes.MESSAGE_TOO_LARGE)
    return new Fault('oversized', `The broker refuses the message: ${message}`);
  const isPassing = code === errorCodes.NOT_LEADER_OR_FOLLOWER || code === errorCodes.REQUEST_TIMED_OUT;
  return new Fault(isPassing ? 'unavailable' : 'refused', `The broker refuses the message: ${message}`);
}

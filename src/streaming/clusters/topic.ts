// A topic of a cluster. The broker's topics are the truth, because Kafka clients create, change and delete them too:
// each topic gets a row, and rows follow the changes of clients (topic-sync.ts).
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { pathOf, resource, step, type Task } from '../../core/resource.ts';
import { integer, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { TopicFacts, TopicSpec } from '../engine/engine.ts';
import type { StreamingTools } from '../tools.ts';
import { cluster, nameForm, privilege } from './cluster.ts';
import { stateWords } from './state-words.ts';

const usualRetentionMs = 604_800_000;
const usualSegmentBytes = 1_073_741_824;
const usualPartitions = 3;
const mostPartitions = 4_000; // of a cluster
const largestInt = 2_147_483_647; // clients store these values in 32 bits

export const topic = resource<StreamingTools>({
  name: 'topic',
  plural: 'topics',
  parents: [cluster],
  root: 'streaming/',
  dialect: regional,
  lifecycle: {
    unique: true,
    pace: 0,
    create: [step('create', create, remove)],
    remove: [step('delete', remove, create)],
  },
  verbs: ['list', 'get', 'create', 'remove'],
  rights: { create: privilege },
  actions: 'streaming.topic',
  properties: {
    name: text({ ...nameForm, min: 1, example: 'example' }),
    replicationFactor: integer({
      min: 1,
      max: 3,
      omitNull: true,
      example: 3,
      description: 'The number of brokers that store a copy. Without it, the brokers use 1 and the API shows no value',
    }),
    numberOfPartitions: integer({ min: 1, max: mostPartitions, default: usualPartitions, example: 3 }),
    logRetention: shape(
      {
        retentionTime: integer({
          min: -1,
          default: usualRetentionMs,
          unit: 'ms',
          description: '-1 keeps records until the storage of the cluster is full',
        }),
        segmentBytes: integer({
          title: 'Segment size',
          min: 14,
          default: usualSegmentBytes,
          unit: 'bytes',
          description: 'The size of a segment file',
        }),
      },
      { default: { retentionTime: usualRetentionMs, segmentBytes: usualSegmentBytes } },
    ),
  },
  shown: { stateWords, columns: ['name', 'numberOfPartitions', 'replicationFactor'] },
  sample: { properties: (_near, unique) => ({ name: `topic-${unique}` }) },
  async decide(draft, { store }) {
    if (draft.way !== 'create') return;
    const parent = draft.parents.at(-1) as Row;
    const { name, numberOfPartitions } = draft.values;
    const claim = topicClaim(parent.id, String(name));
    if (await store.claimed(claim))
      throw new Fault('conflict', `The cluster already has a topic named '${String(name)}'. Choose another name.`);
    const others = await store.children(parent.contract, `${pathOf(parent)}/topics`);
    const used = others.reduce((sum, { body }) => sum + (JSON.parse(body) as TopicValues).numberOfPartitions, 0);
    if (used + Number(numberOfPartitions) > mostPartitions)
      throw new Fault(
        'refused',
        `[${draft.at}.numberOfPartitions] A cluster has at most ${mostPartitions} partitions; ${used} are in use`,
      );
    draft.reservations.claims.push(claim);
  },
});

async function create({ contract, path, context }: Task<StreamingTools>): Promise<void> {
  await context.tools.jobs.perform({ verb: 'create topic', contract, path });
}

async function remove({ contract, path, context }: Task<StreamingTools>): Promise<void> {
  await context.tools.jobs.perform({ verb: 'delete topic', contract, path });
}

export type TopicValues = {
  name: string;
  replicationFactor?: number;
  numberOfPartitions: number;
  logRetention: { retentionTime: number; segmentBytes: number };
};

export const topicClaim = (clusterId: string, name: string): string => `cluster-topic ${clusterId}/${name}`;

export function topicSpecOf({ body }: Row): TopicSpec {
  const { name, replicationFactor, numberOfPartitions: partitions, logRetention } = JSON.parse(body) as TopicValues;
  const { retentionTime: retentionMs, segmentBytes } = logRetention;
  return { name, partitions, replicationFactor, retentionMs, segmentBytes };
}

// Returns the API's values of a topic of the broker. A replication factor that was never sent is omitted.
export function valuesOf(facts: TopicFacts, before?: TopicValues): Values {
  const isUnsaid = before !== undefined && before.replicationFactor === undefined && facts.replicationFactor === 1;
  return {
    name: facts.name,
    ...(!isUnsaid && { replicationFactor: facts.replicationFactor }),
    numberOfPartitions: facts.partitions,
    logRetention: {
      retentionTime: Math.min(facts.retentionMs, largestInt),
      segmentBytes: Math.min(facts.segmentBytes, largestInt),
    },
  };
}

// Data of all kinds in a region, and all its answers, for tests that bring a region back.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Admin, Kafka } from 'kafkajs';
import { collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { ask, dataOf, portOf } from '../dns/query.ts';
import { addLogPipeline, type LogPipeline, search } from '../harness/logs.ts';
import { addPipeline, type MetricPipeline, plainText, type Sample } from '../harness/metrics.ts';
import { makeStorageKey, provideBuckets, type StorageKey, s3Client } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import type { Region } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilState } from '../streaming/clusters.ts';
import { fill, operationsOf } from '../sweep/api.ts';
import type { World } from '../sweep/world.ts';

export const run = (region: Region, verb: string, ...more: string[]) =>
  cumulet(['savepoint', verb, ...more, '--json', '--data', region.data]);

export async function savePoint(region: Region, verb: string, ...more: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(region, verb, ...more);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

// Paths that return the time or count calls, or create something with each call.
const movingServices = ['billing', 'activitylog', 'region'];
const moving = new RegExp(
  '^(token_generate|info_get|lab_(clock|machine|group|savepoint)|server_token|server_remoteConsole|console_' +
    '|secondaryzone_axfr_get)',
);
const measured = /"(evaluationTime|lastEvaluation|health|lastError)":("[^"]*"|[\d.]+)/g; // of rules that run at the same time

export async function allAnswers(region: Region, { ids }: Pick<World, 'ids'>): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const one of await operationsOf(region)) {
    if (one.method !== 'GET' || moving.test(one.id) || movingServices.includes(one.service)) continue;
    const { status, body } = await region.call('GET', fill(one, ids));
    answers.set(`${one.id} ${one.path}`, `${status} ${JSON.stringify(body).replaceAll(measured, '"$1":null')}`);
  }
  return answers;
}

// Where the data is, and the keys to it.
export interface DataPlaces {
  metrics: Pick<MetricPipeline, 'path' | 'key'>;
  logs: Pick<LogPipeline, 'path' | 'key'>;
  storage: StorageKey;
  clusterId: string;
}

// Data of all kinds, and a look at it.
export class Data {
  #region: Region;
  #places!: DataPlaces;
  #s3!: S3Client;
  #kafka!: Kafka;

  constructor(region: Region) {
    this.#region = region;
  }

  async prepare(): Promise<DataPlaces> {
    const region = this.#region;
    const { path, key } = await addPipeline(region);
    const logs = await addLogPipeline(region);
    await provideBuckets(region, 'kept', 'versions');
    const storage = await makeStorageKey(region);
    const { id: clusterId } = await addCluster(region);
    await addTopic(region, clusterId, { name: 'orders', numberOfPartitions: 1, replicationFactor: 1 });
    const places = { metrics: { path, key }, logs: { path: logs.path, key: logs.key }, storage, clusterId };
    await this.open(places);
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await this.#s3.send(new PutBucketVersioningCommand({ Bucket: 'versions', VersioningConfiguration }));
    return places;
  }

  // Data that is in the region already.
  async open(places: DataPlaces): Promise<void> {
    this.#places = places;
    this.#s3 = s3Client(this.#region, places.storage);
    const cluster = await untilState(this.#region, `${clusters}/${places.clusterId}`, 'AVAILABLE');
    this.#kafka = kafkajsOf(await reach(this.#region, cluster));
  }

  // Another region has the same now.
  moveTo(region: Region): void {
    this.close();
    this.#region = region;
    this.#s3 = s3Client(region, this.#places.storage);
  }

  async write(value: string): Promise<void> {
    const { metrics, logs } = this.#places;
    const sample = `orders{step="${value}"} 1\n`;
    await this.#push(`${metrics.path}/api/v1/push`, sample, { ...plainText, apikey: metrics.key });
    await this.#push(`${logs.path}/app`, [{ message: value }], { apikey: logs.key });
    const large = Buffer.alloc(300_000, value);
    await this.#s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'small', Body: value }));
    await this.#s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'large', Body: large }));
    await this.#s3.send(new PutObjectCommand({ Bucket: 'versions', Key: 'object', Body: value }));
    const producer = await producerOf(this.#kafka);
    const [record] = await producer.send({ topic: 'orders', messages: [{ value }] });
    await producer.disconnect();
    const partitions = [{ partition: 0, offset: String(record?.baseOffset) }];
    await this.#administer((admin) => admin.setOffsets({ groupId: 'readers', topic: 'orders', partitions }));
  }

  async #push(path: string, body: unknown, headers: Record<string, string>): Promise<void> {
    const answer = await this.#region.call('POST', path, body, { token: null, headers });
    assert.ok(answer.status === 200 || answer.status === 204, JSON.stringify(answer.body));
  }

  async read(): Promise<object> {
    const lines = await search(this.#region, this.#places.logs, '{tag="app"}');
    const samples = await this.#samples();
    const objects = [];
    const { Contents = [] } = await this.#s3.send(new ListObjectsV2Command({ Bucket: 'kept' }));
    for (const { Key } of Contents) {
      const { Body, ETag } = await this.#s3.send(new GetObjectCommand({ Bucket: 'kept', Key }));
      objects.push([ETag, (await Body?.transformToString())?.slice(0, 10)]);
    }
    return {
      lines: lines.map(({ line }) => line).sort(),
      samples: samples.map(({ metric }) => metric.step).sort(),
      objects,
      ...(await this.#offsets()),
    };
  }

  async #offsets(): Promise<object> {
    return this.#administer(async (admin) => {
      const offsets = await admin.fetchTopicOffsets('orders');
      const [group] = await admin.fetchOffsets({ groupId: 'readers', topics: ['orders'] });
      return { offsets: offsets.map(({ high }) => high), committed: group?.partitions.map(({ offset }) => offset) };
    });
  }

  async #administer<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = await connected(this.#kafka.admin());
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  // By a group that has read nothing yet.
  async records(count: number): Promise<string[]> {
    const consumer = await collect(this.#kafka, `group-${randomUUID()}`, 'orders');
    try {
      await consumer.until(() => consumer.received.length >= count);
    } finally {
      await consumer.stop();
    }
    return consumer.received.map(({ value }) => value);
  }

  // The bodies of all versions of an object, latest first.
  async versions(): Promise<unknown[]> {
    const { Versions = [] } = await this.#s3.send(new ListObjectVersionsCommand({ Bucket: 'versions' }));
    const bodies = [];
    for (const { Key, VersionId } of Versions) {
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: 'versions', Key, VersionId }));
      bodies.push([VersionId, await Body?.transformToString()]);
    }
    return bodies;
  }

  async #samples(): Promise<Sample[]> {
    const { path, key } = this.#places.metrics;
    const query = encodeURIComponent('last_over_time(orders[2h])');
    const options = { token: null, headers: { apikey: key } };
    type QueryAnswer = { data: { result: Sample[] } };
    const answer = await this.#region.call<QueryAnswer>(
      'GET',
      `${path}/api/v1/query?query=${query}`,
      undefined,
      options,
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.result;
  }

  close(): void {
    this.#s3.destroy();
  }
}

// What products answer to their own protocols and queries, from the resources of a world.
export async function queries(region: Region, { ids }: Pick<World, 'ids'>): Promise<object> {
  const record = await region.call('GET', `/dns/zones/${ids.zoneId}/records/${ids.recordId}`);
  const { fqdn } = record.body.metadata;
  const { type } = record.body.properties;
  const found = await region.call('POST', `/inference/collections/${ids.collectionId}/query`, { query: 'swept' });
  const { matches } = found.body.properties as { matches: { document: { properties: object } }[] };
  const path = `/activitylog/v1/contracts/${region.contract}?limit=1000`;
  const { body } = await region.call<{ hits: { hits: { _source: object }[] } }>('GET', path);
  return {
    dns: dataOf(await ask(portOf(region), String(fqdn), String(type))),
    documents: matches.map(({ document }) => document.properties),
    changes: body.hits.hits.map(({ _source }) => JSON.stringify(_source)).filter((one) => !one.includes('"GET"')),
  };
}

// Data of all kinds in a region, and all its answers, for tests that bring a region back.
import assert from 'node:assert/strict';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Kafka } from 'kafkajs';
import { connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { addLogPipeline, type LogPipeline, search } from '../harness/logs.ts';
import { addPipeline, type MetricPipeline, plainText, type Sample } from '../harness/metrics.ts';
import { makeStorageKey, provideBuckets, type StorageKey, s3Client } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import type { Region } from '../harness/region.ts';
import { addCluster, addTopic, reach } from '../streaming/clusters.ts';
import { fill, operationsOf } from '../sweep/api.ts';
import type { World } from '../sweep/world.ts';

export const run = (region: Region, verb: string, ...more: string[]) =>
  cumulet(['savepoint', verb, ...more, '--json', '--data', region.data]);

export async function savePoint(region: Region, verb: string, ...more: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(region, verb, ...more);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

// What tells the time or counts calls, and what makes something new with each call.
const movingServices = ['billing', 'activitylog', 'region'];
const moving = new RegExp(
  '^(token_generate|info_get|lab_(clock|machine|group|savepoint)|server_token|server_remoteConsole|console_' +
    '|secondaryzone_axfr_get)',
);
const measured = /"(evaluationTime|lastEvaluation|health|lastError)":("[^"]*"|[\d.]+)/g; // of rules that run meanwhile

export async function allAnswers(region: Region, { ids }: World): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const one of await operationsOf(region)) {
    if (one.method !== 'GET' || moving.test(one.id) || movingServices.includes(one.service)) continue;
    const { status, body } = await region.call('GET', fill(one, ids));
    answers.set(`${one.id} ${one.path}`, `${status} ${JSON.stringify(body).replaceAll(measured, '')}`);
  }
  return answers;
}

// Data of all kinds, and a look at it.
export class Data {
  #region: Region;
  #metrics!: MetricPipeline;
  #logs!: LogPipeline;
  #s3!: S3Client;
  #key!: StorageKey;
  #kafka!: Kafka;

  constructor(region: Region) {
    this.#region = region;
  }

  async prepare(): Promise<void> {
    const region = this.#region;
    this.#metrics = await addPipeline(region);
    this.#logs = await addLogPipeline(region);
    await provideBuckets(region, 'kept');
    this.#key = await makeStorageKey(region);
    this.#s3 = s3Client(region, this.#key);
    const cluster = await addCluster(region);
    await addTopic(region, cluster.id, { name: 'orders', numberOfPartitions: 1, replicationFactor: 1 });
    this.#kafka = kafkajsOf(await reach(region, cluster));
  }

  // Another region has the same now.
  moveTo(region: Region): void {
    this.close();
    this.#region = region;
    this.#s3 = s3Client(region, this.#key);
  }

  async write(value: string): Promise<void> {
    const region = this.#region;
    assert.equal((await this.#metrics.push(`orders{step="${value}"} 1\n`, plainText)).status, 204);
    const sent = await region.call('POST', `${this.#logs.path}/app`, [{ message: value }], {
      token: null,
      headers: { apikey: this.#logs.key },
    });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const large = Buffer.alloc(300_000, value);
    await this.#s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'small', Body: value }));
    await this.#s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'large', Body: large }));
    const producer = await producerOf(this.#kafka);
    await producer.send({ topic: 'orders', messages: [{ value }] });
    await producer.disconnect();
  }

  async read(): Promise<object> {
    const lines = await search(this.#region, this.#logs, '{tag="app"}');
    const samples = await this.#samples();
    const objects = [];
    const { Contents = [] } = await this.#s3.send(new ListObjectsV2Command({ Bucket: 'kept' }));
    for (const { Key } of Contents) {
      const { Body, ETag } = await this.#s3.send(new GetObjectCommand({ Bucket: 'kept', Key }));
      objects.push([ETag, (await Body?.transformToString())?.slice(0, 10)]);
    }
    const admin = await connected(this.#kafka.admin());
    const offsets = await admin.fetchTopicOffsets('orders');
    await admin.disconnect();
    return {
      lines: lines.map(({ line }) => line).sort(),
      samples: samples.map(({ metric }) => metric.step).sort(),
      objects,
      offsets: offsets.map(({ high }) => high),
    };
  }

  async #samples(): Promise<Sample[]> {
    const { path, key } = this.#metrics;
    const query = encodeURIComponent('last_over_time(orders[1h])');
    const options = { token: null, headers: { apikey: key } };
    type Asked = { data: { result: Sample[] } };
    const answer = await this.#region.call<Asked>('GET', `${path}/api/v1/query?query=${query}`, undefined, options);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.result;
  }

  close(): void {
    this.#s3.destroy();
  }
}

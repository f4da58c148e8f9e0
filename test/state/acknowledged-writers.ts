// Clients that write to one node without a pause longer than a moment, whatever state it is in, and remember what was
// acknowledged. Unacknowledged data is sent again unchanged: lines and samples have a time, objects a name and Kafka
// records a number, so a repetition is not kept twice.
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Producer } from 'kafkajs';
import { pause } from '../../src/testing/waiting.ts';
import { type ForwardClient, type ForwardPlace, openForward } from '../harness/forward.ts';
import { type LogPipeline, search } from '../harness/logs.ts';
import type { MetricPipeline } from '../harness/metrics.ts';
import type { Region } from '../harness/region.ts';

const pauseMs = 20;
const answerLimitMs = 5000;
const ackLimitMs = 1000;

export interface Item {
  number: number; // from 1 on
  timeMs: number; // no two of a writer have the same
}

// Resolves when it is acknowledged; rejects where it is not.
export type Send = (item: Item) => Promise<void>;

export class Writer {
  readonly name: string;
  readonly acknowledged: number[] = [];
  readonly refusals: string[] = [];
  readonly #send: Send;
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(name: string, send: Send) {
    this.name = name;
    this.#send = send;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    let timeMs = Date.now();
    for (let number = 1; !this.#isStopped; number++) {
      // not a wait: it writes
      timeMs = Math.max(timeMs + 1, Date.now());
      if (await this.#insist({ number, timeMs })) this.acknowledged.push(number);
      await pause(pauseMs);
    }
  }

  async #insist(item: Item): Promise<boolean> {
    while (!this.#isStopped) {
      // not a wait: it writes
      try {
        await this.#send(item);
        return true;
      } catch (error) {
        this.refusals.push(error instanceof Error ? error.message : String(error));
        await pause(pauseMs);
      }
    }
    return false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
}

const refused = (status: number, retryAfter: string | null | undefined, body: string): Error =>
  new Error(`${status} retry-after ${retryAfter} ${body}`);

async function post(url: string, key: string, type: string, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { apikey: key, 'content-type': type },
    body,
    signal: AbortSignal.timeout(answerLimitMs),
  });
  const text = await answer.text();
  if (!answer.ok) throw refused(answer.status, answer.headers.get('retry-after'), text);
}

export const lineSender =
  (node: string, { path, key }: LogPipeline): Send =>
  ({ number, timeMs }) =>
    post(`${node}${path}/app`, key, 'application/json', JSON.stringify({ number, timestamp: timeMs }));

export const sampleSender =
  (node: string, { path, key }: MetricPipeline): Send =>
  ({ number, timeMs }) =>
    post(`${node}${path}/api/v1/push`, key, 'text/plain', `item ${number} ${timeMs}\n`);

// Agents close a connection on which a chunk is not acknowledged in time.
export function forwardSender(place: ForwardPlace, pipeline: LogPipeline): { send: Send; close(): void } {
  let client: ForwardClient | undefined;
  const close = (): void => {
    client?.close();
    client = undefined;
  };
  const send: Send = async ({ number, timeMs }) => {
    try {
      client ??= await openForward(place, pipeline);
      const limit = setTimeout(close, ackLimitMs);
      const message = ['agent', Math.floor(timeMs / 1000), { number }];
      await client
        .sendAcked(message, Buffer.from(String(number)).toString('base64'))
        .finally(() => clearTimeout(limit));
    } catch (error) {
      close();
      throw error;
    }
  };
  return { send, close };
}

export const objectSender =
  (s3: S3Client, Bucket: string): Send =>
  async ({ number }) => {
    const options = { abortSignal: AbortSignal.timeout(answerLimitMs) };
    try {
      await s3.send(new PutObjectCommand({ Bucket, Key: String(number), Body: `object ${number}` }), options);
    } catch (error) {
      const { name, message, $response } = error as Error & { $response?: Answered };
      if (!$response) throw error;
      throw refused($response.statusCode, $response.headers['retry-after'], `${name} ${message}`);
    }
  };

interface Answered {
  statusCode: number;
  headers: Record<string, string>;
}

export const recordSender =
  (producer: Producer, topic: string): Send =>
  async ({ number }) =>
    void (await producer.send({ topic, acks: -1, messages: [{ value: String(number) }] }));

export async function linesFound(region: Region, pipeline: LogPipeline, tag: string): Promise<number[]> {
  const found = await search(region, pipeline, `{tag="${tag}"}`);
  return found.map(({ line }) => (JSON.parse(line) as Item).number);
}

export async function samplesFound(region: Region, { path, key }: MetricPipeline): Promise<number[]> {
  const { body } = await region.call<{ data: { result: { values: [number, string][] }[] } }>(
    'GET',
    `${path}/api/v1/query?${new URLSearchParams({ query: 'item[2h]' })}`,
    undefined,
    { token: null, headers: { apikey: key } },
  );
  return body.data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
}

// Those that are listed, if their content is what was put.
export async function objectsFound(s3: S3Client, Bucket: string): Promise<number[]> {
  const found: number[] = [];
  let StartAfter: string | undefined;
  for (;;) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, ...(StartAfter && { StartAfter }) }));
    for (const { Key = '' } of Contents) {
      const content = await s3
        .send(new GetObjectCommand({ Bucket, Key }))
        .then(({ Body }) => Body?.transformToString())
        .catch((error: Error) => error.message);
      if (content === `object ${Key}`) found.push(Number(Key));
    }
    StartAfter = Contents.at(-1)?.Key;
    if (StartAfter === undefined) return found;
  }
}

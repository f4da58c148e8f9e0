// Lanes of what the engines keep: samples, log lines, objects, records and topics; and calls to models.
import { readFileSync } from 'node:fs';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { body1, remoteWrite1 } from '../../clients/promql/remote-write.ts';
import { type ForwardClient, openForward } from '../../harness/forward.ts';
import { addLogPipeline, type LogPipeline, post, search } from '../../harness/logs.ts';
import { addPipeline, plainText } from '../../harness/metrics.ts';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import type { Region } from '../../harness/region.ts';
import { type LaneWork, Refused } from './lane.ts';

const laneMs = 250;
const answerMs = 20_000; // a client waits no longer

export async function metricLanes(region: Region): Promise<LaneWork[]> {
  const pipeline = await addPipeline(region);
  const lane = (name: string, metric: string, write: LaneWork['write']): LaneWork => ({
    name,
    needs: ['metrics'],
    everyMs: laneMs,
    write,
    async stored(node = region) {
      const found = await pipeline.at(node).vector(`sum by (id) (count_over_time(${metric}[2h]))`);
      return found.flatMap(({ metric: { id }, value }) => new Array<string>(Number(value[1])).fill(String(id)));
    },
  });
  const written = (id: string): Buffer => {
    const labels = Object.entries({ __name__: 'remote', id });
    return body1([{ labels, points: [[Date.now(), 1]] }]);
  };
  return [
    lane('samples as text', 'outside', (id) => pipeline.push(`outside{id="${id}"} 1\n`, plainText)),
    lane('samples by remote write', 'remote', (id) => pipeline.push(written(id), remoteWrite1)),
  ];
}

export async function logLanes(region: Region, ca: string): Promise<LaneWork[]> {
  const pipeline = await addLogPipeline(region);
  let client: ForwardClient | undefined;
  const forward = async (id: string): Promise<undefined> => {
    try {
      client ??= await within(openForward(region, pipeline, { ca: readFileSync(ca, 'utf8') }), 'a connection');
      const chunk = Buffer.from(id).toString('base64');
      await within(client.sendAcked(['agent', [[Math.floor(Date.now() / 1000), { id }]]], chunk), 'an answer');
    } catch (error) {
      client?.close();
      client = undefined;
      throw error;
    }
  };
  return [
    {
      name: 'lines by HTTP',
      needs: ['logs'],
      everyMs: laneMs,
      write: (id) => post(region, pipeline, '/app', [{ id }]),
      stored: (node = region) => linesOf(node, pipeline, 'app'),
    },
    {
      name: 'lines by forward',
      needs: ['logs'],
      isHttp: false,
      everyMs: laneMs,
      write: forward,
      stored: (node = region) => linesOf(node, pipeline, 'agent'),
    },
  ];
}

// In parts, because a search returns 5,000 lines at most.
async function linesOf(region: Region, pipeline: LogPipeline, tag: string): Promise<string[]> {
  const [partMs, parts] = [300_000, 12];
  const now = Date.now();
  const found: string[] = [];
  for (let part = parts; part >= 0; part--) {
    const from = now - part * partMs;
    const range = { start: `${from}000000`, end: `${from + partMs}000000`, since: '' };
    const lines = await search(region, pipeline, `{tag="${tag}"}`, range);
    found.push(...lines.map(({ line }) => String((JSON.parse(line) as { id: string }).id)));
  }
  return found;
}

const bucket = 'outside';
const partBytes = 5 * 1024 * 1024;
// Its content follows from its name.
const contentOf = (id: string, bytes: number): Buffer => Buffer.alloc(bytes, `${id} `);

export async function objectLanes(region: Region): Promise<LaneWork[]> {
  const requestHandler = { requestTimeout: answerMs, connectionTimeout: answerMs, throwOnRequestTimeout: true };
  const key = await makeStorageKey(region);
  const at = (node: Region): S3Client => s3Client(node, key, { requestHandler });
  const s3 = at(region);
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const sizeOf = (id: string): number => 2000 + (Number.parseInt(id.split('-')[1] ?? '', 10) % 7) * 9000;
  const put = (id: string): Promise<unknown> =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: id, Body: contentOf(id, sizeOf(id)) }));
  return [
    {
      name: 'objects',
      needs: ['objects'],
      everyMs: laneMs,
      write: (id) => asAnswer(put(id)),
      stored: (node = region) => objectsOf(at(node), 'objects-', sizeOf),
    },
    {
      name: 'large objects',
      needs: ['objects'],
      everyMs: 2500,
      write: (id) => asAnswer(upload(s3, id)),
      stored: (node = region) => objectsOf(at(node), 'largeobjects-', () => partBytes + 1000),
    },
  ];
}

async function upload(s3: S3Client, id: string): Promise<void> {
  const place = { Bucket: bucket, Key: id };
  const content = contentOf(id, partBytes + 1000);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place));
  const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
  for (const PartNumber of [1, 2]) {
    const Body = content.subarray((PartNumber - 1) * partBytes, PartNumber * partBytes);
    const { ETag } = await s3.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body }));
    Parts.push({ ETag, PartNumber });
  }
  await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }));
}

async function asAnswer(sent: Promise<unknown>): Promise<undefined> {
  try {
    await sent;
  } catch (error) {
    const { $metadata, name, message } = error as Error & { $metadata?: { httpStatusCode?: number } };
    throw new Refused($metadata?.httpStatusCode ?? 0, `${name}: ${message}`);
  }
}

// Only objects with the right content count.
async function objectsOf(s3: S3Client, Prefix: string, sizeOf: (id: string) => number): Promise<string[]> {
  const found: string[] = [];
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken, MaxKeys: 50 }));
    const keys = (page.Contents ?? []).map(({ Key = '' }) => Key);
    const isRight = await Promise.all(
      keys.map(async (key) => (await read(s3, key)).equals(contentOf(key, sizeOf(key)))),
    );
    found.push(...keys.filter((_, at) => isRight[at]));
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) return found;
  }
}

async function read(s3: S3Client, Key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const question = { model: 'mistralai/Mistral-Small-24B-Instruct', max_tokens: 4 };

export const modelLane = (region: Region): LaneWork => ({
  name: 'model calls',
  needs: ['inference'],
  everyMs: laneMs,
  write: (id, node = region) =>
    node.call('POST', '/inference/v1/chat/completions', { ...question, messages: [{ role: 'user', content: id }] }),
});

async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const limit = AbortSignal.timeout(answerMs);
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new Error(`${what} did not come in ${answerMs} ms`)));
  });
  return Promise.race([work, late]);
}

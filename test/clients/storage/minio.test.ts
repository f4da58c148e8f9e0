// The contract of blob engines on MinIO, in a full run (it is built from a Go module, which takes minutes) or if
// CUMULET_MINIO names one.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite } from 'node:test';
import { CreateBucketCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { type BlobBench, blobContract, openRemoteBlobs } from '../../../src/testing/black-box/objects.ts';
import { bound } from '../../../src/testing/bound.ts';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { endsWithin } from '../../harness/process.ts';
import { minio } from './programs.ts';

const isWanted = isFull || process.env.CUMULET_MINIO;
const program = isWanted ? await minio() : { skip: 'MinIO is built in a full run only (--full)' };
const folder = mkdtempSync(join(tmpdir(), 'cumulet-minio-'));
const accessKeyId = 'contract-of-blobs';

let server: ChildProcess | undefined;
let port = 0;
let s3: S3Client;
let buckets = 0;

suite('[OBJ-02] MinIO behind the remote engine', { skip: program.skip ?? false }, () => {
  before(start);
  after(async () => {
    s3?.destroy();
    server?.kill('SIGTERM');
    if (server) await endsWithin(server, limits.agent);
    rmSync(folder, { recursive: true, force: true });
  });
  blobContract('remote', opened);
});

async function start(): Promise<void> {
  port = await freePort();
  const args = ['server', '--quiet', '--address', `127.0.0.1:${port}`, join(folder, 'drive')];
  const env = { HOME: folder, MINIO_ROOT_USER: accessKeyId, MINIO_ROOT_PASSWORD: accessKeyId, MINIO_BROWSER: 'off' };
  server = spawn(...bound(program.path ?? '', args), { env: { ...process.env, ...env }, stdio: 'ignore' });
  const credentials = { accessKeyId, secretAccessKey: accessKeyId };
  s3 = new S3Client({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true, credentials });
  const look = (): Promise<boolean> => {
    assert.equal(server?.exitCode, null, 'MinIO has ended');
    return isReady();
  };
  await until('MinIO answers', look, undefined, { limitMs: limits.agent });
}

const isReady = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/minio/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

// A bucket for each case.
async function opened(): Promise<BlobBench> {
  const Bucket = `blobs-${++buckets}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  const engine = openRemoteBlobs(
    `s3+http://${accessKeyId}:${accessKeyId}@127.0.0.1:${port}/${Bucket}?region=us-east-1`,
  );
  return {
    engine,
    async leftovers() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      return [...Contents, ...Uploads].map(({ Key = '' }) => Key);
    },
    close: () => engine.close(),
  };
}

// The servers that are compared: the object storage of a region, MinIO with one drive, and a plain node:http server of
// one file. Each is on the servers' core.
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type S3Credentials, sign } from '../../src/core/s3-signature/sign.ts';
import { minio } from '../../test/clients/storage/programs.ts';
import { end, freePort, start, untilSo, within } from '../harness/children.ts';
import { type Bench, Skipped } from '../harness/figure.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { profiled } from '../harness/sides.ts';

export interface ObjectServer {
  name: string;
  port: number;
  pid: number;
  credentials?: S3Credentials;
  stop(): Promise<void>;
}

export type Opener = (bench: Bench, folder: string) => Promise<ObjectServer>;

export const bucket = 'bench';

export const openOurs: Opener = async (bench, folder) => {
  const region = await startRegion({ data: join(folder, 'ours'), ...profiled(bench) });
  try {
    const server = await storageOf(region);
    await makeBucket(server, bucket);
    return server;
  } catch (error) {
    await region.stop();
    throw error;
  }
};

// With a new key of the owner's.
export async function storageOf(region: Region): Promise<ObjectServer & { credentials: S3Credentials }> {
  const { body } = await region.expect(200, { path: '/cloudapi/v6/um/users?depth=0' });
  const [user] = (JSON.parse(body) as { items: { id: string }[] }).items;
  const made = await region.call({ method: 'POST', path: `/cloudapi/v6/um/users/${user?.id}/s3keys` });
  if (made.status >= 300) throw new Error(`no key: ${made.status} ${made.body}`);
  const { id, properties } = JSON.parse(made.body) as { id: string; properties: { secretKey: string } };
  const credentials = { accessKey: id, secretKey: properties.secretKey, region: 'eu-central-3' };
  const port = Number(new URL(region.services.objects ?? '').port);
  return { name: 'ours', port, pid: region.pid, credentials, stop: region.stop };
}

// By default, MinIO writes past the page cache and syncs the content and the metadata of each object, but not the
// folders that name them.
export const openMinio: Opener = async (_, folder) => {
  const found = await minio();
  if (!found.path) throw new Skipped(found.skip);
  const port = await freePort();
  const drive = join(folder, 'minio');
  mkdirSync(drive);
  const credentials = { accessKey: 'benchbench', secretKey: 'benchbench', region: 'us-east-1' };
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, MINIO_BROWSER: 'off', MINIO_UPDATE: 'off' },
    ...{ MINIO_ROOT_USER: credentials.accessKey, MINIO_ROOT_PASSWORD: credentials.secretKey },
  };
  const args = ['server', '--quiet', '--address', `127.0.0.1:${port}`, drive];
  const child = start('server', found.path, args, { stdio: 'ignore', env });
  const server = { name: 'minio', port, pid: child.pid ?? 0, credentials, stop: () => end(child, 30_000) };
  try {
    await untilSo('MinIO is ready', async () => (await fetch(`http://127.0.0.1:${port}/minio/health/ready`)).ok);
    await makeBucket(server, bucket);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
};

export async function makeBucket(server: ObjectServer & { credentials: S3Credentials }, name: string): Promise<void> {
  const url = new URL(`http://127.0.0.1:${server.port}/${name}`);
  const request = { method: 'PUT', url, headers: {}, payloadHash: 'UNSIGNED-PAYLOAD' };
  const { host: _, ...headers } = sign(request, server.credentials, Date.now());
  const answer = await fetch(url, { method: 'PUT', headers });
  if (answer.status !== 200) throw new Error(`${server.name}: no bucket: ${answer.status} ${await answer.text()}`);
}

// The minimum with node:http: a file, piped into each answer.
export async function openFileServer(path: string): Promise<ObjectServer> {
  const child = start('server', process.execPath, [fileURLToPath(import.meta.url), path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', (port: number) => resolve(port));
    child.once('exit', () => reject(new Error('the file server ended')));
  });
  const port = await within(10_000, 'start of the file server', listening);
  return { name: 'node:http', port, pid: child.pid ?? 0, stop: () => end(child) };
}

function serveFile(path: string): void {
  const { size } = statSync(path);
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'binary/octet-stream', 'Content-Length': size });
    pipeline(createReadStream(path), response, () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address && typeof address === 'object') process.send?.(address.port);
  });
}

if (import.meta.main) {
  serveFile(process.argv[2] ?? '');
  process.once('disconnect', () => process.exit());
}

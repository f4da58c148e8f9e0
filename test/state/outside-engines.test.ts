// Nodes that share outside engines: every node must use the same ones, and the state records which.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { freePort } from '../../src/testing/free-port.ts';
import { type Nodes, refusedLine, startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const metrics = ['--metrics', 'prometheus+http://127.0.0.1:9'];

describe('nodes with objects in an outside store', () => {
  let store: Region;
  let nodes: Nodes;
  let address: string;
  let shown: string; // without the key
  let urls: string[];

  before(async () => {
    store = await startRegion();
    const { accessKeyId, secretAccessKey } = await makeStorageKey(store);
    const s3 = s3Client(store, { accessKeyId, secretAccessKey });
    for (const Bucket of ['bytes', 'others']) await s3.send(new CreateBucketCommand({ Bucket }));
    const { host } = new URL(storageUrl(store));
    shown = `s3+http://${host}/bytes`;
    address = `s3+http://${accessKeyId}:${encodeURIComponent(secretAccessKey)}@${host}/bytes?region=eu-central-3`;
    nodes = await startNodes(0, ['--objects', address, ...metrics]);
    const ports = [await freePort(), await freePort()];
    urls = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const port of ports) await nodes.add(['--port', `${port}`, '--node-url', `http://127.0.0.1:${port}`]);
  });

  after(async () => {
    await nodes[Symbol.asyncDispose]();
    await store.stop();
  });

  const up = (...engines: string[]): Promise<string> =>
    refusedLine(['--data', join(nodes.root, 'another'), '--state', nodes.url, '--key', nodes.key, ...engines]);
  const check = (...more: string[]) =>
    cumulet(['state', 'check', '--data', join(nodes.root, 'none'), '--state', nodes.url, '--key', nodes.key, ...more]);

  test('[GEN-06] refuse one with another engine next to them, and serve on', async () => {
    const problem = `The objects of this region are at ${shown}, but this node was started with --objects `;
    for (const [given, name] of [
      [[], 'embedded'],
      [['--objects', 'here'], 'here'],
      [['--objects', address.replace('/bytes', '/others')], shown.replace('/bytes', '/others')],
    ] as const) {
      const line = await up(...given, ...metrics);
      assert.ok(line.includes(`${problem}${name}. Start it with the --objects of the others.`), line);
      assert.ok(line.includes(`2 other nodes run (${urls[0]} (pid `), line);
    }
    assert.match(await up('--objects', address), /The metrics of this region are at prometheus\+http:/);
    for (const node of nodes.all) assert.equal((await node.call('GET', '/ready')).status, 200);
  });

  test('[GEN-06] refuse one whose key or bucket the store refuses', async () => {
    const wrong = await up('--objects', address.replace(/:[^:@]+@/, ':no-secret@'), ...metrics);
    assert.match(wrong, /a list of the bucket 'bytes' was answered with 403 SignatureDoesNotMatch\. Correct the key/);
    assert.doesNotMatch(wrong, /no-secret/);
    const missing = await up('--objects', address.replace('/bytes', '/missing'), ...metrics);
    assert.match(missing, /bucket 'missing' was answered with 404 NoSuchBucket\. Create the bucket/);
  });

  test('are shown by their URLs in `status`', async () => {
    const screen = (await cumulet(['status', '--data', (nodes.all[0] as Region).data])).stdout;
    for (const [at, url] of urls.entries())
      assert.match(screen, new RegExp(`node +${RegExp.escape(url)} \\(pid ${nodes.all[at]?.pid}\\)`));
  });

  test('[GEN-06] stopped: `state check` reads the outside bytes or reports that it did not', async () => {
    const [node] = nodes.all as [Region];
    const s3 = s3Client(node, await makeStorageKey(node));
    await s3.send(new CreateBucketCommand({ Bucket: 'kept' }));
    await s3.send(new PutObjectCommand({ Bucket: 'kept', Key: 'one', Body: 'x'.repeat(1000) }));
    await Promise.all(nodes.all.map((one) => one.halt('SIGTERM')));
    const { code, stdout } = await check();
    assert.equal(code, 0, stdout);
    const says = `Skipped the bytes of objects: they are stored at ${shown}. Pass --objects with its credentials to check them.`;
    assert.ok(stdout.includes(says), stdout);
    assert.match(stdout, /Skipped the metrics: they are stored at prometheus\+http:\/\/127\.0\.0\.1:9\./);
    assert.match((await check('--objects', address)).stdout, /and the bytes of 1 objects: no damage found/);
    const refused = await check('--objects', address.replace(/:[^:@]+@/, ':no-secret@'));
    assert.match(refused.stdout, /The bytes of objects were not checked\. The S3 server .* 403 SignatureDoesNotMatch/);
  });

  test('[GEN-06] stopped: the first to start needs an option to change the engine', async () => {
    assert.match(await up(...metrics), /Start it with the right --objects, or with --objects here to leave them there/);
    await using moved = await startNodes(0, ['--objects', 'here', ...metrics], nodes.url);
    copyFileSync(nodes.key, moved.key);
    const node = moved.make();
    node.token = (nodes.all[0] as Region).token;
    await node.start();
    assert.equal((await node.call('GET', '/ready')).status, 200);
  });
});

// Two nodes behind HAProxy, with their engines outside: each node is stopped by SIGTERM and started again while clients
// call several products, download slowly, read streams of models and follow events. No call fails. Then PostgreSQL and
// the nodes end, and each product's clients still get their form of a 503.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { freePort } from '../../src/testing/free-port.ts';
import { startPostgres } from '../../src/testing/postgres.ts';
import { isFull } from '../../src/testing/seed.ts';
import { pause, until } from '../../src/testing/waiting.ts';
import { signIn } from '../console/harness/calls.ts';
import { Events } from '../console/harness/events.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { Balancer, balancerFile, freeNodePorts, portOptions } from '../harness/outside/balancer.ts';
import { core } from '../harness/people.ts';
import { Region, startRegion, waitRequest } from '../harness/region.ts';
import { streamed } from '../inference/client.ts';
import { type Agent as Program, startAgent, untilAnswered } from './agents/process.ts';
import { victoriaMetrics } from './agents/programs.ts';
import { debian } from './debian.ts';

const libraries = ['liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'];
const haproxy = isFull
  ? await debian('CUMULET_HAPROXY', 'haproxy', 'haproxy', libraries)
  : { skip: 'runs with --full' };
const victoria = await victoriaMetrics();
const largeBytes = 24 * 1024 * 1024;

test('[GEN-06] nodes that are stopped one after the other fail no call of clients behind a balancer', {
  skip: haproxy.skip ?? victoria.skip ?? false,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-balancer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using metrics = await startVictoria(folder);
  await using behind = await startRegion({ args: ['--inference-rate', '100000'] });
  const state = await startPostgres();
  t.after(() => state.stop());
  const places = [await freeNodePorts(), await freeNodePorts()];
  const engines = [
    ...['--metrics', `prometheus+${metrics.url}`],
    ...['--objects', await bucketIn(behind)],
    ...['--inference', `openai+http://${new URL(behind.url).host}/inference/v1`],
    ...['--drain', '3', '--stop-limit', '30', '--inference-rate', '100000'],
  ];
  await using nodes = await startNodes(0, engines, `${state.url}?schema=balancer`, {
    CUMULET_INFERENCE_KEY: behind.token,
  });
  for (const ports of places) await nodes.add(portOptions(ports));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, readFileSync(balancerFile, 'utf8').replace(/^frontend gateway$/m, `$&\n${namesServer}`));
  const absent = await freeNodePorts();
  const { ports, server, url } = new Balancer(
    String(haproxy.path),
    folder,
    await freeNodePorts(),
    [...places, absent],
    file,
  );
  t.after(() => server.kill());
  await server.start();
  const [first] = nodes.all as [Region];
  const services = { objects: `http://127.0.0.1:${ports.objects}` };
  const agent = new Agent({ keepAlive: true });
  const region = new Region(
    { data: first.data },
    { log: '', agent, ready: { ...first.ready, gateway: url, services } },
  );
  region.token = first.token;
  await bothServe(url);

  const traffic = new Traffic();
  await addLanes(traffic, region, first);
  for (const node of nodes.all) {
    await pause(1000);
    assert.equal(await node.halt('SIGTERM'), 0);
    await pause(1000);
    await node.start();
    await bothServe(url);
  }
  const counts = await traffic.end();
  agent.destroy();
  t.diagnostic(`answered: ${JSON.stringify(counts)}`);
  assert.deepEqual(traffic.failures, []);
  for (const [lane, count] of Object.entries(counts)) assert.ok(count >= 2, `${lane}: ${count}`);

  await state.kill();
  await assertUnavailable(region, /the database does not answer/);
  for (const node of nodes.all) await node.kill();
  await assertUnavailable(region, /No node of the region can be reached/);
});

// Calls get 503 in the form of their product, for this reason.
async function assertUnavailable(region: Region, reason: RegExp): Promise<void> {
  const refused = await until(
    'calls are refused',
    () => region.call('GET', `${core}/datacenters`),
    ({ status, body }) => status === 503 && reason.test(JSON.stringify(body)),
  );
  const { httpStatus, messages } = refused.body;
  assert.deepEqual([httpStatus, messages.length], [503, 1], JSON.stringify(refused.body));
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  const objects = await fetch(`${region.ready.services.objects}/lane`);
  assert.equal(objects.status, 503);
  assert.match(String(objects.headers.get('content-type')), /^application\/xml/);
  assert.match(await objects.text(), /<Error><Code>ServiceUnavailable<\/Code><Message>[^<]+<\/Message>/);
}

// Each lane repeats its calls until the end. It stops at its first failure.
class Traffic {
  readonly failures: string[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #lanes: Promise<void>[] = [];
  #isOver = false;

  add(name: string, call: () => Promise<unknown>): void {
    this.#counts[name] = 0;
    this.#lanes.push(this.#repeat(name, call).catch((error) => void this.failures.push(`${name}: ${error}`)));
  }

  async end(): Promise<Record<string, number>> {
    this.#isOver = true;
    await Promise.all(this.#lanes);
    return this.#counts;
  }

  async #repeat(name: string, call: () => Promise<unknown>): Promise<void> {
    for (; !this.#isOver; await pause(5)) {
      // not a wait: it sends
      await call();
      this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    }
  }
}

async function addLanes(traffic: Traffic, region: Region, first: Region): Promise<void> {
  const s3 = s3Client(region, await makeStorageKey(region));
  await s3.send(new CreateBucketCommand({ Bucket: 'lane' }));
  await s3.send(new PutObjectCommand({ Bucket: 'lane', Key: 'large', Body: Buffer.alloc(largeBytes, 'x') }));
  const pipeline = await addPipeline(region);
  const call = async (status: number, ...call: Parameters<Region['call']>) => {
    const answer = await region.call(...call);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer;
  };
  let number = 0;
  traffic.add('compute', async () => {
    const body = { properties: { name: `n${++number}`, location: 'de/txl' } };
    const { headers } = await call(202, 'POST', `${core}/datacenters`, body);
    assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
  });
  traffic.add('reads', () => call(200, 'GET', `${core}/locations`));
  traffic.add('zones', () => call(202, 'POST', '/dns/zones', { properties: { zoneName: `z${++number}.example` } }));
  traffic.add('objects', async () => {
    const Key = `small-${++number}`;
    await s3.send(new PutObjectCommand({ Bucket: 'lane', Key, Body: Key }));
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'lane', Key }));
    assert.equal(await Body?.transformToString(), Key);
  });
  traffic.add('download', async () => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'lane', Key: 'large' }));
    let size = 0;
    for await (const chunk of Body as AsyncIterable<Buffer>) {
      size += chunk.length;
      await pause((1000 * chunk.length) / (8 * 1024 * 1024)); // 8 MB a second
    }
    assert.equal(size, largeBytes);
  });
  traffic.add('metrics', async () => {
    const { status, body } = await pipeline.push(`sent ${++number}\n`, plainText);
    assert.ok(status < 300, JSON.stringify(body));
    await pipeline.vector('sent');
  });
  traffic.add('chats', () => streamed(region, {}));
  const visitor = await signIn(region, first.owner);
  traffic.add('events', async () => {
    const events = await Events.open(visitor);
    const until = performance.now() + 1500;
    while (!events.isEnded && performance.now() < until) await pause(50); // not a wait: the time of a visit
    assert.equal(events.isComplete, events.isEnded, 'the stream was cut off');
    events.close();
  });
}

async function bucketIn(behind: Region): Promise<string> {
  const key = await makeStorageKey(behind);
  await s3Client(behind, key).send(new CreateBucketCommand({ Bucket: 'bytes' }));
  const { host } = new URL(storageUrl(behind));
  return `s3+http://${key.accessKeyId}:${encodeURIComponent(key.secretAccessKey)}@${host}/bytes?region=eu-central-3`;
}

async function startVictoria(folder: string): Promise<Program & { url: string }> {
  const port = await freePort();
  const data = `-storageDataPath=${join(folder, 'metrics')}`;
  const agent = startAgent([String(victoria.path), data, `-httpListenAddr=127.0.0.1:${port}`]);
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered('VictoriaMetrics', async () => (await fetch(`${url}/health`)).ok);
  return { ...agent, url };
}

// HAProxy names the server of each answer.
const namesServer = '  http-response set-header x-node %s';

async function bothServe(gateway: string): Promise<void> {
  const seen = new Set<string | null>();
  await until('both nodes serve', async () => {
    const answer = await fetch(`${gateway}/health`).catch(() => undefined);
    if (answer?.ok) seen.add(answer.headers.get('x-node'));
    return seen.size === 2;
  });
}

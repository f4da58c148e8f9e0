// Clusters beyond a region of one node: work for another node, brokers that can't be started, topics that clients
// change, addresses, and expiring certificates.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { silent } from '../../base/log.ts';
import { createSeal, newSealKey } from '../../base/seal.ts';
import { HomeJobs } from '../../core/nodes/home-jobs.ts';
import { claimRow } from '../../core/operation/reservations.ts';
import { failureOf, idClaim } from '../../core/regional.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { openWorkbench, type Workbench } from '../../core/testing.ts';
import { until } from '../../testing/waiting.ts';
import { createCertificates, issueUserCertificate, needsRenewal } from '../access/certificates.ts';
import type { ClusterSpec, StreamingEngine, TopicFacts, TopicSpec } from '../engine/engine.ts';
import type { Job, StreamingTools } from '../tools.ts';
import { drawBrokers } from './broker-addresses.ts';
import { BrokerAssignment } from './broker-assignment.ts';
import { cluster } from './cluster.ts';
import { clusterWork } from './cluster-work.ts';
import { Supervisor } from './supervisor.ts';
import { type TopicValues, topic, topicClaim } from './topic.ts';
import { syncTopics } from './topic-sync.ts';
import { user } from './user.ts';

const seal = createSeal(newSealKey());
const day = 86_400_000;

// An engine in memory, whose topics a test changes as Kafka clients would.
class MemoryEngine implements StreamingEngine {
  readonly running = new Map<string, ClusterSpec>();
  readonly kept = new Map<string, TopicFacts>();
  trouble: Fault | undefined;

  async start(spec: ClusterSpec) {
    if (this.trouble) throw this.trouble;
    this.running.set(spec.id, spec);
    return { started: true };
  }
  async stop(id: string) {
    this.running.delete(id);
  }
  async remove(id: string) {
    this.running.delete(id);
    this.kept.clear();
  }
  async createTopic(_id: string, { name, partitions = 1, replicationFactor = 1 }: TopicSpec) {
    const facts = { name, partitions, replicationFactor, retentionMs: 604_800_000, segmentBytes: 1_073_741_824 };
    this.kept.set(name, { ...facts, bytes: 0 });
  }
  async deleteTopic(_id: string, name: string) {
    this.kept.delete(name);
  }
  async topics() {
    return [...this.kept.values()];
  }
  async figures(): Promise<never> {
    throw new Fault('unavailable', 'none');
  }
  async tidy() {}
  async close() {}
}

interface Bench extends Workbench {
  engine: MemoryEngine;
  place: { value: 'unknown' | 'here' | 'elsewhere' };
  jobs: HomeJobs<Job>;
  requested: Promise<void>; // resolved when the work was requested
  running: Set<string>;
}

async function openBench(): Promise<Bench> {
  const engine = new MemoryEngine();
  const place: Bench['place'] = { value: 'here' };
  const requested = Promise.withResolvers<void>();
  const home = {
    isShared: false,
    get isHere() {
      return place.value === 'here';
    },
    get isOnOtherNode() {
      return place.value === 'elsewhere';
    },
    follow() {},
    async otherAddress() {
      if (place.value === 'unknown') throw new Fault('unavailable', 'The node does not know yet.');
      return place.value === 'here' ? undefined : 'http://127.0.0.1:1';
    },
  };
  let jobs: HomeJobs<Job> | undefined;
  const running = new Set<string>();
  const tools = (store: Store): StreamingTools => {
    const assignment = new BrokerAssignment({ store, engine, log: silent, addresses: { advertised: undefined } });
    const work = clusterWork({ store, engine, seal, assignment, running });
    const made = new HomeJobs<Job>({ store, home, name: 'streaming-job', everyMs: 1000, isAwaited: true, work });
    jobs = made;
    return {
      assignment,
      jobs: {
        perform: (job) => made.perform(`${job.verb} ${job.path}`, job).finally(() => requested.resolve()),
      },
      isServing: (id) => running.has(id),
      seal,
      realNow: machineTime,
    };
  };
  const bench = await openWorkbench([cluster, topic, user], tools);
  return Object.assign(bench, { engine, place, jobs: jobs as HomeJobs<Job>, requested: requested.promise, running });
}

const make = (bench: Bench, resource: unknown, sent: Json) => bench.perform('create', resource as Resource, sent);
const rowAt = async ({ store, caller }: Bench, path: string): Promise<Row> => {
  const row = await store.at(caller.contract, path);
  assert.ok(row, path);
  return row;
};

// Claims the id as the routes of regional services do.
async function claimId({ store, caller: { contract } }: Bench, path: string): Promise<void> {
  const claim = claimRow(idClaim(cluster, path.slice(path.lastIndexOf('/') + 1)), contract, path);
  await store.must([{ op: 'insert', table: 'claim', row: claim }]);
}

test('a node without the brokers leaves the work to the node that has them', async () => {
  await using bench = await openBench();
  bench.place.value = 'elsewhere';
  let isMade = false;
  const making = make(bench, cluster, { name: 'far', size: 'S' }).finally(() => {
    isMade = true;
  });
  const left = { contract: 0, place: 'streaming-job' };
  await until(
    'the work waits for the other node',
    async () => isMade || (await bench.store.range({ ...left, limit: 1 }, 'claim')).length > 0,
  );
  assert.equal(bench.engine.running.size, 0);
  await bench.jobs.runLeft(); // as the other node does
  const { status, path } = await making;
  assert.equal(status, 'DONE');
  assert.ok(bench.engine.running.has((await rowAt(bench, path)).id));
  assert.deepEqual(await bench.store.range({ ...left, limit: 1 }, 'claim'), []);
});

test('a node that does not know yet which node has the brokers starts none, and the operation waits', async () => {
  await using bench = await openBench();
  bench.place.value = 'unknown';
  const making = make(bench, cluster, { name: 'waiting', size: 'S' });
  await bench.requested;
  assert.equal(bench.engine.running.size, 0);
  assert.deepEqual(await bench.store.range({ contract: 0, place: 'streaming-job', limit: 1 }, 'claim'), []);
  bench.place.value = 'here';
  assert.equal((await making).status, 'DONE');
  assert.equal(bench.engine.running.size, 1);
});

test('a cluster whose brokers cannot be started shows as FAILED until they can', async () => {
  await using bench = await openBench();
  const { path } = await make(bench, cluster, { name: 'near', size: 'S' });
  await claimId(bench, path);
  bench.engine.running.clear();
  bench.running.clear(); // as after a start of the region
  const supervisor = new Supervisor({ ...bench, seal, log: silent });
  bench.engine.trouble = new Fault('refused', 'The address 127.1.2.3:9093 is in use.');
  await supervisor.run();
  assert.match(String(failureOf(await rowAt(bench, path))), /is in use/);
  bench.engine.trouble = undefined;
  await supervisor.run();
  assert.equal(failureOf(await rowAt(bench, path)), undefined);
  assert.equal(bench.engine.running.size, 1);
});

test('brokers stop when another node takes them over, and start again when this one does', async () => {
  await using bench = await openBench();
  const { path } = await make(bench, cluster, { name: 'near', size: 'S' });
  await claimId(bench, path);
  const supervisor = new Supervisor({ ...bench, seal, log: silent });
  await supervisor.run();
  assert.equal(bench.engine.running.size, 1);
  await supervisor.leave();
  assert.equal(bench.engine.running.size, 0);
  await supervisor.run();
  assert.equal(bench.engine.running.size, 1);
});

test('the rows of topics, and their claims on names, follow what clients do', async () => {
  await using bench = await openBench();
  const { engine, store } = bench;
  const { path } = await make(bench, cluster, { name: 'near', size: 'S' });
  const row = await rowAt(bench, path);
  const seen = async (): Promise<[string, number][]> =>
    (await store.children(row.contract, `${path}/topics`)).map(({ body }) => {
      const { name, numberOfPartitions } = JSON.parse(body) as TopicValues;
      return [name, numberOfPartitions];
    });
  const sync = (): Promise<boolean> => syncTopics({ store, engine, now: bench.now }, row);
  await engine.createTopic('', { name: '__first', partitions: 7 });
  await engine.createTopic('', { name: 'second' });
  assert.equal(await sync(), true);
  assert.equal(await sync(), false);
  assert.deepEqual(await seen(), [
    ['__first', 7],
    ['second', 1],
  ]);
  assert.ok(await store.claimed(topicClaim(row.id, 'second')));
  await engine.deleteTopic('', 'second');
  await engine.createTopic('', { name: '__first', partitions: 9 });
  assert.equal(await sync(), true);
  assert.deepEqual(await seen(), [['__first', 9]]);
  assert.equal(await store.claimed(topicClaim(row.id, 'second')), undefined);
});

test('brokers get their own loopback addresses at 9093; used addresses are not drawn again', async () => {
  const free = async (): Promise<boolean> => false;
  const brokers = await drawBrokers({ advertised: undefined }, free);
  assert.deepEqual(
    brokers.map(({ id, port }) => [id, port]),
    [
      [1, 9093],
      [2, 9093],
      [3, 9093],
    ],
  );
  const ports = await drawBrokers({ advertised: undefined }, async () => true);
  assert.ok(ports.every(({ host, port, advertised }) => host === '127.0.0.1' && port > 0 && advertised.port === port));
});

test('advertised brokers listen on all addresses, at ports from the given one on that are free', async () => {
  const taken = createServer().listen(0, '0.0.0.0');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const brokers = await drawBrokers({ advertised: { host: 'kafka.example', port } }, async (claim) =>
    claim.endsWith(`:${port + 1}`),
  );
  taken.close();
  assert.ok(brokers.every(({ host, advertised }) => host === '0.0.0.0' && advertised.host === 'kafka.example'));
  assert.ok(brokers.every(({ port: one }) => one > port + 1));
});

test('[STREAM-04] a user’s certificate is valid for 365 days, and renewed from 30 days before its end', async () => {
  const { authority, brokers } = await createCertificates('id', ['127.1.2.3', 'kafka.example'], machineTime);
  const names = String(new X509Certificate(brokers.certificate).subjectAltName);
  assert.match(names, /IP Address:127\.1\.2\.3/);
  assert.match(names, /DNS:kafka\.example/);
  const now = machineTime();
  const pair = await issueUserCertificate(authority, 'admin', () => now);
  const { validToDate, subject, ca } = new X509Certificate(pair.certificate);
  assert.equal(Math.round((validToDate.getTime() - now) / day), 365);
  assert.deepEqual([subject, ca], ['CN=admin', false]);
  assert.equal(needsRenewal(pair, now + 330 * day), false);
  assert.equal(needsRenewal(pair, now + 336 * day), true);
});

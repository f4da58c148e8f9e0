// Real agents push for half a minute while the region behind their address is killed, started, and restarted cleanly.
// All samples must exist: they are counted and compared one by one.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { sameSamples } from '../promql/sameness.ts';
import { keyOf, type Point } from './api.ts';
import { openExporter } from './exporter.ts';
import { exportAgain, type OtlpTarget } from './otlp.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { untilAnswered } from './process.ts';
import { prometheus, prometheus3 } from './programs.ts';
import { type Prometheus, pushing, type Remote, startPrometheus } from './prometheus.ts';
import { pushAgain, pythonClient } from './python.ts';
import { openRelay, type Relay } from './relay.ts';

const scrapes = 60; // twice a second

interface Sender extends AsyncDisposable {
  name: string;
  begun(): Promise<boolean>; // a first push was accepted
  noticed(): Promise<boolean>; // that the region did not answer
  pushes(): Promise<number>; // so far
  everythingIsThere(t: TestContext): Promise<void>; // when all pushes have ended
}

test('[METRIC-05] [GEN-06] what agents send across a kill -9 and a restart is all there', async (t) => {
  const beginners = await beginnersOf(t); // first of all, because building one takes minutes
  await using relay = await openRelay();
  await using exporter = await openExporter();
  await using region = await startRegion({ args: ['--public-url', relay.url] });
  await using senders = new AsyncDisposableStack();
  follow(relay, region);
  const all: Sender[] = [];
  for (const begin of beginners) all.push(senders.use(await begin(region, exporter.address)));
  await allOf(all, 'has begun', ({ begun }) => begun());
  await allOf(all, 'has pushed a third', async ({ pushes }) => (await pushes()) >= scrapes / 3);
  await region.kill();
  relay.to(undefined);
  await allOf(all, 'has noticed the end', ({ noticed }) => noticed());
  await region.start();
  follow(relay, region);
  await allOf(all, 'has pushed two thirds', async ({ pushes }) => (await pushes()) >= (scrapes * 2) / 3);
  await region.restart();
  follow(relay, region);
  await allOf(all, 'has pushed all', async ({ pushes }) => (await pushes()) >= scrapes);
  for (const sender of all) await t.test(sender.name, (inner) => sender.everythingIsThere(inner));
});

const follow = (relay: Relay, region: Region): void => relay.to(Number(new URL(region.url).port));

const allOf = (senders: Sender[], what: string, isSo: (sender: Sender) => Promise<boolean>): Promise<boolean[]> =>
  Promise.all(senders.map((sender) => untilAnswered(`${sender.name} ${what}`, () => isSo(sender), limits.slowAgent)));

type Beginner = (region: Region, target: string) => Promise<Sender>;

async function beginnersOf(t: TestContext): Promise<Beginner[]> {
  const [second, third, python] = [await prometheus(), await prometheus3(), find('CUMULET_PYTHON', 'python3')];
  for (const { skip } of [second, third, python]) if (skip) t.diagnostic(`without one: ${skip}`);
  const interpreter = python.path && (await pythonClient(python.path));
  const of = (path: string, name: string, how: Omit<Remote, 'url' | 'key'>): Beginner => {
    return async (region, target) => prometheusSender(path, name, await openPipeline(region, name), how, target);
  };
  return [
    ...(second.path ? [of(second.path, 'debian', { keyAs: 'authorization' })] : []),
    ...(third.path ? [of(third.path, 'newest', { keyAs: 'header', version: 1 })] : []),
    ...(third.path ? [of(third.path, 'newest-2.0', { keyAs: 'header', version: 2 })] : []),
    async (region) => otlpSender(await openPipeline(region, 'otlp')),
    ...(interpreter ? [async (region: Region) => pythonSender(interpreter, await openPipeline(region, 'python'))] : []),
  ];
}

async function prometheusSender(
  program: string,
  name: string,
  pipeline: Pipeline,
  how: Omit<Remote, 'url' | 'key'>,
  target: string,
): Promise<Sender> {
  const remote = { ...how, url: pipeline.endpoint, key: pipeline.key };
  const settings = (address: string): string => pushing(remote, { self: address, exporter: target }, name);
  const agent = await startPrometheus({ program, settings });
  let fromMs = 0;
  return {
    name: `Prometheus, ${name}`,
    async begun() {
      if ((await pipeline.api.query('up{job="self"}')).result.length === 0) return false;
      fromMs ||= Date.now(); // what was scraped before the queue began to follow was never sent
      return true;
    },
    noticed: async () => (await agent.figures()).sum('prometheus_remote_storage_samples_retried_total') > 0,
    pushes: async () => (await agent.api.query('count_over_time(up{job="self"}[10m])')).result[0]?.points[0]?.[1] ?? 0,
    async everythingIsThere(t) {
      await agent.configure(pushing(remote, {}, name)); // nothing is scraped any more, and the queue becomes empty
      t.diagnostic(`${await sameAsTheirs(agent, pipeline, name, fromMs)} samples are the same, one by one`);
      t.diagnostic(`${await asCounted(agent, pipeline)} samples were sent, by its own count`);
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

const everything = '{__name__!=""}';

// The samples that the agent stored itself, with the labels that it sends.
async function sameAsTheirs(agent: Prometheus, pipeline: Pipeline, name: string, fromMs: number): Promise<number> {
  const theirs = async (toMs: number): Promise<Map<string, Point[]>> => {
    const kept = await agent.api.samples(everything, fromMs, toMs);
    return new Map([...kept].map(([key, points]) => [keyOf({ ...labelsOf(key), agent: name }), points]));
  };
  let same = 0;
  let trouble: unknown;
  await untilAnswered('the queue has run empty', async () => {
    const toMs = Date.now();
    try {
      same = sameSamples(await pipeline.api.samples(everything, fromMs, toMs), await theirs(toMs));
      return same > 0;
    } catch (error) {
      trouble = error;
      return false;
    }
  }).catch((error: unknown) => assert.fail(`${error}\n${trouble}\n${agent.log().slice(-3000)}`));
  assert.ok(same > scrapes * 100, `only ${same} samples`);
  return same;
}

const labelsOf = (key: string): Record<string, string> => Object.fromEntries(JSON.parse(key) as [string, string][]);

// Its own counters: the samples that it took minus repetitions equal the samples here, including the stale markers,
// which no query shows.
async function asCounted(agent: Prometheus, pipeline: Pipeline): Promise<number> {
  const counted = async (api: Prometheus['api']): Promise<number> =>
    (await api.query(`sum(count_over_time(${everything}[1h]))`)).result[0]?.points[0]?.[1] ?? 0;
  const remote = 'prometheus_remote_storage_samples';
  let last = '';
  const sent = await untilAnswered('the counters agree', async () => {
    const figures = await agent.figures();
    const marks = figures.sum('prometheus_tsdb_head_samples_appended_total') - (await counted(agent.api));
    const once = figures.sum(`${remote}_total`) - figures.sum(`${remote}_retried_total`);
    const here = await counted(pipeline.api);
    last = `${here} here and ${marks} marks, ${once} sent`;
    return figures.sum(`${remote}_pending`) === 0 && here + marks === once && once;
  }).catch(() => assert.fail(`${last}\n${agent.log().slice(-3000)}`));
  const figures = await agent.figures();
  for (const lost of ['failed', 'dropped']) assert.equal(figures.sum(`${remote}_${lost}_total`), 0, `${lost}: ${last}`);
  return sent;
}

// Other agents store nothing to compare with, but know the acknowledged pushes. A push that was in
// progress at the end may be there too.
async function answeredIsThere(pipeline: Pipeline, name: string, answered: Point[], t: TestContext): Promise<void> {
  const nowMs = Date.now();
  const found = [...(await pipeline.api.samples(name, nowMs - 600_000, nowMs)).values()];
  assert.equal(found.length, 1, `${found.length} series ${name}`);
  const here = new Map(found[0]);
  const lost = answered.filter(([timeMs, value]) => here.get(timeMs) !== value);
  assert.deepEqual(lost, [], `${lost.length} of ${answered.length} are missing`);
  assert.ok(here.size <= answered.length + 5, `${here.size} samples, ${answered.length} were answered`);
  t.diagnostic(`${answered.length} answered samples are there`);
}

function otlpSender(pipeline: Pipeline): Sender {
  const target: OtlpTarget = {
    url: `${pipeline.endpoint}/v1/metrics`,
    headers: { APIKEY: pipeline.key },
    form: 'protobuf',
  };
  const application = exportAgain(target);
  return {
    name: 'OpenTelemetry',
    begun: async () => application.answered().length > 0,
    noticed: async () => true,
    pushes: async () => application.answered().length,
    async everythingIsThere(t) {
      await application.stop();
      await answeredIsThere(pipeline, 'beats_total', application.answered(), t);
    },
    [Symbol.asyncDispose]: () => application.stop(),
  };
}

function pythonSender(interpreter: string, pipeline: Pipeline): Sender {
  const target = { url: `${pipeline.endpoint}/api/v1/push`, key: pipeline.key, header: 'APIKEY' };
  const client = pushAgain(interpreter, target);
  const answered = (): Point[] => client.answered().map(({ atMs = 0, value = 0 }) => [atMs, value]);
  return {
    name: 'prometheus_client',
    begun: async () => answered().length > 0,
    noticed: async () => true,
    pushes: async () => answered().length,
    async everythingIsThere(t) {
      await client.stop();
      await answeredIsThere(pipeline, 'ticks', answered(), t);
    },
    [Symbol.asyncDispose]: () => client.stop(),
  };
}

// Two nodes on one state, and kill -9: of either of them at random while the other is written to, and of PostgreSQL
// itself under both. Whatever was answered is there, and nothing is done twice. Six rounds, a hundred with
// --full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { startPostgres } from '../../src/testing/postgres.ts';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { startNodes } from '../harness/nodes.ts';
import { core } from '../harness/people.ts';
import type { Answer, Region } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';
import { Audit, assertRound } from './checks.ts';
import { Ledger } from './ledger.ts';
import { write, writers } from './works.ts';
import { Lost, type Round } from './writers.ts';

const rounds = isFull ? 60 : 6;
const outages = isFull ? 20 : 2;
const args = ['--pace', '5', '--rate-burst', '1000000'];

test(`[GEN-06] nothing answered is lost in ${rounds} rounds of kill -9 of one of two nodes`, async (t) => {
  const chance = chanceOf(t);
  await using nodes = await startNodes(2, args);
  const balancer = new Balancer(nodes.all, chance);
  const [ledger, audit] = [new Ledger(), new Audit()];
  let answered = 0;
  for (let number = 0; number < rounds; number++) {
    const work = new Work(balancer, ledger, chance, number);
    await work.answers(20 + chance.below(40));
    const victim = chance.one(nodes.all);
    await balancer.kill(victim);
    // Mostly the other one serves alone for a while; now and then it dies as well.
    if (chance.often(80)) await work.answers(10 + chance.below(20));
    const both = chance.often(20) ? nodes.all.filter((node) => node !== victim) : [];
    for (const node of both) await balancer.kill(node);
    for (const node of [victim, ...both]) await balancer.start(node);
    await work.answers(10 + chance.below(20));
    answered += await work.end();
    await assertRound(chance.one(nodes.all), ledger, audit);
  }
  t.diagnostic(`${answered} answered changes, ${balancer.lost} without an answer, ${ledger.resources.size} resources`);
  assert.ok(answered > rounds * 30, 'too little was written to prove anything');
});

test(`[GEN-06] nothing answered is lost when PostgreSQL is killed under two nodes, ${outages} times`, async (t) => {
  const chance = chanceOf(t);
  const server = await startPostgres();
  t.after(() => server.stop());
  await using nodes = await startNodes(2, args, `${server.url}?schema=crash`);
  const pids = nodes.all.map(({ pid }) => pid);
  const balancer = new Balancer(nodes.all, chance);
  const [ledger, audit] = [new Ledger(), new Audit()];
  for (let number = 0; number < outages; number++) {
    const work = new Work(balancer, ledger, chance, number);
    await work.answers(30 + chance.below(50));
    balancer.outage = true;
    balancer.outages += 1;
    await server.kill();
    await work.refusals(20);
    for (const node of nodes.all) await assertRefused(node);
    await server.start();
    const since = performance.now();
    await Promise.all(nodes.all.map((node) => untilServed(node)));
    await Promise.all(nodes.all.map((node) => untilServed(node, 'PUT', '/lab/clock', { advanceMs: 0 })));
    t.diagnostic(`both serve again ${Math.round(performance.now() - since)} ms after PostgreSQL does`);
    balancer.outage = false;
    await work.answers(30);
    await work.end();
    await assertRound(chance.one(nodes.all), ledger, audit);
  }
  t.diagnostic(`${balancer.refused} calls were refused`);
  assert.deepEqual(
    nodes.all.map(({ pid }) => pid),
    pids,
    'they continue without a restart',
  );
});

// A load balancer in front of the nodes of a region: chooses a live one for each call.
class Balancer {
  readonly #living: Set<Region>;
  readonly #chance: Chance;
  #anyLives = Promise.withResolvers<void>();
  outage = false; // of the state: changes may be refused
  outages = 0;
  lost = 0;
  refused = 0;
  onRefusal = (): void => {};

  constructor(nodes: Region[], chance: Chance) {
    this.#living = new Set(nodes);
    this.#chance = chance;
  }

  async kill(node: Region): Promise<void> {
    this.#living.delete(node);
    await node.kill();
  }

  async start(node: Region): Promise<void> {
    await node.start();
    this.#living.add(node);
    this.#anyLives.resolve();
    this.#anyLives = Promise.withResolvers();
  }

  // A change is sent once: where its answer is missing, it is not known what became of it.
  async change(method: string, path: string, body?: unknown): Promise<Answer> {
    const node = await this.#choose();
    const { outage, outages } = this;
    const answer = await this.#send(node, method, path, body);
    if (answer === undefined) throw new Lost(false);
    if (answer.status !== 503 || !this.#isOut(answer, outage || outages !== this.outages)) return answer;
    await untilServed(node); // else thousands of changes would be refused
    throw new Lost(/nothing was changed/.test(JSON.stringify(answer.body)));
  }

  // What only looks is asked again, of the other one.
  async look(path: string): Promise<Answer> {
    const ask = async (): Promise<Answer | undefined> => {
      const { outage, outages } = this;
      const answer = await this.#send(await this.#choose(), 'GET', path);
      if (answer?.status === 503 && this.#isOut(answer, outage || outages !== this.outages)) return undefined;
      return answer;
    };
    return until(`GET ${path} is answered`, ask, undefined, { limitMs: limits.takeover });
  }

  async #choose(): Promise<Region> {
    while (this.#living.size === 0) await this.#anyLives.promise;
    return this.#chance.one([...this.#living]);
  }

  async #send(node: Region, method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    try {
      return await node.call(method, path, body);
    } catch (error) {
      if (this.#living.has(node)) throw error;
      this.lost += 1;
      return undefined;
    }
  }

  // A call that met no outage must not be refused: the writers do not expect it.
  #isOut(answer: Answer, met: boolean): boolean {
    assertPayload(answer, 503, 'a call without a state');
    if (!met && !this.outage) return false;
    this.refused += 1;
    this.onRefusal();
    return true;
  }
}

// A round of the writers.
class Work {
  readonly #round: Round;
  readonly #balancer: Balancer;
  readonly #all: Promise<unknown>;
  #count = 0;
  #refused = 0;

  constructor(balancer: Balancer, ledger: Ledger, chance: Chance, number: number) {
    this.#balancer = balancer;
    balancer.onRefusal = () => {
      this.#refused += 1;
    };
    const answered = (): void => {
      this.#count += 1;
    };
    const call: Round['call'] = (method, path, body) => balancer.change(method, path, body);
    const look: Round['look'] = (path) => balancer.look(path);
    this.#round = { ledger, chance, number, over: false, answered, call, look };
    this.#all = Promise.all(Array.from({ length: writers }, (_, index) => write(this.#round, index)));
    this.#all.catch(() => undefined); // reported where it is awaited
  }

  // Resolves when so many more were answered.
  answers(more: number): Promise<unknown> {
    return this.#until(`${more} more answers`, () => this.#count, more);
  }

  refusals(more: number): Promise<unknown> {
    return this.#until(`${more} more refusals`, () => this.#refused, more);
  }

  async end(): Promise<number> {
    this.#round.over = true;
    await this.#all;
    this.#balancer.onRefusal = () => {};
    return this.#count;
  }

  #until(what: string, count: () => number, more: number): Promise<unknown> {
    const enough = count() + more;
    const wait = until(what, count, (now) => now >= enough, { limitMs: limits.takeover });
    return Promise.race([wait, this.#all]);
  }
}

// Reads and changes of every kind, on each node: 503 with the platform's payload; what needs no state is served.
async function assertRefused(node: Region): Promise<void> {
  const properties = { name: 'refused', location: 'de/txl' };
  for (const [method, path, body] of [
    ['GET', `${core}/datacenters`],
    ['GET', `${core}/requests`],
    ['POST', `${core}/datacenters`, { properties }],
    ['POST', `${core}/um/groups`, { properties: { name: 'refused' } }],
    ['GET', '/auth/v1/tokens'],
    ['GET', '/auth/v1/tokens/generate'],
    ['GET', `/activitylog/v1/contracts/${node.contract}`],
    ['PUT', '/lab/clock', { advanceMs: 1 }],
  ] as const)
    assertPayload(await node.call(method, path, body), 503, `${method} ${path}`);
  assert.equal((await node.call('GET', '/health', undefined, { token: null })).status, 200);
  const ready = await node.call('GET', '/ready', undefined, { token: null });
  assertPayload(ready, 503, 'a balancer sends no calls here');
}

async function untilServed(node: Region, method = 'GET', path = `${core}/datacenters?limit=1`, body?: object) {
  const ask = async (): Promise<Answer> => {
    const answer = await node.call(method, path, body);
    if (answer.status !== 200) assertPayload(answer, 503, 'a call without a state');
    return answer;
  };
  await until('the node serves again', ask, ({ status }) => status === 200, { limitMs: limits.takeover });
}

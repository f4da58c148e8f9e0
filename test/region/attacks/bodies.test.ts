// The worst bodies of a megabyte, to every operation that takes one: a small refusal, while other calls are served.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFull } from '../../../src/testing/seed.ts';
import { disk, imageId, small } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { type Answer, createDone, type Region, startRegion } from '../../harness/region.ts';
import { stopwatch } from '../../harness/slowness.ts';
import { fill, type Operation, operationsOf, worldOf } from '../../sweep/api.ts';

const mostMs = 250;
const mostAnswer = 64 * 1024;
const most = 1024 * 1024;

type Call = () => Promise<Answer>;

// The answer of the call, and the longest time of other calls during it.
async function whileWatched(region: Region, others: Call[], call: Call): Promise<[answer: Answer, othersMs: number]> {
  let isOver = false;
  let othersMs = 0;
  const called = call().finally(() => {
    isOver = true;
  });
  for (let at = 0; !isOver; at++) {
    const elapsedMs = stopwatch(region);
    assert.equal((await others[at % others.length]?.())?.status, 200);
    othersMs = Math.max(othersMs, elapsedMs());
  }
  return [await called, othersMs];
}

async function demandQuick(region: Region, others: Call[], what: string, call: Call): Promise<Answer> {
  const [answer, othersMs] = await whileWatched(region, others, call).catch((cause: Error) => {
    throw new Error(what, { cause });
  });
  assert.ok(othersMs < mostMs, `${what}: others waited for ${Math.round(othersMs)} ms`);
  return answer;
}

const many = (count: number, one: object): object => ({ items: Array.from({ length: count }, () => one) });
const keys = (count: number, length: number): string =>
  Array.from({ length: count }, (_, at) => `"${at.toString(16).padEnd(length, 'k')}":1`).join();

const wrong = { properties: { x: 1, y: 2, name: 3 } };
const wrongParts = {
  lans: many(600, wrong),
  servers: many(600, wrong),
  volumes: many(600, wrong),
  nics: many(100, wrong),
};

const bodies: Record<string, string> = {
  'unknown keys': `{${keys(90_000, 1)}}`,
  'unknown properties': `{"properties":{${keys(90_000, 1)}}}`,
  'long keys': `{${keys(1900, 500)}}`,
  'long properties': `{"properties":{${keys(1900, 500)}}}`,
  'objects of many keys': `{"properties":{"name":[${`{${keys(1999, 1)}},`.repeat(60)}1]}}`,
  'wrong parts': JSON.stringify({ properties: { name: 3 }, entities: wrongParts }),
  'many objects': `{"properties":{"name":[${'{},'.repeat(300_000)}{}]},"name":[${'{"a":[]},'.repeat(10_000)}{}]}`,
  'many numbers': `{"properties":{"name":[${'1,'.repeat(500_000)}1]}}`,
  'long text': JSON.stringify({ properties: { name: 'a'.repeat(500_000) }, name: ' '.repeat(500_000) }),
};

test('the worst bodies delay no other call', async (t) => {
  await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
  const world = await worldOf(region);
  const takers = (await operationsOf(region)).filter(({ body, method }) => body && method !== 'GET');
  assert.ok(takers.length > 50);
  const send = (one: Operation, body: string): Promise<Answer> => region.call(one.method, fill(one, world.ids), body);
  const others: Call[] = [
    () => region.call('GET', '/health', undefined, { token: null }),
    () => region.call('GET', `${core}/datacenters`, undefined, { token: world.other.token }),
  ];

  await t.test('to every operation', async () => {
    // In the short form each operation gets one of them.
    const all = Object.entries(bodies);
    for (const [at, one] of takers.entries()) {
      for (const [name, body] of isFull ? all : [all[at % all.length] as (typeof all)[0]]) {
        assert.ok(body.length < most, name);
        const answer = await demandQuick(region, others, `${one.id}: ${name}`, () => send(one, body));
        const text = JSON.stringify(answer.body);
        assert.ok(answer.status >= 400 && answer.status < 500, `${one.id}: ${name}: ${answer.status} ${text}`);
        assert.ok(text.length < mostAnswer, `${one.id}: ${name}: an answer of ${text.length} characters`);
      }
    }
  });

  await t.test('as composites, wrong and right', async () => {
    for (const [what, status, path, body] of await compositesFor(region)) {
      const answer = await demandQuick(region, others, what, () => region.call('POST', `${core}/${path}`, body));
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`);
      assert.ok(status === 202 || JSON.stringify(answer.body).length < mostAnswer, what);
    }
  });
});

type Composite = [what: string, status: number, path: string, body: object];

// Large ones that are right are taken.
async function compositesFor(region: Region): Promise<Composite[]> {
  const { id } = await createDone(region, `${core}/datacenters`, { properties: { name: 'd', location: 'de/txl' } });
  const nics = (count: number, rules: number, rule: object): object =>
    many(count, { properties: { lan: 1 }, entities: { firewallrules: many(rules, rule) } });
  const server = (parts: object): object => ({ properties: small, entities: { nics: parts } });
  const datacenter = (entities: object): object => ({ properties: { name: 'n', location: 'de/txl' }, entities });
  const rule = { properties: { protocol: 'TCP' } };
  const wrongRule = { properties: { protocol: 'XYZ', portRangeStart: 'a', icmpType: 'q' } };
  const whole = {
    properties: small,
    entities: {
      volumes: many(1, { properties: { ...disk, image: await imageId(region, 'HDD'), imagePassword: 'Abcdefgh1234' } }),
      nics: nics(1, 2, rule),
    },
  };
  const lan = { properties: { name: 'l' } };
  return [
    ['100 NICs with 90 wrong rules', 422, `datacenters/${id}/servers`, server(nics(100, 90, wrongRule))],
    ['20 NICs with 90 wrong rules', 422, `datacenters/${id}/servers`, server(nics(20, 90, wrongRule))],
    ['20 NICs with 900 rules', 422, `datacenters/${id}/servers`, server(nics(20, 900, rule))],
    ['1000 servers with 10 NICs', 422, 'datacenters', datacenter({ servers: many(1000, server(nics(10, 0, rule))) })],
    ['20 NICs with 90 rules', 202, `datacenters/${id}/servers`, server(nics(20, 90, rule))],
    [
      '3000 wrong parts',
      422,
      'datacenters',
      datacenter({ lans: many(1000, wrong), servers: many(1000, wrong), volumes: many(1000, wrong) }),
    ],
    ['1000 LANs', 202, 'datacenters', datacenter({ lans: many(1000, lan) })],
    ['whole servers', 202, 'datacenters', datacenter({ servers: many(isFull ? 380 : 100, whole) })],
  ];
}

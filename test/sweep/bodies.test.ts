// Every operation that takes a body, with bodies and queries that are wrong in every way: 4xx in the platform's
// payload, never a 5xx, never a hang, and nothing is made by what was refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceOf, isFull } from '../../src/testing/seed.ts';
import { drained } from '../crash/checks.ts';
import { assertWhole } from '../harness/invariants.ts';
import { type Region, startRegion, waitRequest } from '../harness/region.ts';
import { assertPayload, assertPromql, expect, fill, inventory, isPromql, type Operation, operationsOf } from './api.ts';
import { baseOf } from './good-bodies.ts';
import { type Json, mutated, wrongFor } from './values.ts';
import { type World, worldOf } from './world.ts';

const refusals = [400, 404, 405, 409, 413, 422];
const lanes = 8;
const mutations = isFull ? 20_000 : 800;

// All operations share the code that reads bodies and queries. So in a short run each has one in three of those that
// are wrong, beginning with another one than the operation before it.
const some = <T>(all: readonly T[], from: number, each = 3): readonly T[] =>
  isFull ? all : all.filter((_, at) => (at + from) % each === 0);

// Several operations at a time: neither the region nor the test waits for the other.
async function sideBySide(all: readonly Operation[], work: (one: Operation, at: number) => Promise<void>) {
  const left = all.entries();
  const lane = async (): Promise<void> => {
    for (const [at, one] of left) await work(one, at);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

test('every operation with malformed bodies and queries', async (t) => {
  await using region = await startRegion({ args: ['--rate-burst', '1000000', '--inference-rate', '1000000'] });
  const operations = await operationsOf(region);
  const world = await worldOf(region);
  const takers = operations.filter(
    // Public images can't be changed, and actions have no body: no body is read.
    ({ method, body }) => ['POST', 'PUT', 'PATCH'].includes(method) && body,
  );
  assert.ok(takers.length > 15);
  const send = (one: Operation, body: string | Buffer) => region.call(one.method, fill(one, world.ids), body);
  for (const one of takers) await baseOf(region, one, world); // makes what samples need
  const before = await inventory(region);

  await t.test('[GEN-05] a body that is not JSON, or not an object: 422', async () => {
    await sideBySide(takers, async (one, at) => {
      for (const [says, body] of [...malformed, ...hugeFor(one, at)])
        assertPayload(
          await send(one, body),
          says === 'too large' ? tooLargeFor(one) : statusOf(one),
          `${one.id}: ${says}`,
        );
    });
  });

  await t.test('[GEN-05] every property with every wrong value: 422 that names the place', async () => {
    let count = 0;
    const taken: string[] = [];
    await sideBySide(takers, async (one, at) => {
      const base = await baseOf(region, one, world);
      // A reference is an id: any other text is a missing resource.
      const statuses = isReference(base) ? [404, 413, 422] : [413, 422];
      for (const { says, body } of some(wrongFor(one.body ?? {}, base, one.service === 'cloudapi'), at)) {
        const answer = await send(one, JSON.stringify(body));
        if (answer.status < 300) taken.push(`${one.id}: ${says}`);
        else assertPayload(answer, statuses, `${one.id}: ${says}`);
        if (answer.status === 422 && !/\[\(root\)/.test(JSON.stringify(answer.body)))
          taken.push(`${one.id}: ${says} does not name the place: ${JSON.stringify(answer.body)}`);
        count++;
      }
    });
    assert.deepEqual(taken, [], 'what is wrong was taken');
    t.diagnostic(`${count} wrong bodies`);
    assert.ok(count > 500);
  });

  await t.test('[GEN-05] a wrong query refuses the whole change', async () => {
    for (const one of operations.filter(({ method, query }) => method !== 'GET' && query.includes('depth'))) {
      const body = method(one) === 'DELETE' ? undefined : await baseOf(region, one, world);
      for (const depth of ['x', '-1', '11', '1.5', '99999999999999999999']) {
        const answer = await region.call(one.method, `${fill(one, world.ids)}?depth=${depth}`, body);
        assertPayload(answer, 422, `${one.id}?depth=${depth}`);
      }
    }
  });

  await t.test('no call created, changed or removed anything', async () => {
    assert.deepEqual(await inventory(region), before);
  });

  await t.test('[GEN-09] odd queries: the answer or a 4xx', async () => {
    const readers = operations.filter(({ method, id }) => method === 'GET' && id !== 'token_generate');
    await sideBySide(readers, async (one, at) => {
      for (const query of some(queries, at)) {
        const answer = await region.call('GET', `${fill(one, world.ids)}?${query}`);
        const about = `${one.id}?${query.slice(0, 60)}`;
        if (isPromql(one)) assertPromql(answer, about);
        else if (answer.status !== 200) assertPayload(answer, [400, 404, 422], about);
      }
    });
    for (const query of ['ttl=x', 'ttl=-1', 'ttl=3600&ttl=x'.slice(8), 'ttl=36e2', 'ttl=__proto__'])
      assertPayload(await region.call('GET', `/auth/v1/tokens/generate?${query}`), 422, query);
    for (const query of ['', 'criteria=', 'criteria=all', 'criteria=constructor'])
      assertPayload(await region.call('DELETE', `/auth/v1/tokens?${query}`), 422, query);
  });

  await t.test('bodies generated from the schemas are accepted, so not everything is refused', async () => {
    const refused: string[] = [];
    const others = ['lab_savepoint_create', 'lab_copy_apply']; // the latter needs a copy that was read
    for (const one of takers.filter(({ method, id }) => method === 'POST' && !others.includes(id))) {
      const fresh = await worldlyBody(region, one, world);
      const ids = { ...world.ids, resourceId: world.ids.ipblockId ?? '' }; // the datacenter is shared already
      const { status, body, headers } = await region.call('POST', fill(one, ids), fresh);
      const text = JSON.stringify(body);
      if (status >= 300 && !hadAlready.test(text))
        refused.push(`${one.id} ${JSON.stringify(fresh)}: ${status} ${text}`);
      if (headers.location !== undefined) await waitRequest(region, headers.location);
    }
    assert.deepEqual(refused, []);
  });

  await t.test(`[GEN-09] ${mutations} random mutations: an answer or a 4xx, never a 5xx`, async (t) => {
    const chance = chanceOf(t);
    const bases = await Promise.all(
      takers.map(async (one): Promise<[Operation, Json]> => [one, await baseOf(region, one, world)]),
    );
    const harmful = [
      'lab_clock_advance',
      'lab_faults_plant',
      'lab_savepoint_create',
      'lab_broker_set',
      'lab_demo_start',
      'lab_copy_read', // it calls what the body names
    ];
    const harmless = bases.filter(([{ id }]) => !harmful.includes(id));
    let taken = 0;
    for (let count = 0; count < mutations; count++) {
      const [one, base] = chance.one(harmless);
      const body = mutated(base, chance);
      const answer = await send(one, body);
      if (answer.status < 300) taken++;
      else assertPayload(answer, refusals, `${one.id}: ${body.toString('latin1').slice(0, 300)}`);
    }
    t.diagnostic(`${taken} of them were acceptable`);
    await expect(region.call('GET', '/health'), 200);
    assert.doesNotMatch(region.log(), /"message":"bug"/);
    await drained(region);
    await assertWhole(region.data);
  });
});

const isReference = (base: Json): boolean => Object.keys(base as object).join() === 'id';
const method = (one: Operation): string => one.method;
const statusOf = ({ service }: Operation): number => (service === 'activitylog' ? 400 : 422);

// Prompts and documents may be larger than what is sent here.
const tooLargeFor = ({ service }: Operation): number[] => (/^(inference|modelhub)$/.test(service) ? [413, 422] : [413]);

const deep = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);
const malformed: [string, string | Buffer][] = [
  ['half', '{"properties":'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['a flag', 'true'],
  ['null', 'null'],
  ['words', 'properties: x'],
  ['two values', '{}{}'],
  ['a comment', '{/*x*/}'],
  ['a comma', '{"properties":{},}'],
  ['NaN', '{"properties":NaN}'],
  ['single quotes', "{'properties':{}}"],
  ['properties a list', '{"properties":[]}'],
  ['properties a text', '{"properties":"x"}'],
  ['properties a number', '{"properties":1e999}'],
  ['a key twice', '{"properties":{},"properties":{}}'],
  ['a key twice, escaped', '{"properties":{"name":"a","n\\u0061me":"b"}}'],
  ['__proto__ twice', '{"__proto__":{},"__proto__":{}}'],
  ['a byte that is no UTF-8', Buffer.from('{"properties":{"name":"\xff"}}', 'latin1')],
  ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ['a raw NUL', '{"properties":{"name":"a\0b"}}'],
  ['UTF-16', Buffer.from('{"properties":{}}', 'utf16le')],
  ['a lone surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['random bytes', Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256))],
];

const huge: [string, string][] = [
  ['deep lists', deep('[', ']', 100_000)],
  ['deep objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ['deep and open', '['.repeat(500_000)],
  ['half a million elements', `[${'1,'.repeat(500_000)}1]`],
  ['a number of a megabyte', `{"properties":${'9'.repeat(900_000)}}`],
  ['too large', `"${'x'.repeat(1_100_000)}"`],
];

// Long texts of rules take seconds to read; test/region/attacks/pushes-and-questions.test.ts sends them.
const hugeFor = ({ id }: Operation, at: number): readonly [string, string][] =>
  /alertrules_set$/.test(id) && !isFull ? huge.slice(-1) : some(huge, at, huge.length);

const queries = [
  ...`
  depth=-1 depth=99 depth=x depth=1e1 depth=0x1 depth=%20 depth=1&depth=x limit=-1 limit=0 limit=1e9 limit=NaN
  limit=%00 offset=-1 offset=9007199254740991 offset=99999999999999999999 offset=Infinity
  limit=10000&offset=9007199254740991 orderBy= orderBy=x orderBy=__proto__ orderBy=constructor
  orderBy=name&orderBy=x order-by=%F0%9F%98%80 filter.name= filter.=x filter.__proto__=x filter
  filter.constructor=x filter.name=% filter.name=%ff%fe filter.name=%00 filter.createdAfter=x filter.status=%ff
  filter.createdAfter=2026-13-45 filter.createdBefore= startDate=x startDate=2026-02-30T99:00:00Z endDate=%00
  dateStart=1 endDate=-1 a=b=c startDate=2026-01-01&endDate=2020-01-01 % &&& = ???? pretty=true
  pretty=true&depth=x depth=10&pretty=true maxResults=-1 maxResults=x filter.size=1&filter.size=2
  filter.ips=198 filter.state=busy
`
    .trim()
    .split(/\s+/),
  `filter.name=${'a'.repeat(10_000)}`,
  Array.from({ length: 800 }, (_, at) => `filter.a${at}=b`).join('&'),
];

// The world has what can be had once.
const hadAlready = /Only one flow log is allowed|is already balanced by load balancer/;

async function worldlyBody(region: Region, one: Operation, world: World): Promise<Json> {
  const base = (await baseOf(region, one, world)) as { properties?: { [key: string]: Json } };
  if (base.properties && 'key' in base.properties) base.properties.key = `fresh-${one.id}`;
  if (base.properties && 'email' in base.properties) base.properties.email = 'fresh@example.com';
  return base as Json;
}

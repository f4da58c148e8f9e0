// A scene: a prepared sample, an operation on it that is to be broken, and what must be true of it in the end.
import assert from 'node:assert/strict';
import { figures } from '../harness/landscape.ts';
import { untilStatus } from '../harness/pipelines.ts';
import { type Answer, type Region, type ResourceBody, waitRequest } from '../harness/region.ts';
import { declared, isRegional, make, requestOf, type Stand } from '../harness/samples.ts';
import { failure, isWay, type Point } from './points.ts';
import { actOf, type Call, scenarioOf } from './scenarios.ts';

export interface Scene {
  point: Point;
  stand: Stand;
  path: string; // '' where it is yet to be made
  call: Call;
  before: unknown; // what is there, as it looks before
  taken: Record<string, number>; // the contract's counters before
  request: string; // its Location, once it was accepted
}

export async function prepare(region: Region, point: Point): Promise<Scene> {
  const { kind, word, variant } = point;
  const scenario = scenarioOf(kind);
  const act = isWay(word) ? undefined : actOf(kind, word);
  const stand = await (act?.stand ?? scenario.stands?.[variant] ?? scenario.stand)(region);
  const path = word === 'create' ? '' : await preparedPath(region, point, stand);
  const call = await callOf(region, point, stand, path);
  const before = await viewOf(region, rootOf(stand.at, path));
  return { point, stand, path, call, before, taken: await figures(region), request: '' };
}

async function preparedPath(region: Region, { kind }: Point, stand: Stand): Promise<string> {
  const path = await make(region, stand);
  await scenarioOf(kind).fill?.(region, path);
  return path;
}

async function callOf(region: Region, { kind, word }: Point, stand: Stand, path: string): Promise<Call> {
  if (word === 'create') return ['POST', stand.post ?? stand.at, stand.body];
  if (word === 'remove') return ['DELETE', path];
  if (!isWay(word)) return actOf(kind, word).call(region, path);
  const { change } = scenarioOf(kind);
  if (declared(kind).verbs.includes('change')) return ['PATCH', path, change];
  const { body } = await region.call('GET', path);
  return ['PUT', path, { properties: { ...body.properties, ...change } }];
}

export async function act(region: Region, scene: Scene): Promise<Answer> {
  const answer = await region.call(...scene.call);
  assert.ok(answer.status < 300, `${scene.call.slice(0, 2).join(' ')}: ${JSON.stringify(answer.body)}`);
  scene.request = requestOf(answer);
  if (scene.path === '') scene.path = `${scene.stand.at}/${answer.body.id}`;
  return answer;
}

// The whole datacenter if it is in one; otherwise itself, or its neighbours.
function rootOf(at: string, path: string): string {
  const [, datacenter] = /^(.*\/datacenters\/[^/]+)/.exec(at) ?? [];
  return datacenter ?? (path === '' ? at : path);
}

// What clients see, without what changes by being looked at or by others.
async function viewOf(region: Region, path: string): Promise<unknown> {
  const isList = !/\/[0-9a-f-]{36}$/.test(path);
  const limit = /\/(monitoring|logging|streaming|dns|certificate-manager)\//.test(path) ? 1000 : 10_000;
  const { status, body } = await region.call('GET', `${path}?depth=${isList ? 0 : 6}&limit=${limit}`);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  if (isList) return body.items.map(({ id }) => id);
  // Ports change by a restart.
  const text = JSON.stringify(body)
    .replaceAll(region.url, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '');
  return plainly(JSON.parse(text) as ResourceBody);
}

const passing = ['version', 'connectableDatacenters', 'lastLogin'];

function plainly(shown: ResourceBody): unknown {
  const { id, items, properties = {}, entities = {}, metadata = {} } = shown;
  if (items) return items.map(plainly);
  const kept = Object.entries(properties).filter(([name]) => !passing.includes(name));
  const inside = Object.entries(entities).map(([name, one]) => [name, plainly(one)]);
  return { id, state: metadata.state ?? metadata.status, ...Object.fromEntries(kept), ...Object.fromEntries(inside) };
}

export async function plant(region: Region, faults: object[]): Promise<void> {
  const { status, body } = await region.call('PUT', '/lab/faults', { faults });
  assert.equal(status, 200, JSON.stringify(body));
}

export async function planted(region: Region): Promise<object[]> {
  return (await region.call<{ faults: object[] }>('GET', '/lab/faults')).body.faults;
}

// `alone`: nothing else ran at the same time, so that the contract's counters can be compared.
export async function assertOutcome(region: Region, scene: Scene, alone = true): Promise<void> {
  const { point } = scene;
  const { metadata } = await waitRequest(region, scene.request);
  assert.equal(metadata.status, point.ends, String(metadata.message));
  if (point.ends === 'FAILED') assert.equal(metadata.message, failure);
  if (alone) assert.deepEqual(await planted(region), [], 'the fault did not strike');
  const [target] = metadata.targets as { target: { href: string } }[];
  const path = new URL(target?.target.href ?? '').pathname;
  if (point.ends === 'DONE') return assertDone(region, scene, path);
  if (alone) assert.deepEqual(await figures(region), scene.taken, 'what was taken is not given back');
  await assertUndone(region, scene, path);
}

async function assertDone(region: Region, { point, stand }: Scene, path: string): Promise<void> {
  const { kind, word } = point;
  const { status, body } = await region.call('GET', `${path}?depth=4`);
  if (word === 'remove') return assert.equal(status, 404);
  assert.equal(status, 200, JSON.stringify(body));
  if (body.metadata?.state !== undefined) assert.equal(body.metadata.state, 'AVAILABLE');
  if (word === 'create') return assertMade(kind, stand.body, body);
  const shows = word === 'change' ? scenarioOf(kind).change : actOf(kind, word).shows;
  assert.partialDeepStrictEqual(body.properties, shows);
}

interface Sent {
  properties?: Record<string, unknown>;
  entities?: Record<string, { items: Sent[] }>;
}

// All that was sent is there, with what is in it.
function assertMade(kind: string, sent: Sent, shown: ResourceBody): void {
  const { properties } = declared(kind);
  const kept = Object.entries(sent.properties ?? {}).filter(
    ([name, value]) => value !== undefined && !properties[name]?.writeOnly,
  );
  assert.partialDeepStrictEqual(shown.properties, Object.fromEntries(kept));
  for (const [name, { items }] of Object.entries(sent.entities ?? {})) {
    const inside = shown.entities[name]?.items ?? [];
    assert.ok(inside.length >= items.length, `${name} of ${kind}`); // NICs may have created LANs as well
    for (const one of inside) assert.equal(one.metadata.state, 'AVAILABLE');
    for (const [at, item] of items.entries())
      assert.partialDeepStrictEqual(inside[at]?.properties, item.properties ?? {});
  }
}

// What never was is gone whole, what was is as it was; and then it can be done after all.
async function assertUndone(region: Region, scene: Scene, path: string): Promise<void> {
  const { point, stand, before } = scene;
  const isNew = point.word === 'create';
  if (isNew && isRegional(point.kind)) await assertFailed(region, path);
  else if (isNew) assert.equal((await region.call('GET', path)).status, 404);
  const root = rootOf(stand.at, isNew ? '' : path);
  const now = await viewOf(region, root);
  if (root === stand.at) assert.ok(!(now as string[]).includes(path.slice(path.lastIndexOf('/') + 1)), 'it is listed');
  else assert.deepEqual(now, before, 'it is not as it was');
  const again = await region.call(...scene.call);
  assert.ok(again.status < 300, JSON.stringify(again.body));
  const { metadata } = await waitRequest(region, requestOf(again));
  assert.equal(metadata.status, 'DONE', String(metadata.message));
  await assertDone(region, scene, isNew ? `${stand.at}/${again.body.id}` : path);
}

// What could not be made is still there, says so, and can be removed.
export async function assertFailed(region: Region, path: string): Promise<void> {
  const { metadata } = (await region.call('GET', path)).body;
  assert.deepEqual(
    [metadata.state ?? metadata.status, metadata.message ?? metadata.statusMessage],
    ['FAILED', failure],
  );
  assert.equal((await region.call('DELETE', path)).status, 202);
  await untilStatus(region, path, 404);
}

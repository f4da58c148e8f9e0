// Tests of the event stream: who receives which changes, when it ends, and what many streams cost.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { startNodes } from '../../harness/nodes.ts';
import { addContract, addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../../harness/region.ts';
import { assertPayload } from '../../sweep/api.ts';
import { consoleS3, ownPage, sessionPath, signIn, Visitor } from '../harness/calls.ts';
import { Events } from '../harness/events.ts';

const datacenter = (name = 'one') => ({ properties: { name, location: 'de/txl' } });
const idOf = (location: unknown): string => /requests\/([^/]+)/.exec(String(location))?.[1] ?? '';

// After this, a client has received all its events of earlier changes.
async function mark(events: Events, visitor: Visitor): Promise<string[]> {
  const made = await visitor.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  const [block, request] = [`${core}/ipblocks/${made.body.id}`, `${core}/requests/${idOf(made.headers.location)}`];
  await events.has('made', block);
  await events.has('made', request);
  return [block, request];
}

const pathsOf = ({ changes }: Events): string[] => [...new Set(changes.map(([, path]) => path))].sort();

suite('the event stream of changes', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--pace', '200'] });
  });
  after(() => region.stop());

  test('reports created, changed and deleted resources by API path, their requests, and the end of BUSY', async () => {
    const events = await Events.open(await signIn(region, region.owner));
    const made = await region.call('POST', `${core}/datacenters`, datacenter());
    const path = `${core}/datacenters/${made.body.id}`;
    await events.has('made', path);
    await events.has('made', `${core}/requests/${idOf(made.headers.location)}`);
    await waitRequest(region, made.headers.location);
    await events.has('changed', `${core}/requests/${idOf(made.headers.location)}`);
    const lan = await createDone(region, `${path}/lans`, { properties: { public: false } });
    await events.until('the LAN', () => events.changes.some(([, one]) => one === `${path}/lans/${lan.id}`));
    events.changes.length = 0;
    const changed = await region.call('PATCH', path, { name: 'two' });
    await waitRequest(region, changed.headers.location);
    await events.has('changed', path);
    const removed = await region.call('DELETE', path);
    await waitRequest(region, removed.headers.location);
    await events.has('removed', path);
    const pipelines = '/de-fra/monitoring/pipelines';
    const pipeline = await region.call('POST', pipelines, { properties: { name: 'live' } });
    assert.ok(pipeline.status < 300, JSON.stringify(pipeline.body));
    await events.has('made', `${pipelines}/${pipeline.body.id}`);
    events.close();
  });

  test('needs a session, and a call from a page of the console', async () => {
    const visitor = await signIn(region, region.owner);
    assertPayload(await visitor.call('GET', '/console/events', undefined, {}), 401, 'not from a page');
    const cross = { 'x-console': '1', 'sec-fetch-site': 'cross-site' };
    assertPayload(await visitor.call('GET', '/console/events', undefined, cross), 403, 'another origin');
    assertPayload(await new Visitor(region, '').call('GET', '/console/events'), 401, 'no cookie');
    const foreign = { ...ownPage, 'x-contract-number': '12345' };
    assertPayload(await visitor.call('GET', '/console/events', undefined, foreign), 403, 'a foreign contract');
    assertPayload(await visitor.call('POST', '/console/events', {}), 405, 'POST');
  });

  test('reports nothing of other contracts', async () => {
    const other = await addContract(region, 31_000_777);
    const visitor = await signIn(region, other.basic);
    const events = await Events.open(visitor);
    await createDone(region, `${core}/datacenters`, datacenter('not theirs'));
    const own = await mark(events, visitor);
    assert.deepEqual(pathsOf(events), own);
    events.close();
  });

  test('reports only own resources to a user without rights, and shared ones as soon as they are shared', async () => {
    const person = await addPerson(region);
    const group = await addGroup(region, ['reserveIp'], [person.user]);
    const visitor = await signIn(region, person.basic);
    const events = await Events.open(visitor);
    const made = await createDone(region, `${core}/datacenters`, datacenter('of the owner'));
    await createDone(region, `${core}/datacenters/${made.id}/lans`, { properties: { public: false } });
    await region.call('POST', '/de-fra/dns/zones', { properties: { zoneName: 'hidden.example' } });
    await region.call(
      'DELETE',
      `${core}/datacenters/${(await createDone(region, `${core}/datacenters`, datacenter())).id}`,
    );
    const own = await mark(events, visitor);
    assert.deepEqual(pathsOf(events), own);
    const shared = await region.call('POST', `${core}/um/groups/${group.id}/shares/${made.id}`, {
      properties: { editPrivilege: true },
    });
    assert.ok(shared.status < 300, JSON.stringify(shared.body));
    await waitRequest(region, shared.headers.location);
    await events.until('the share', () => events.reloads === 1);
    const changed = await visitor.call('PATCH', `${core}/datacenters/${made.id}`, { name: 'by the user' });
    assert.equal(changed.status, 202, JSON.stringify(changed.body));
    await events.has('changed', `${core}/datacenters/${made.id}`);
    await events.until('their own request', () =>
      events.changes.some(([, path]) => path === `${core}/requests/${idOf(changed.headers.location)}`),
    );
    await waitRequest(region, changed.headers.location);
    const removed = await region.call('DELETE', `${core}/datacenters/${made.id}`);
    await waitRequest(region, removed.headers.location);
    await events.until('the end of the share', () => events.reloads > 1);
    const foreign = `${core}/requests/${idOf(removed.headers.location)}`;
    assert.ok(!events.changes.some(([, path]) => path === foreign), 'reported the request of another user');
    events.close();
  });

  test('reports buckets and changes of their contents only to users who may read them', async () => {
    const [owner, other] = [await signIn(region, region.owner), await addContract(region, 31_000_778)];
    const people = [await addPerson(region), await addPerson(region)] as const;
    await addGroup(region, ['s3Privilege', 'reserveIp'], [people[0].user]);
    await addGroup(region, ['reserveIp'], [people[1].user]);
    const [member, stranger] = [await signIn(region, people[0].basic), await signIn(region, people[1].basic)];
    const visitors = [owner, member, stranger, await signIn(region, other.basic)] as const;
    const streams = await Promise.all(visitors.map((visitor) => Events.open(visitor)));
    const [ofOwner, ofMember, ofStranger, ofOthers] = streams as [Events, Events, Events, Events];
    const put = async (who: Visitor, path: string, body?: string): Promise<void> =>
      assert.equal((await who.call<string>('PUT', path, body)).status, 200);
    const [shared, own] = [consoleS3('shared'), consoleS3('own')];
    const alone = '<CreateBucketConfiguration><LocationConstraint>de</LocationConstraint></CreateBucketConfiguration>';
    await put(owner, shared);
    await put(member, own, alone); // visible only to this user
    for (const events of [ofOwner, ofMember]) await events.has('made', shared);
    await ofMember.has('made', own);
    await put(owner, consoleS3('shared', 'a.txt'), 'text');
    await ofMember.has('changed', shared);
    await put(member, consoleS3('own', 'a.txt'), 'text');
    await ofMember.has('changed', own);
    await owner.call('DELETE', consoleS3('shared', 'a.txt'));
    await owner.call('DELETE', shared);
    for (const events of [ofOwner, ofMember]) await events.has('removed', shared);
    for (const [at, events] of streams.entries()) await mark(events, visitors[at] as Visitor);
    const buckets = streams.map((events) => pathsOf(events).filter((path) => path.startsWith('/console/s3')));
    assert.deepEqual(buckets, [[shared], [own, shared], [], []]);
    for (const events of [ofOwner, ofMember, ofStranger, ofOthers]) events.close();
  });

  test('ends with the sign-out or the deletion of the user, and reports nothing afterwards', async () => {
    const person = await addPerson(region);
    const [first, second] = [await signIn(region, person.basic), await signIn(region, person.basic)];
    const [left, removed] = [await Events.open(first), await Events.open(second)];
    await first.call('DELETE', sessionPath);
    await left.until('its end', () => left.isEnded);
    assert.ok(!removed.isEnded);
    await waitRequest(region, (await region.call('DELETE', `${core}/um/users/${person.user.id}`)).headers.location);
    await removed.until('its end', () => removed.isEnded);
  });
});

test('two hundred streams cost little, and a region with open streams stops at once', async () => {
  const region = await startRegion();
  const visitor = await signIn(region, region.owner);
  const memory = async (): Promise<number> => {
    const { body } = await region.call<string>('GET', '/metrics');
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(String(body))?.[1]);
  };
  const before = await memory();
  const tabs = await Promise.all(Array.from({ length: 200 }, () => Events.open(visitor)));
  const { body } = await region.call('POST', `${core}/datacenters`, datacenter());
  await Promise.all(tabs.map((events) => events.has('made', `${core}/datacenters/${body.id}`)));
  assert.ok((await memory()) - before < 100e6, `${before} bytes before, ${await memory()} with 200 streams`);
  await region.stop();
  for (const events of tabs) await events.until('its end', () => events.isEnded);
  // A region that waited for its streams would close their connections at its stop timeout.
  assert.equal(tabs.filter(({ isComplete }) => !isComplete).length, 0, 'streams that the region did not end itself');
});

test('changes by another node are reported, too, with or without a request', async () => {
  await using nodes = await startNodes(2);
  const [one, two] = nodes.all as [Region, Region];
  const visitor = await signIn(one, one.owner);
  const events = await Events.open(visitor);
  const { status, headers, body } = await two.call('POST', `${core}/datacenters`, datacenter('elsewhere'));
  assert.equal(status, 202, JSON.stringify(body));
  const path = `${core}/datacenters/${body.id}`;
  await events.has('made', `${core}/requests/${idOf(headers.location)}`);
  await events.has('made', path);
  await waitRequest(two, headers.location);
  const label = await two.call('POST', `${path}/labels`, { properties: { key: 'stage', value: 'test' } });
  assert.equal(label.status, 201, JSON.stringify(label.body));
  await events.has('made', `${path}/labels/stage`);
  const there = visitor.at(two);
  assert.equal((await there.call<string>('PUT', consoleS3('elsewhere'))).status, 200);
  await events.has('made', consoleS3('elsewhere'));
  await there.call('DELETE', consoleS3('elsewhere'));
  await events.has('removed', '/console/s3');
  events.close();
});

// The activity log: its contents, reading it, and that no one can change it.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { moveToNextHour } from '../harness/clock.ts';
import { addPerson, core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

interface Source {
  '@uuid': string;
  action: string;
  resource: string;
  user: string;
  time: string;
  meta: { auditVersion: number; requestId?: string; time: string };
  principal: { sourceIP: string; identity: { contractNumber: number; username: string }; sourceService: string };
  event: {
    type: string;
    status?: string;
    message?: string;
    count?: number;
    param: { action: string; uri: string; error?: { httpStatus: number; messages: { message: string }[] } };
    resources: { id: string; type: string; action: string[]; name?: string }[];
  };
}
interface Log {
  hits: { total: number; hits: { _source: Source }[] };
}

const dayMs = 86_400_000;

suite('activity log', () => {
  let region: Region;
  let log: string;
  before(async () => {
    region = await startRegion();
    log = `/activitylog/v1/contracts/${region.contract}`;
    await moveToNextHour(region); // reads are gathered by the minute, and reported by the hour
  });
  after(() => region.stop());

  const read = async (query = 'limit=1000') => {
    const { status, body } = await region.call<Log>('GET', `${log}?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return { total: body.hits.total, entries: body.hits.hits.map((hit) => hit._source) };
  };
  // Reads are gathered for at most a second; moving the clock flushes them.
  const flush = () => region.call('PUT', '/lab/clock', { advanceMs: 1100 });

  test('[ACT-01] an entry has action, resource, user and time, and the nested shape', async () => {
    const dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'seen', location: 'de/txl' } });
    const { total, entries } = await read();
    assert.equal(total, entries.length);
    const entry = entries.find(
      (one) => one.resource === `datacenter/${dc.id}` && one.action === 'vdc.datacenter.create',
    );
    assert.ok(entry);
    assert.equal(entry.user, region.owner.email);
    assert.match(entry.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(entry.meta.auditVersion, 0.1);
    assert.equal(entry.principal.identity.contractNumber, region.contract);
    assert.ok(entry.principal.sourceIP);
    assert.equal(entry.event.param.action, 'POST');
    assert.match(entry.event.param.uri, /\/cloudapi\/v6\/datacenters$/);
    assert.deepEqual(entry.event.resources[0]?.action, ['vdc.datacenter.create']);
    assert.equal(entry.event.resources[0]?.name, 'seen');
    const request = await region.call('GET', `${core}/requests/${entry.meta.requestId}`);
    assert.equal(request.status, 200);
  });

  test('[ACT-04] one entry per change, with its outcome, even if it failed', async () => {
    await region.call('PUT', '/lab/faults', {
      faults: [{ kind: 'ipblock', step: 'create.reserve', mode: 'fail', message: 'broken by the test' }],
    });
    const made = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    await waitRequest(region, made.headers.location);
    const entries = (await read()).entries.filter((one) => one.resource === `ipblock/${made.body.id}`);
    assert.equal(entries.length, 1);
    assert.equal(entries[0]?.event.status, 'FAILED');
    assert.equal(entries[0]?.event.param.error?.messages[0]?.message, 'broken by the test');
    const dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
    const gone = await region.call('DELETE', `${core}/datacenters/${dc.id}`);
    await waitRequest(region, gone.headers.location);
    const kinds = (await read()).entries.filter(
      (one) => one.resource === `datacenter/${dc.id}` && one.event.type === 'RequestAccepted',
    );
    assert.deepEqual(
      kinds.map((one) => [one.action, one.event.status]),
      [
        ['vdc.datacenter.delete', 'DONE'],
        ['vdc.datacenter.create', 'DONE'],
      ],
    );
  });

  test('[ACT-04] a change of the lab is recorded before it is answered', async () => {
    for (let round = 0; round < 5; round++) {
      await region.call('PUT', '/lab/faults', { faults: [] });
      const [plant] = (await read('limit=20')).entries.filter((one) => one.event.type !== 'Retrieval');
      assert.equal(plant?.action, 'lab_faults_plant');
      await createDone(region, `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
      const changes = (await read('limit=20')).entries.filter((one) => one.event.type !== 'Retrieval');
      assert.deepEqual(
        changes.slice(0, 2).map((one) => one.action),
        ['vdc.datacenter.create', 'lab_faults_plant'],
      );
    }
  });

  test('[ACT-04] log-ins, tokens, labels, members, refusals and retrievals are recorded', async () => {
    const { user, basic, token } = await addPerson(region);
    const group = await createDone(region, `${core}/um/groups`, { properties: { name: 'logged' } });
    await region.call('POST', `${core}/um/groups/${group.id}/users`, { id: user.id });
    const dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
    await region.call('POST', `${core}/datacenters/${dc.id}/labels`, { properties: { key: 'k', value: 'v' } });
    await region.call('POST', `${core}/datacenters`, { properties: {} }, { token });
    for (let times = 0; times < 3; times++) await region.call('GET', `${core}/datacenters/${dc.id}`);
    await region.call('GET', `${core}/datacenters`, undefined, { basic: { ...basic, password: 'Not-The-Word-1' } });
    await region.call('PUT', '/lab/faults', { faults: [] });
    await flush();
    const { entries } = await read();
    const has = (what: string, test: (one: Source) => boolean) => assert.ok(entries.some(test), `no entry for ${what}`);
    has('a log-in', (one) => one.event.type === 'Login' && one.user === basic.email);
    has(
      'a wrong password',
      (one) => one.action === 'sec.user.login' && one.event.param.error?.httpStatus === 401 && one.user === basic.email,
    );
    has('faults of the lab', (one) => one.action === 'lab_faults_plant' && one.event.message === '{"faults":[]}');
    has('a token', (one) => one.event.type === 'GenerateToken' && one.user === basic.email);
    has('a label', (one) => one.action === 'label.label.create');
    has('a member', (one) => one.action === 'sec.group.addUser');
    has(
      'a refusal',
      (one) => one.event.type === 'Error' && one.user === basic.email && one.event.param.error?.httpStatus === 403,
    );
    has('a user', (one) => one.action === 'sec.user.create');
    const reads = entries.filter((one) => one.event.type === 'Retrieval' && one.resource === `datacenter/${dc.id}`);
    assert.equal(
      reads.reduce((sum, one) => sum + (one.event.count ?? 0), 0),
      4,
      'three reads and that of createDone',
    );
    assert.ok(reads.length <= 2, 'reads of one minute share an entry');
  });

  test('[ACT-04] each refused change has its own entry, with the problem', async () => {
    const person = await addPerson(region);
    const wrong = [{ name: 'a', location: 'nowhere' }, { name: '', location: 'de/txl' }, {}];
    const answers = await Promise.all([
      ...wrong.map((properties) => region.call('POST', `${core}/datacenters`, { properties })),
      ...Array.from({ length: 30 }, () => region.call('DELETE', `${core}/ipblocks/nothing`)),
      ...Array.from({ length: 5 }, () =>
        region.call('POST', `${core}/datacenters`, { properties: {} }, { token: person.token }),
      ),
    ]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [403, 404, 422]);
    await flush();
    const refused = (await read()).entries.filter((one) => one.event.type === 'Error');
    const by = (status: number, user: string) =>
      refused.filter((one) => one.user === user && one.event.param.error?.httpStatus === status);
    const { email } = region.owner;
    assert.equal(by(404, email).filter((one) => one.event.param.action === 'DELETE').length, 30);
    assert.equal(by(403, person.basic.email).length, 5);
    const said = by(422, email).map((one) => one.event.param.error?.messages[0]?.message ?? '');
    for (const what of [/'nowhere' not allowed/, /at least 1 character/, /name\] Attribute is required/])
      assert.equal(said.filter((text) => what.test(text)).length, 1, String(what));
    assert.ok(refused.every((one) => one.event.count === undefined));
  });

  test('[ACT-04] a refused change has its place in time among the accepted ones', async () => {
    const ofGroups = async (): Promise<string[]> => {
      const { entries } = await read();
      return entries.filter((one) => one.event.param.uri.endsWith('/um/groups')).map((one) => one.event.type);
    };
    const before = (await ofGroups()).length;
    for (let times = 0; times < 3; times++) {
      assert.equal((await region.call('POST', `${core}/um/groups`, { properties: {} })).status, 422);
      await until('the entry of the refusal', async () => (await ofGroups()).length === before + 2 * times + 1);
      await createDone(region, `${core}/um/groups`, { properties: { name: `after ${times}` } });
    }
    assert.deepEqual((await ofGroups()).slice(0, 6), [
      'RequestAccepted',
      'Error',
      'RequestAccepted',
      'Error',
      'RequestAccepted',
      'Error',
    ]);
  });

  test('[ACT-04] reading the log writes one entry an hour; status polls and health none', async () => {
    for (let times = 0; times < 5; times++) await read('limit=1');
    await region.call('GET', '/health');
    await flush();
    const { entries } = await read();
    assert.equal(entries.filter((one) => one.event.param.uri.includes('/activitylog/v1/contracts/')).length, 1);
    assert.ok(!entries.some((one) => /\/status$|\/health$/.test(one.event.param.uri)));
  });

  test('[ACT-02] the version path returns only the version', async () => {
    for (const path of ['/activitylog/v1', '/activitylog/v1/']) {
      const { status, body } = await region.call('GET', path);
      assert.equal(status, 200);
      assert.deepEqual([body.name, body.version], ['CLOUD API', '1.0']);
      assert.ok(!('hits' in body));
    }
  });

  test('[ACT-03] only GET is possible', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of [log, '/activitylog/v1/contracts', '/activitylog/v1']) {
        const { status, headers } = await region.call(method, path, {});
        assert.equal(status, 405);
        assert.equal(headers.allow, 'GET');
      }
  });

  test("[ACT-06] Basic or Bearer, only for the caller's contracts", async () => {
    assert.equal((await region.call('GET', log, undefined, { basic: region.owner })).status, 200);
    assert.equal((await region.call('GET', log, undefined, { token: null })).status, 401);
    assert.equal((await region.call('GET', '/activitylog/v1/contracts/12345')).status, 403);
    const contracts = await region.call<{ id: number; type: string; href: string }[]>(
      'GET',
      '/activitylog/v1/contracts',
    );
    assert.deepEqual(
      contracts.body.map(({ id, type }) => ({ id, type })),
      [{ id: region.contract, type: 'contracts' }],
    );
  });

  test('[ACT-05] pages continue until an empty one, newest first, without gaps or repetitions', async () => {
    for (let at = 0; at < 10; at++)
      await createDone(region, `${core}/datacenters`, { properties: { name: `p${at}`, location: 'de/txl' } });
    await flush();
    const end = new Date(Date.parse((await read('limit=1')).entries[0]?.time ?? '') + 1).toISOString();
    const seen: Source[] = [];
    for (let offset = 0; ; offset += 7) {
      const { entries } = await read(`endDate=${end}&limit=7&offset=${offset}`);
      if (entries.length === 0) break;
      seen.push(...entries);
      await createDone(region, `${core}/datacenters`, { properties: { name: 'between', location: 'de/txl' } });
    }
    assert.equal(seen.length, (await read(`endDate=${end}&limit=0`)).total);
    assert.equal(new Set(seen.map((one) => one['@uuid'])).size, seen.length);
    const times = seen.map((one) => one.time);
    assert.deepEqual(times, [...times].sort().reverse());
    assert.equal((await read('')).entries.length, 20, 'twenty by default');
  });

  test('[ACT-01] both spellings of the dates; the end is exclusive; bad ones are 400', async () => {
    const now = Date.parse((await read('limit=1')).entries[0]?.time ?? '');
    const today = new Date(now).toISOString().slice(0, 10);
    const tomorrow = new Date(now + dayMs).toISOString().slice(0, 10);
    const total = async (query: string): Promise<number> => (await read(`${query}limit=0`)).total;
    for (const [start, end] of [
      ['startDate', 'endDate'],
      ['dateStart', 'dateEnd'],
    ]) {
      // Reads of earlier tests are gathered and written within a second, so the log may grow in the meantime.
      const before = await total('');
      const found = await total(`${start}=2020-01-01&${end}=${tomorrow}&`);
      const today0 = await total(`${start}=${today}T00:00:00Z&`);
      const after = await total('');
      assert.ok(before <= found && found <= after, `${found} of ${before} to ${after}`);
      assert.ok(today0 <= after);
      assert.equal(await total(`${start}=${tomorrow}&`), 0);
      assert.equal(await total(`${end}=2020-01-01&`), 0);
    }
    for (const query of [
      'startDate=x',
      'endDate=2020-13-45',
      'limit=-1',
      'offset=-1',
      'limit=x',
      'dateStart=20200101',
      'dateEnd=2026-02-31',
    ]) {
      const { status, body } = await region.call('GET', `${log}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.httpStatus, 400);
    }
  });
});

test('[ACT-05] entries older than 35 days are deleted, and the rest keep their order and total', async () => {
  await using region = await startRegion();
  const log = `/activitylog/v1/contracts/${region.contract}?limit=1000`;
  const make = (name: string) =>
    createDone(region, `${core}/datacenters`, { properties: { name, location: 'de/txl' } });
  const old = await make('old');
  await region.call('PUT', '/lab/clock', { advanceMs: 20 * dayMs });
  const young = await make('young');
  await region.call('PUT', '/lab/clock', { advanceMs: 17 * dayMs });
  const { body } = await region.call<Log>('GET', log);
  const resources = body.hits.hits.map((hit) => hit._source.resource);
  assert.ok(!resources.includes(`datacenter/${old.id}`));
  assert.ok(resources.includes(`datacenter/${young.id}`));
  assert.equal(body.hits.total, body.hits.hits.length);
  await region.restart();
  const again = await region.call<Log>('GET', log);
  assert.ok(again.body.hits.total >= body.hits.total);
  assert.equal((await region.call('GET', `${core}/datacenters/${old.id}`)).status, 200);
});

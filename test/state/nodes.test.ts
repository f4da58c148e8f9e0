// Several nodes on one state: what one does the others show, decide by and count with, from the next call on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { freshUrl } from '../../src/testing/postgres.ts';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { type Nodes, nodesSeenBy, refusedLine, startNodes } from '../harness/nodes.ts';
import { addGroup, addPerson, core, tokenOf } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { type Answer, createDone, type Region, waitRequest } from '../harness/region.ts';
import { expect } from '../sweep/api.ts';

const datacenters = `${core}/datacenters`;
const body = (name: string): object => ({ properties: { name, location: 'de/txl' } });
const usualMs = 1000; // until all nodes know a change of one

suite('two nodes', () => {
  let nodes: Nodes;
  let one: Region;
  let two: Region;
  before(async () => {
    nodes = await startNodes(2, ['--rate-burst', '1000000']);
    [one, two] = nodes.all as [Region, Region];
  });
  after(() => nodes[Symbol.asyncDispose]());

  const times: number[] = [];
  const soon = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const since = performance.now();
    await until(what, isSo);
    times.push(performance.now() - since);
  };

  test('what one makes, changes and removes the other shows at once', async () => {
    for (let round = 0; round < 6; round++) {
      const [here, there] = round % 2 ? [one, two] : [two, one];
      const { headers, body: made } = await expect(here.call('POST', datacenters, body('made')), 202);
      const path = `${datacenters}/${made.id}`;
      await expect(there.call('GET', path), 200);
      assert.equal((await waitRequest(there, headers.location)).metadata.status, 'DONE');
      const shown = await expect(there.call('GET', path), 200);
      assert.equal(shown.body.metadata.state, 'AVAILABLE');
      const changed = await expect(here.call('PATCH', path, { name: `changed ${round}` }), 202);
      await waitRequest(here, changed.headers.location);
      assert.equal((await there.call('GET', path)).body.properties.name, `changed ${round}`);
      const { body: list } = await there.call('GET', `${datacenters}?depth=1`);
      assert.equal(list.items.find(({ id }) => id === made.id)?.properties.name, `changed ${round}`);
      const removed = await expect(there.call('DELETE', path), 202);
      await waitRequest(here, removed.headers.location);
      await expect(here.call('GET', path), 404);
    }
  });

  test('a token is good everywhere at once, and one that was deleted nowhere after a second', async () => {
    for (const [here, there] of [
      [one, two],
      [two, one],
    ] as const) {
      const token = await tokenOf(here, one.owner, '?ttl=3600');
      await expect(there.call('GET', datacenters, undefined, { token }), 200);
      await expect(here.call('DELETE', '/auth/v1/tokens?criteria=CURRENT', undefined, { token }), 200);
      await expect(here.call('GET', datacenters, undefined, { token }), 401);
      const isRefused = async (): Promise<boolean> =>
        (await there.call('GET', datacenters, undefined, { token })).status === 401;
      await soon('the deleted token', isRefused);
    }
  });

  test('rights, members and passwords that are changed on one hold on the other after a second', async () => {
    const { user, basic, token } = await addPerson(one);
    const make = async (): Promise<number> => (await two.call('POST', datacenters, body('theirs'), { token })).status;
    assert.equal(await make(), 403);
    const group = await addGroup(one, ['createDataCenter'], [user]);
    await soon('the new right', async () => (await make()) === 202);
    const path = `${core}/um/groups/${group.id}`;
    await expect(one.call('PUT', path, { properties: { name: 'less', createDataCenter: false } }), 202);
    await soon('the right that was taken', async () => (await make()) === 403);
    await expect(one.call('PUT', path, { properties: { name: 'more', createDataCenter: true } }), 202);
    await soon('the right that is back', async () => (await make()) === 202);
    await expect(one.call('DELETE', `${path}/users/${user.id}`), 202);
    await soon('the lost membership', async () => (await make()) === 403);
    const password = 'Another-Password-1';
    await expect(one.call('PUT', `${core}/um/users/${user.id}`, { properties: { ...user.properties, password } }), 202);
    const login = async (tried: string): Promise<number> =>
      (await two.call('GET', `${core}/`, undefined, { basic: { ...basic, password: tried } })).status;
    await soon('the new password', async () => (await login(password)) === 200);
    assert.equal(await login(basic.password), 401);
    await waitRequest(one, (await expect(one.call('DELETE', `${core}/um/users/${user.id}`), 202)).headers.location);
    await soon('the deleted user', async () => (await make()) === 401);
  });

  test('a request of one is BUSY and DONE on the other, and a stalled one continues from either', async () => {
    await plant(one, [{ kind: 'datacenter', step: 'create.provision', mode: 'stall' }]);
    const { headers, body: made } = await expect(one.call('POST', datacenters, body('slow')), 202);
    const path = `${datacenters}/${made.id}`;
    const status = new URL(String(headers.location)).pathname;
    assert.equal((await two.call('GET', status)).body.metadata.status, 'BUSY');
    assert.equal((await two.call('GET', path)).body.metadata.state, 'BUSY');
    const { body: busy } = await two.call('GET', `${core}/requests?filter.status=BUSY&depth=1`);
    assert.deepEqual(
      busy.items.map(({ id }) => status.includes(id)),
      [true],
    );
    await expect(two.call('PATCH', path, { name: 'too early' }), 422);
    await expect(two.call('POST', `${path}/lans`, { properties: {} }), 404);
    const removed = await expect(two.call('DELETE', path), 202); // comes after what it overtakes
    assert.equal((await two.call('GET', status)).body.metadata.status, 'BUSY');
    await plant(two, []);
    assert.equal((await waitRequest(two, headers.location)).metadata.status, 'DONE');
    assert.equal((await waitRequest(one, removed.headers.location)).metadata.status, 'DONE');
    await expect(one.call('GET', path), 404);
  });

  test('a failure on one is reported by the other, never as DONE', async () => {
    for (let round = 0; round < 6; round++) {
      await plant(one, [{ kind: 'ipblock', step: 'create.reserve', mode: 'fail', when: 'after', message: 'No.' }]);
      const made = await expect(
        one.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } }),
        202,
      );
      const { metadata } = await waitRequest(two, made.headers.location);
      assert.deepEqual([metadata.status, metadata.message], ['FAILED', 'No.']);
      await expect(two.call('GET', `${core}/ipblocks/${made.body.id}`), 404);
    }
  });

  test("the lab's clock and faults are those of all, and a fault strikes as often as was asked", async () => {
    await expect(one.call('PUT', '/lab/clock', { advanceMs: 3_600_000 }), 200);
    const { body: clock } = await one.call<{ offsetMs: number }>('GET', '/lab/clock');
    await soon('the moved clock', async () => {
      const { body: other } = await two.call<{ offsetMs: number }>('GET', '/lab/clock');
      return other.offsetMs === clock.offsetMs;
    });
    await plant(two, [{ kind: 'datacenter', step: 'create.provision', mode: 'fail', times: 7 }]);
    await soon('the planted fault', async () => (await planted(one)).length === 1);
    const ended = await fromBoth(20, async (node) => {
      const { headers } = await expect(node.call('POST', datacenters, body('struck')), 202);
      return (await waitRequest(node, headers.location)).metadata.status;
    });
    assert.equal(ended.filter((status) => status === 'FAILED').length, 7);
    await soon('the faults that are used up', async () => (await planted(one)).length === 0);
  });

  test('LANs that both make at once are numbered without a gap, and no network is given twice', async () => {
    const { id } = await createDone(one, datacenters, body('full'));
    const place = `${datacenters}/${id}/lans`;
    const made = await fromBoth(30, async (node) => {
      const properties = { name: 'a', ipv6CidrBlock: 'AUTO' };
      const { headers, body: lan } = await expect(node.call('POST', place, { properties }), 202);
      assert.equal((await waitRequest(node, headers.location)).metadata.status, 'DONE');
      return lan;
    });
    assert.deepEqual(
      made.map((lan) => Number(lan.id)).sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    const networks = new Set(made.map(({ properties }) => properties.ipv6CidrBlock));
    assert.equal(networks.size, 30, 'an IPv6 block was given twice');
    for (const node of nodes.all) assert.equal((await node.call('GET', place)).body.items.length, 30);
  });

  test('addresses, counters and limits are exact when both take at once', async () => {
    const number = 31_000_555;
    const owner = { email: 'limited@example.com', password: 'Limited-Owner-1' };
    const limits = ['--limit', 'reservableIps=10', '--number', String(number)];
    const who = ['--owner', owner.email, '--password', owner.password];
    const added = await cumulet(['contract', 'add', ...who, ...limits, '--data', one.data]);
    assert.equal(added.code, 0, added.stderr);
    const token = await tokenOf(two, owner);
    const place = `${core}/ipblocks`;
    const answers = await fromBoth(30, (node) =>
      node.call('POST', place, { properties: { location: 'de/txl', size: 1 } }, { token }),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([statuses.filter((s) => s === 202).length, statuses.filter((s) => s === 422).length], [10, 20]);
    const addresses = answers.flatMap(({ body: block }) => (block.properties?.ips as string[] | undefined) ?? []);
    assert.equal(new Set(addresses).size, 10);
    const { body: contract } = await two.call('GET', `${core}/contracts`, undefined, { token });
    const figures = contract.items[0]?.properties.resourceLimits as Record<string, number>;
    assert.deepEqual([figures.reservableIps, figures.reservedIpsOnContract], [10, 10]);
    const ids = answers.filter(({ status }) => status === 202).map(({ body: block }) => block.id);
    await until(
      'all are made',
      async () => (await one.call('GET', `${place}?depth=1`, undefined, { token })).body.items,
      (items) => items.every(({ metadata }) => metadata.state === 'AVAILABLE'),
    );
    const gone = await Promise.all(
      [...ids, ...ids].map((id, at) =>
        (at % 2 ? one : two).call('DELETE', `${place}/${id}`, undefined, { token }).then(({ status }) => status),
      ),
    );
    assert.equal(gone.filter((status) => status === 202).length, 10, `each goes once: ${gone}`);
  });

  test('an e-mail address is unique, whichever node is called', async () => {
    for (let round = 0; round < 5; round++) {
      const properties = { firstname: 'A', lastname: 'B', email: `once${round}@example.com`, password: 'Only-Once-1' };
      const answers = await fromBoth(4, (node) => node.call('POST', `${core}/um/users`, { properties }));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422, 422, 422]);
    }
  });

  test('`status` of either names both by host and data folder, with the time of their last heartbeats', async () => {
    for (const node of nodes.all) {
      const seen = await nodesSeenBy(node);
      assert.equal(seen.length, 2, JSON.stringify(seen));
      assert.equal(seen.filter(({ self }) => self).length, 1);
      for (const { lagMs } of seen) assert.ok(lagMs >= 0 && lagMs < 6000, JSON.stringify(seen));
      const screen = (await cumulet(['status', '--data', node.data])).stdout.replace(/\s+/g, ' ');
      for (const { data, pid } of nodes.all) {
        const self = data === node.data ? ', this one' : '';
        const name = RegExp.escape(`${hostname()}:${data} (pid ${pid})${self}`);
        assert.match(screen, new RegExp(` node ${name}; last heartbeat \\d\\.\\d s ago, \\d+ operations`));
      }
    }
  });

  test('the other node knew each change within a second: a busy machine may be late at times', (t) => {
    times.sort((a, b) => a - b);
    t.diagnostic(`after ${times.map(Math.round).join(', ')} ms`);
    assert.ok(times.length >= 10 && Number(times[times.length >> 1]) < usualMs);
  });

  test('the activity log is dense and in order after all that, and nothing is half made', async () => {
    await until(
      'no request is BUSY',
      async () => (await two.call('GET', `${core}/requests?filter.status=BUSY&limit=1`)).body.items,
      ({ length }) => length === 0,
    );
    await assertWhole(one.data);
  });

  // The same number of calls to each, all at once.
  const fromBoth = <T>(count: number, call: (node: Region) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => call(at % 2 ? one : two)));
});

suite('a node', () => {
  test('that starts with another on an empty schema: one contract, one owner, and both serve', async () => {
    await using nodes = await startNodes(0);
    const both = [nodes.make(), nodes.make()];
    await Promise.all(both.map((node) => node.start()));
    const owners = both.flatMap(({ ready }) => (ready.owner ? [ready.owner] : []));
    assert.equal(owners.length, 1, 'the owner is shown once');
    for (const node of both) {
      const token = await tokenOf(node, owners[0] as { email: string; password: string });
      for (const other of both) await expect(other.call('GET', datacenters, undefined, { token }), 200);
      const { stdout } = await cumulet(['contract', 'list', '--json', '--data', node.data]);
      assert.equal((JSON.parse(stdout) as { contracts: object[] }).contracts.length, 1);
      const authority = await cumulet(['ca', '--data', node.data]);
      assert.equal(authority.stdout, (await cumulet(['ca', '--data', (both[0] as Region).data])).stdout);
    }
    await assertWhole((both[0] as Region).data);
  });

  test('without the right key is refused in one line', async () => {
    await using nodes = await startNodes(1);
    const up = (...key: string[]) =>
      refusedLine(['--data', join(nodes.root, 'stranger'), '--state', nodes.url, ...key]);
    assert.match(await up(), /region\.key is missing, and this state can't be read without it: .*--key/);
    await using others = await startNodes(1);
    assert.match(await up('--key', others.key), /region\.key is not the key of this state/);
    await expect((nodes.all[0] as Region).call('GET', datacenters), 200);
  });

  test('whose database is not there is refused in one line', async (t) => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    await new Promise((done) => closed.close(done));
    const nowhere = `postgres://cumulet:secret-word@127.0.0.1:${port}/postgres`;
    const other = new URL(await freshUrl());
    other.pathname = '/nowhere';
    await using nodes = await startNodes(0);
    for (const [url, says] of [
      [nowhere, new RegExp(`127\\.0\\.0\\.1:${port}/postgres.* can not be opened`)],
      [other.href, /nowhere.* can not be opened \(the database does not exist/],
    ] as const) {
      const line = await refusedLine(['--data', join(nodes.root, 'alone'), '--state', url]);
      assert.match(line, says);
      assert.doesNotMatch(line, /secret-word/);
      t.diagnostic(line);
    }
  });
});

async function plant(node: Region, faults: object[]): Promise<Answer> {
  return expect(node.call('PUT', '/lab/faults', { faults }), 200);
}

async function planted(node: Region): Promise<object[]> {
  return (await node.call<{ faults: object[] }>('GET', '/lab/faults')).body.faults;
}

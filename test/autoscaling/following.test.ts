// A group follows its load, black box, with the clock of the lab: thresholds, cooldown, traffic, what fails and what
// a user deletes by hand, and what the command line shows of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import {
  addGroup,
  advance,
  autoscaling,
  type GroupOfTest,
  groupIn,
  policy,
  replicaConfiguration,
  replicasOf,
  serversOf,
  setTotal,
  untilSettled,
} from '../harness/autoscaling.ts';
import { addBlock, addDatacenter, done, publicLan, read } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

interface Look {
  replicas: number;
  value: number | null;
  cooldownUntil: string | null;
  retryAt: string | null;
  now: string;
  actions: { id: string; type: string; status: string; began: string; message?: string }[];
}

const look = async ({ id }: GroupOfTest): Promise<Look> => (await region.call<Look>('GET', `/lab/groups/${id}`)).body;

// Minute by minute, until the group has so many replicas; gives the minutes.
async function minutesUntil(group: GroupOfTest, count: number, most = 30): Promise<number> {
  for (let minutes = 1; minutes <= most; minutes++) {
    await advance(region, 1);
    if ((await look(group)).replicas === count) return minutes;
  }
  throw new Error(`it has ${(await look(group)).replicas} replicas, not ${count}`);
}

test('[SCALE-09] under load it scales out, waits out the cooldown, and scales in when idle, within its bounds', async () => {
  const group = await addGroup(region, { maxReplicaCount: 3 });
  await setTotal(region, group, { cpuPercent: 250 });
  await minutesUntil(group, 2);
  const first = await look(group);
  assert.equal(first.actions[0]?.type, 'SCALE_OUT');
  await minutesUntil(group, 3);
  const second = await look(group);
  const apart = Date.parse(String(second.actions[0]?.began)) - Date.parse(String(first.actions[0]?.began));
  assert.ok(apart >= 300_000, `the second action began ${apart} ms after the first`);
  for (let more = 0; more < 8; more++) await advance(region, 1);
  const full = await look(group);
  assert.deepEqual([full.replicas, Math.round(full.value ?? 0)], [3, 83], 'never above max, however high the load is');
  await setTotal(region, group, {});
  await minutesUntil(group, 2);
  assert.equal((await look(group)).actions[0]?.type, 'SCALE_IN');
  await minutesUntil(group, 1);
  for (let more = 0; more < 8; more++) await advance(region, 1);
  assert.equal((await look(group)).replicas, 1, 'never below min, however idle it is');
});

test('a stopped replica is shown as such, does not count in the average, and is not replaced', async () => {
  const group = await addGroup(region, { minReplicaCount: 2, maxReplicaCount: 2 });
  await setTotal(region, group, { cpuPercent: 100 });
  const [stopped = '', other = ''] = await serversOf(region, group);
  await done(region, 'POST', `${stopped}/stop`);
  for (let minutes = 0; minutes < 4; minutes++) await advance(region, 1);
  const states = (await replicasOf(region, group)).map(({ metadata }) => metadata.state);
  assert.deepEqual(states, ['SHUTOFF', 'AVAILABLE']);
  const { value, servers } = (await look(group)) as Look & { servers: { state: string }[] };
  assert.deepEqual([Math.round(value ?? 0), servers.map(({ state }) => state)], [50, ['SHUTOFF', 'AVAILABLE']]);
  assert.deepEqual(await serversOf(region, group), [stopped, other]);
  await done(region, 'POST', `${stopped}/start`);
  assert.equal((await replicasOf(region, group))[0]?.metadata.state, 'AVAILABLE');
});

test('a group whose LAN another one is just making is made, and begins when the LAN is there', async () => {
  const datacenter = await addDatacenter(region);
  const properties = groupIn(datacenter);
  await region.call('PUT', '/lab/faults', { faults: [{ kind: 'server', step: 'create.allocate', mode: 'stall' }] });
  const both = [];
  for (const name of ['one', 'other'])
    both.push(await region.call('POST', `${autoscaling}/groups`, { properties: { ...properties, name } }));
  assert.deepEqual(
    both.map(({ status }) => status),
    [202, 202],
    JSON.stringify(both[1]?.body),
  );
  await region.call('PUT', '/lab/faults', { faults: [] });
  await untilSettled(region, `${autoscaling}/groups/${both[0]?.body.id}`);
  await advance(region, 1);
  const [action] = await untilSettled(region, `${autoscaling}/groups/${both[1]?.body.id}`);
  assert.equal(action?.properties.actionStatus, 'SUCCESSFUL');
  assert.equal((await read(region, `${datacenter}/lans`)).items.length, 1);
});

test("a replica that can't be created ends the action FAILED with the reason, and is retried with growing delays", async () => {
  const group = await addGroup(region, { maxReplicaCount: 2, policy: { ...policy, scaleInThreshold: 1 } });
  const fault = { kind: 'server', step: 'create.allocate', mode: 'fail', message: 'no machine today', times: 2 };
  await region.call('PUT', '/lab/faults', { faults: [fault] });
  const put = await region.call('PUT', group.path, { properties: { ...group.properties, minReplicaCount: 2 } });
  assert.equal(put.status, 202);
  const failures = async (): Promise<Look['actions']> =>
    (await look(group)).actions.filter(({ status }) => status === 'FAILED');
  await until('the action fails', failures, ({ length }) => length > 0);
  const { actions, replicas, retryAt, now } = await look(group);
  assert.deepEqual([replicas, actions[0]?.message], [1, 'no machine today']);
  const shown = await read(region, `${group.path}/actions/${actions[0]?.id}`);
  assert.deepEqual([shown.properties.actionStatus, shown.metadata.statusMessage], ['FAILED', 'no machine today']);
  assert.deepEqual((await read(region, `${group.datacenter}/servers`)).items.length, 1, 'nothing is left of it');
  const first = Date.parse(String(retryAt)) - Date.parse(now);
  assert.ok(first > 5000 && first <= 15_000, `${first}`);
  await advance(region, 1);
  assert.equal((await failures()).length, 2);
  const later = await look(group);
  const second = Date.parse(String(later.retryAt)) - Date.parse(later.now);
  assert.ok(second > first, `${second} after ${first}`);
  await advance(region, 1);
  const { replicas: made, actions: all } = await look(group);
  assert.deepEqual([made, all[0]?.status], [2, 'SUCCESSFUL']);
});

test('[SCALE-03] traffic through an application load balancer is what a group on a network metric follows', async () => {
  const datacenter = await createDone(region, `${core}/datacenters`, {
    properties: { name: 'shop', location: 'de/txl' },
  });
  const path = `${core}/datacenters/${datacenter.id}`;
  const listenerLan = await publicLan(region, path);
  const inside = await createDone(region, `${path}/lans`, { properties: { name: 'inside', public: false } });
  const [ip = ''] = await addBlock(region, 1);
  const targets = await createDone(region, `${core}/targetgroups`, {
    properties: { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'HTTP' },
  });
  const balancer = await createDone(region, `${path}/applicationloadbalancers`, {
    properties: { name: 'front', listenerLan, targetLan: Number(inside.id), ips: [ip], lbPrivateIps: [] },
  });
  await done(region, 'POST', `${path}/applicationloadbalancers/${balancer.id}/forwardingrules`, {
    properties: {
      name: 'all',
      protocol: 'HTTP',
      listenerIp: ip,
      listenerPort: 80,
      httpRules: [{ name: 'all', type: 'FORWARD', targetGroup: targets.id }],
    },
  });
  const nics = [
    { lan: Number(inside.id), name: 'in', targetGroup: { targetGroupId: targets.id, port: 8080, weight: 1 } },
  ];
  const network = {
    ...policy,
    metric: 'INSTANCE_NETWORK_IN_BYTES',
    unit: 'PER_MINUTE',
    scaleInThreshold: 20_000,
    scaleOutThreshold: 1_000_000,
  };
  const more = { maxReplicaCount: 2, policy: network, replicaConfiguration: { ...replicaConfiguration, nics } };
  const group = await addGroup(region, more, path);
  const send = async (): Promise<void> => {
    const packet = { from: { address: '203.0.113.7' }, to: { address: ip, port: 80 }, protocol: 'TCP', http: {} };
    const sent = await region.call('POST', '/lab/traffic', { ...packet, bytes: 6_000_000, packets: 4000, count: 2 });
    assert.equal((sent.body as unknown as { accepted: number }).accepted, 2, JSON.stringify(sent.body));
  };
  await send();
  await advance(region, 1);
  const busy = await look(group);
  assert.deepEqual([busy.replicas, busy.actions[0]?.type], [2, 'SCALE_OUT'], JSON.stringify(busy));
  await send(); // round robin: one for each of them
  const [one, other] = await serversOf(region, group);
  for (const server of [one, other]) {
    const { usage } = (
      await region.call<{ usage: { networkInBytes: number } }>('GET', `/lab/machines/${server?.split('/').at(-1)}`)
    ).body;
    assert.ok(usage.networkInBytes >= 6_000_000, JSON.stringify(usage));
  }
  await minutesUntil(group, 1);
});

test('the command line sets the load of a group, moves the clock in steps, and shows what the group does', async () => {
  const group = await addGroup(region);
  const data = ['--data', region.data];
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cumulet([...args, ...data]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const loaded = await run('lab', 'load', '--group', group.id, '--total', '300%');
  assert.match(loaded, /replicas {4}1 of 1 to 3/);
  assert.match(loaded, /load {8}300% CPU in all, on one replica/);
  await run('lab', 'clock', '--advance', '6m', '--step', '1m');
  const shown = await run('watch', 'group', group.id, '--once');
  assert.match(shown, /3 replicas \(1 … 3\) {2}[\d.]+% \(30 … 70\) {2}SCALE_OUT SUCCESSFUL/);
  const watched = JSON.parse(await run('watch', 'group', group.id, '--once', '--json')) as {
    servers: ResourceBody[];
    load: object;
  };
  assert.deepEqual([watched.servers.length, watched.load], [3, { cpuPercent: 300 }]);
  const wrong = await cumulet(['lab', 'load', '--group', group.id, '--cpu', '30', ...data]);
  assert.deepEqual(
    [wrong.code, wrong.stderr.trim().split('\n').at(-1)],
    [2, 'cumulet: --cpu is for a server: use --total.'],
  );
});

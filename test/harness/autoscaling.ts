// Auto scaling groups of tests.
import assert from 'node:assert/strict';
import { until } from '../../src/testing/waiting.ts';
import { addDatacenter, read } from './landscape.ts';
import type { Answer, Region, Shown } from './region.ts';

export const autoscaling = '/autoscaling';

export const policy = {
  metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
  range: 'PT2M',
  scaleInThreshold: 30,
  scaleOutThreshold: 70,
  unit: 'TOTAL',
  scaleInAction: {
    amount: 1,
    amountType: 'ABSOLUTE',
    cooldownPeriod: 'PT5M',
    terminationPolicy: 'OLDEST_SERVER_FIRST',
    deleteVolumes: true,
  },
  scaleOutAction: { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M' },
};

export const replicaConfiguration = {
  cores: 1,
  ram: 1024,
  nics: [{ lan: 1, name: 'inside', dhcp: true }],
  volumes: [{ name: 'system', size: 10, type: 'SSD_PREMIUM', imageAlias: 'ubuntu:latest', bootOrder: 'AUTO' }],
};

export interface GroupProperties {
  datacenter: { id: string };
  name: string;
  minReplicaCount: number;
  maxReplicaCount: number;
  policy: typeof policy;
  replicaConfiguration: typeof replicaConfiguration & Record<string, unknown>;
}

export const groupIn = (datacenter: string, more: object = {}): GroupProperties => ({
  datacenter: { id: datacenter.split('/').at(-1) ?? '' },
  name: 'web',
  minReplicaCount: 1,
  maxReplicaCount: 3,
  policy,
  replicaConfiguration,
  ...more,
});

export interface GroupOfTest {
  id: string;
  path: string;
  datacenter: string;
  properties: GroupProperties;
}

// With all its replicas.
export async function addGroup(region: Region, more: object = {}, at?: string): Promise<GroupOfTest> {
  const datacenter = at ?? (await addDatacenter(region));
  const properties = groupIn(datacenter, more);
  const answer = await region.call('POST', `${autoscaling}/groups`, { properties });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const path = `${autoscaling}/groups/${answer.body.id}`;
  await untilSettled(region, path);
  return { id: answer.body.id, path, datacenter, properties };
}

export async function putGroup(region: Region, { path, properties }: GroupOfTest, more: object): Promise<Answer> {
  const answer = await region.call('PUT', path, { properties: { ...properties, ...more } });
  if (answer.status === 202) await untilSettled(region, path);
  return answer;
}

// Until no action is under way; the newest comes first.
export async function untilSettled(region: Region, path: string): Promise<Shown[]> {
  return until(
    `no action of ${path} is under way`,
    async () => (await read(region, `${path}/actions`)).items,
    (items) => items.every(({ properties }) => properties.actionStatus !== 'IN_PROGRESS'),
  );
}

// Until a deleted group is gone with its servers. Reading it gives 404 at once; lists show it until then.
export async function gone(region: Region, path: string): Promise<void> {
  const cut = path.lastIndexOf('/');
  await until(
    `${path} is gone`,
    async () => (await read(region, path.slice(0, cut))).items,
    (groups) => groups.every(({ id }) => id !== path.slice(cut + 1)),
  );
}

export async function replicasOf(region: Region, { path }: Pick<GroupOfTest, 'path'>): Promise<Shown[]> {
  return (await read(region, `${path}/servers?depth=1`)).items;
}

// The paths of their servers.
export const serversOf = async (region: Region, group: Pick<GroupOfTest, 'path'>): Promise<string[]> =>
  (await replicasOf(region, group)).map(({ properties }) => {
    const { href } = properties.datacenterServer as { href: string };
    return new URL(href).pathname;
  });

export async function setTotal(region: Region, { id }: Pick<GroupOfTest, 'id'>, total: object): Promise<void> {
  const { status, body } = await region.call('PUT', `/lab/groups/${id}/load`, total);
  assert.equal(status, 200, JSON.stringify(body));
}

export async function advance(region: Region, minutes: number): Promise<void> {
  const { status, body } = await region.call('PUT', '/lab/clock', { advanceMs: minutes * 60_000 });
  assert.equal(status, 200, JSON.stringify(body));
}

// Auto scaling groups of tests.

import assert from 'node:assert/strict';
import { limits } from '../../src/testing/limits.ts';
import { type GroupProperties, groupIn } from '../../src/testing/scaling-group.ts';
import { until } from '../../src/testing/waiting.ts';
import { addDatacenter, read } from './landscape.ts';
import type { Answer, Region, ResourceBody } from './region.ts';

export { type GroupProperties, groupIn, policy, replicaConfiguration } from '../../src/testing/scaling-group.ts';

export const autoscaling = '/autoscaling';

export interface GroupOfTest {
  id: string;
  path: string;
  datacenter: string;
  properties: GroupProperties;
}

// With all its replicas.
export async function addGroup(
  region: Region,
  more: object = {},
  at?: string,
  limitMs: number = limits.request,
): Promise<GroupOfTest> {
  const datacenter = at ?? (await addDatacenter(region));
  const properties = groupIn(datacenter, more);
  const answer = await region.call('POST', `${autoscaling}/groups`, { properties });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const path = `${autoscaling}/groups/${answer.body.id}`;
  await untilSettled(region, path, limitMs);
  return { id: answer.body.id, path, datacenter, properties };
}

export async function putGroup(region: Region, { path, properties }: GroupOfTest, more: object): Promise<Answer> {
  const answer = await region.call('PUT', path, { properties: { ...properties, ...more } });
  if (answer.status === 202) await untilSettled(region, path);
  return answer;
}

// Until no action is pending; newest first.
export const untilSettled = (region: Region, path: string, limitMs: number = limits.request): Promise<ResourceBody[]> =>
  until(
    `no action of ${path} is in progress`,
    async () => (await read(region, `${path}/actions`)).items,
    (items) => items.every(({ properties }) => properties.actionStatus !== 'IN_PROGRESS'),
    { limitMs },
  );

// Until a deleted group and its servers are removed. Reading it gives 404 at once; lists show it until then.
export async function gone(region: Region, path: string): Promise<void> {
  const cut = path.lastIndexOf('/');
  await until(
    `${path} is gone`,
    async () => (await read(region, path.slice(0, cut))).items,
    (groups) => groups.every(({ id }) => id !== path.slice(cut + 1)),
    { limitMs: limits.request },
  );
}

export async function replicasOf(region: Region, { path }: Pick<GroupOfTest, 'path'>): Promise<ResourceBody[]> {
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

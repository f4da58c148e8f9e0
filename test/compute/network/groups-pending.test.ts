// Security groups during operations, and after failed ones.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';

const rulesOf = (...protocols: string[]) => ({ items: protocols.map((protocol) => ({ properties: { protocol } })) });

async function addWithRules(region: Region, datacenter: string): Promise<string> {
  const body = { properties: { name: 'a group' }, entities: { rules: rulesOf('TCP', 'UDP') } };
  return `${datacenter}/securitygroups/${(await createDone(region, `${datacenter}/securitygroups`, body)).id}`;
}

const idOf = (path: string): string => path.split('/').at(-1) ?? '';

suite('security groups during operations', () => {
  const plant = (region: Region, ...faults: object[]) => region.call('PUT', '/lab/faults', { faults });
  const stall = (region: Region, kind: string) => plant(region, { kind, step: 'change.reconfigure', mode: 'stall' });
  const ends = async (region: Region, location: string | undefined): Promise<void> => {
    await plant(region);
    assert.equal((await waitRequest(region, location)).metadata.status, 'DONE');
  };

  test('[CORE-22] rules that a PUT replaces are BUSY with their group, until all of them have changed', async () => {
    await using region = await startRegion();
    const group = await addWithRules(region, await addDatacenter(region));
    await stall(region, 'securitygroup');
    const body = { properties: { name: 'replaced' }, entities: { rules: rulesOf('GRE') } };
    const put = await region.call('PUT', group, body);
    assert.equal(put.status, 202);
    const shown = await read(region, `${group}?depth=2`);
    assert.equal(shown.metadata.state, 'BUSY');
    const rules = shown.entities.rules?.items as ResourceBody[];
    assert.deepEqual(
      rules.map(({ metadata, properties }) => [properties.protocol, metadata.state]),
      [
        ['TCP', 'BUSY'],
        ['UDP', 'BUSY'],
        ['GRE', 'BUSY'],
      ],
    );
    assertRefused(await region.call('DELETE', `${group}/rules/${rules[2]?.id}`), 'is BUSY');
    assertRefused(await region.call('POST', `${group}/rules`, rulesOf('AH').items[0]), 'is BUSY');
    assertRefused(await region.call('PUT', group, body), 'is BUSY');
    await ends(region, put.headers.location);
    const after = await read(region, `${group}?depth=2`);
    assert.deepEqual([after.metadata.state, after.properties.name], ['AVAILABLE', 'replaced']);
    assert.deepEqual(
      after.entities.rules?.items.map(({ properties }) => properties.protocol),
      ['GRE'],
    );
  });

  test("[CORE-22] a default group in creation can't be used yet", async () => {
    await using region = await startRegion();
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    await stall(region, 'datacenter');
    const patch = await region.call('PATCH', datacenter, { createDefaultSecurityGroup: true });
    const { items } = await read(region, `${datacenter}/securitygroups?depth=1`);
    assert.equal(items[0]?.metadata.state, 'BUSY');
    assert.equal((await read(region, datacenter)).properties.defaultSecurityGroupId, null);
    const ids = items.map(({ id }) => id);
    assertRefused(await region.call('PUT', `${server}/securitygroups`, { ids }), `Security group ${ids[0]} is BUSY`);
    await ends(region, patch.headers.location);
    assert.equal((await read(region, datacenter)).properties.defaultSecurityGroupId, ids[0]);
    await done(region, 'PUT', `${server}/securitygroups`, { ids });
  });

  test('[CORE-22] a group is not removed from a server with a change in progress', async () => {
    await using region = await startRegion();
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const group = await addWithRules(region, datacenter);
    await done(region, 'PUT', `${server}/securitygroups`, { ids: [idOf(group)] });
    await stall(region, 'server');
    const patch = await region.call('PATCH', server, { name: 'renamed' });
    assertRefused(await region.call('DELETE', group), `The server ${idOf(server)} is BUSY`);
    assertRefused(await region.call('PUT', `${server}/securitygroups`, { ids: [] }), 'is BUSY');
    await ends(region, patch.headers.location);
    await done(region, 'DELETE', group);
    const { entities, properties } = await read(region, `${server}?depth=1`);
    assert.deepEqual([entities.securitygroups?.items, properties.name], [[], 'renamed']);
  });

  test('[CORE-22] a group need not wait for the NICs of a server that is being deleted', async () => {
    await using region = await startRegion();
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter, {}, { nics: { items: [{ properties: { lan: 1 } }] } });
    const [nic] = (await read(region, `${server}/nics`)).items;
    const group = await addWithRules(region, datacenter);
    for (const path of [server, `${server}/nics/${nic?.id}`])
      await done(region, 'PUT', `${path}/securitygroups`, { ids: [idOf(group)] });
    await plant(region, { kind: 'server', step: 'remove.halt', mode: 'stall' });
    const removal = await region.call('DELETE', server);
    const { headers } = await region.call('DELETE', group);
    assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
    assert.equal((await region.call('GET', group)).status, 404);
    await ends(region, removal.headers.location);
    assert.equal((await region.call('GET', server)).status, 404);
  });
});

test('[CORE-23] a failure leaves groups, their rules and members unchanged', async () => {
  await using region = await startRegion();
  const datacenter = await addDatacenter(region);
  const server = await addServer(region, datacenter);
  const group = await addWithRules(region, datacenter);
  await done(region, 'PUT', `${server}/securitygroups`, { ids: [idOf(group)] });
  const whole = async () => {
    const { metadata: _, ...rest } = await read(region, `${group}?depth=3`);
    return JSON.stringify(rest).replaceAll(/"(etag|lastModifiedDate)":"[^"]*"/g, '');
  };
  const before = await whole();
  const fails = async (kind: string, step: string, method: string, path: string, sent?: object): Promise<void> => {
    await region.call('PUT', '/lab/faults', { faults: [{ kind, step, mode: 'fail', message: 'on purpose' }] });
    const answer = await region.call(method, path, sent);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    const { metadata } = await waitRequest(region, answer.headers.location);
    assert.deepEqual([metadata.status, metadata.message], ['FAILED', 'on purpose']);
    assert.equal(await whole(), before);
  };
  const others = rulesOf('GRE', 'AH');
  const body = { properties: { name: 'replaced' }, entities: { rules: others } };
  await fails('securitygroup', 'change.reconfigure', 'PUT', group, body);
  await fails('securitygrouprule', 'create.apply', 'PUT', group, body);
  await fails('securitygrouprule', 'create.apply', 'POST', `${group}/rules`, others.items[0]);
  await fails('server', 'change.reconfigure', 'PUT', `${server}/securitygroups`, { ids: [] });
  await fails('securitygroup', 'remove.release', 'DELETE', group);
  await fails('datacenter', 'change.reconfigure', 'PATCH', datacenter, { createDefaultSecurityGroup: true });
  const shown = await read(region, datacenter);
  assert.equal(shown.properties.defaultSecurityGroupId, null);
  assert.equal((await read(region, `${datacenter}/securitygroups`)).items.length, 1);
  await done(region, 'DELETE', group);
  assert.deepEqual((await read(region, `${server}?depth=1`)).entities.securitygroups?.items, []);
});

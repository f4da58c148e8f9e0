// Flow logs as they are set up, black box: one for each interface, and only their name can change.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { provideBuckets } from '../../harness/objects.ts';
import { addGroup, addPerson, core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../../harness/region.ts';

const web = { name: 'web', action: 'ALL', direction: 'BIDIRECTIONAL', bucket: 'flow-logs' };

suite('settings of flow logs', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  let server: string;
  before(async () => {
    region = await startRegion();
    await provideBuckets(region, web.bucket, 'a.bucket-1');
    datacenter = await addDatacenter(region);
    server = await addServer(region, datacenter);
  });
  after(() => region.stop());

  const addNic = async (): Promise<string> => {
    const { id } = await createDone(region, `${server}/nics`, { properties: { lan: 1 } });
    return `${server}/nics/${id}`;
  };

  test('[CORE-20] [FLOW-01] a flow log of a NIC defines what is recorded, and its bucket', async () => {
    const nic = await addNic();
    const made = await createDone(region, `${nic}/flowlogs`, { properties: web });
    assert.equal(made.type, 'flow-log');
    assert.equal(made.metadata.state, 'AVAILABLE');
    assert.deepEqual(made.properties, web);
    assert.deepEqual((await read(region, `${nic}/flowlogs?depth=1`)).items, [made]);
    await done(region, 'DELETE', `${nic}/flowlogs/${made.id}`);
    const lower = { ...web, action: 'rejected', direction: 'ingress', bucket: 'a.bucket-1/some/prefix' };
    const again = await createDone(region, `${nic}/flowlogs`, { properties: lower });
    assert.deepEqual(again.properties, { ...lower, action: 'REJECTED', direction: 'INGRESS' });
    const any = await createDone(region, `${await addNic()}/flowlogs`, { properties: { ...web, action: 'Any' } });
    assert.deepEqual(any.properties, web);
  });

  test('[CORE-20] [FLOW-01] all its problems are reported together', async () => {
    const flowLogs = `${await addNic()}/flowlogs`;
    assertRefused(
      await region.call('POST', flowLogs, { properties: { name: ' ', action: 'SOME', direction: 'UP', bucket: 'Ab' } }),
      'properties.name] Attribute value',
      "properties.action] Attribute value 'SOME' not allowed. Expected one of [ACCEPTED, REJECTED, ALL]",
      "properties.direction] Attribute value 'UP' not allowed. Expected one of [INGRESS, EGRESS, BIDIRECTIONAL]",
      "properties.bucket] Attribute value 'Ab' not allowed. Expected a bucket name",
    );
    const none = await region.call('POST', flowLogs, { properties: {} });
    for (const name of Object.keys(web)) assertRefused(none, `properties.${name}] Attribute is required`);
  });

  test('[CORE-20] [FLOW-02] there is one for each NIC, until it is deleted', async () => {
    const nic = await addNic();
    const flowLogs = `${nic}/flowlogs`;
    const { id } = await createDone(region, flowLogs, { properties: web });
    const other = { properties: { ...web, name: 'other' } };
    assertRefused(
      await region.call('POST', flowLogs, other),
      /200 Only one flow log is allowed. Delete the one of the nic/,
    );
    await done(region, 'DELETE', `${flowLogs}/${id}`);
    await createDone(region, flowLogs, other);
    const both = await Promise.all([0, 1, 2].map(async () => `${await addNic()}/flowlogs`));
    const answers = await Promise.all(
      both.flatMap((path) => [path, path]).map((path) => region.call('POST', path, other)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 202, 422, 422, 422]);
  });

  test('[CORE-20] [FLOW-02] its name can change, anything else is refused', async () => {
    const flowLogs = `${await addNic()}/flowlogs`;
    const path = `${flowLogs}/${(await createDone(region, flowLogs, { properties: web })).id}`;
    await done(region, 'PATCH', path, { ...web, name: 'renamed' });
    assert.deepEqual((await read(region, path)).properties, { ...web, name: 'renamed' });
    await done(region, 'PUT', path, { properties: { name: 'again' } });
    assert.deepEqual((await read(region, path)).properties, { ...web, name: 'again' });
    assertRefused(
      await region.call('PATCH', path, { action: 'ACCEPTED', direction: 'EGRESS', bucket: 'other' }),
      '[(root).action] Attribute can not be changed after creation',
      '[(root).direction] Attribute can not be changed after creation',
      '[(root).bucket] Attribute can not be changed after creation',
    );
  });

  test('[CORE-20] [FLOW-01] NAT gateways and load balancers have flow logs, created alone or together with them', async () => {
    const place = await addDatacenter(region);
    for (const name of ['one', 'two']) await createDone(region, `${place}/lans`, { properties: { name } });
    const block = { location: 'de/txl', size: 2 };
    const { ips } = (await createDone(region, `${core}/ipblocks`, { properties: block })).properties;
    const balancer = { listenerLan: 1, targetLan: 2 };
    const above: [string, (at: number) => object][] = [
      ['natgateways', (at) => ({ publicIps: (ips as string[]).slice(at, at + 1), lans: [{ id: 1 }] })],
      ['networkloadbalancers', () => balancer],
      ['applicationloadbalancers', () => balancer],
    ];
    for (const [plural, properties] of above) {
      const bare = { properties: { name: 'bare', ...properties(0) } };
      const path = `${place}/${plural}/${(await createDone(region, `${place}/${plural}`, bare)).id}`;
      const { id } = await createDone(region, `${path}/flowlogs`, { properties: web });
      assert.deepEqual((await read(region, `${path}?depth=2`)).entities.flowlogs?.items[0]?.properties, web);
      assertRefused(await region.call('POST', `${path}/flowlogs`, { properties: web }), 'Only one flow log is allowed');
      await done(region, 'PATCH', `${path}/flowlogs/${id}`, { name: 'renamed' });
      await done(region, 'DELETE', `${path}/flowlogs/${id}`);
      assert.equal((await region.call('GET', `${path}/flowlogs/${id}`)).status, 404);
      const entities = { flowlogs: { items: [{ properties: web }] } };
      const whole = { properties: { name: 'whole', ...properties(1) }, entities };
      const made = await createDone(region, `${place}/${plural}`, whole);
      const { items } = await read(region, `${place}/${plural}/${made.id}/flowlogs?depth=1`);
      assert.deepEqual(
        items.map((one) => one.properties),
        [web],
      );
    }
  });

  test('[CORE-25] [FLOW-02] one comes with the NIC of a server that is created, a second does not', async () => {
    const nics = (items: object[]) => ({ items: [{ properties: { lan: 1 }, entities: { flowlogs: { items } } }] });
    const made = await addServer(region, datacenter, {}, { nics: nics([{ properties: web }]) });
    const { entities } = await read(region, `${made}?depth=4`);
    const nic = entities.nics?.items[0] as ResourceBody;
    assert.deepEqual(
      nic.entities.flowlogs?.items.map(({ properties }) => properties),
      [web],
    );
    const second = { properties: { ...web, name: 'second' } };
    assertRefused(
      await region.call('POST', `${datacenter}/servers`, {
        properties: { name: 'two', cores: 1, ram: 1024 },
        entities: { nics: nics([{ properties: web }, second]) },
      }),
      'entities.flowlogs.items.[1].properties.name] Only one flow log is allowed',
    );
  });

  test('[FLOW-05] [AUTH-08] a flow log needs the privilege createFlowLog', async () => {
    const person = await addPerson(region);
    const { token } = person;
    await addGroup(region, ['createDataCenter'], [person.user]);
    const properties = { name: 'own', location: 'de/txl' };
    const { id: datacenterId } = await createDone(region, `${core}/datacenters`, { properties }, { token });
    const own = `${core}/datacenters/${datacenterId}`;
    const nics = { items: [{ properties: { lan: 1 } }] };
    const body = { properties: { name: 'own', cores: 1, ram: 1024 }, entities: { nics } };
    const { id } = await createDone(region, `${own}/servers`, body, { token });
    const [nic] = (await read(region, `${own}/servers/${id}/nics`)).items as [ResourceBody];
    const flowLogs = `${own}/servers/${id}/nics/${nic.id}/flowlogs`;
    const refused = await region.call('POST', flowLogs, { properties: web }, { token });
    assert.equal(refused.status, 403);
    assert.match(JSON.stringify(refused.body), /createFlowLog/);
    await addGroup(region, ['createFlowLog'], [person.user]);
    await createDone(region, flowLogs, { properties: web }, { token });
  });
});

// The default security group of a datacenter, black box.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../../harness/region.ts';

const idsIn = (collection: ResourceBody | undefined): string[] => (collection?.items ?? []).map(({ id }) => id).sort();
const nobody = '01900000-0000-7000-8000-000000000000';

suite('default security groups', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const body = (more: object = {}) => ({ properties: { name: 'a datacenter', location: 'de/txl', ...more } });
  const chosen = async (datacenter: string) => (await read(region, datacenter)).properties.defaultSecurityGroupId;
  // Those that have the server, which shows none of them itself.
  const groupsOf = async (path: string): Promise<string[]> => {
    assert.deepEqual(idsIn((await read(region, `${path}?depth=1`)).entities.securitygroups), []);
    const [datacenter, id] = path.split('/servers/') as [string, string];
    const { items } = await read(region, `${datacenter}/securitygroups?depth=3`);
    return idsIn({ items: items.filter(({ entities }) => idsIn(entities.servers).includes(id)) } as ResourceBody);
  };
  const add = async (datacenter: string, name: string): Promise<string> =>
    (await createDone(region, `${datacenter}/securitygroups`, { properties: { name } })).id;

  test('[CORE-20] a datacenter may be created with one, which its later servers join', async () => {
    const made = await createDone(region, `${core}/datacenters`, body({ createDefaultSecurityGroup: true }));
    const datacenter = `${core}/datacenters/${made.id}`;
    const id = String(made.properties.defaultSecurityGroupId);
    assert.equal('createDefaultSecurityGroup' in made.properties, false);
    const group = await read(region, `${datacenter}/securitygroups/${id}?depth=2`);
    assert.equal(group.properties.name, 'Default');
    assert.deepEqual(
      group.entities.rules?.items.map(({ properties: { protocol, type, ipVersion, sourceIp } }) => [
        protocol,
        type,
        ipVersion,
        sourceIp,
      ]),
      [
        ['ANY', 'EGRESS', 'IPv4', null],
        ['ANY', 'EGRESS', 'IPv6', null],
        ['ANY', 'INGRESS', 'IPv4', '10.0.0.0/8'],
        ['ANY', 'INGRESS', 'IPv6', made.properties.ipv6CidrBlock],
      ],
    );
    assert.deepEqual(await groupsOf(await addServer(region, datacenter)), [id]);
    const inside = { servers: { items: [{ properties: { name: 'inside', cores: 1, ram: 1024 } }] } };
    const whole = await createDone(region, `${core}/datacenters`, {
      ...body({ createDefaultSecurityGroup: true }),
      entities: { ...inside, securitygroups: { items: [{ properties: { name: 'another' } }] } },
    });
    const servers = await read(region, `${core}/datacenters/${whole.id}/servers`);
    assert.deepEqual(await groupsOf(`${core}/datacenters/${whole.id}/servers/${servers.items[0]?.id}`), [
      whole.properties.defaultSecurityGroupId,
    ]);
    assert.equal((await read(region, `${core}/datacenters/${whole.id}/securitygroups`)).items.length, 2);
  });

  test('[CORE-20] it can be chosen, and removed with an empty text; without one servers are in no group', async () => {
    const datacenter = await addDatacenter(region);
    assert.equal(await chosen(datacenter), null);
    assert.deepEqual(await groupsOf(await addServer(region, datacenter)), []);
    const [one, two] = [await add(datacenter, 'one'), await add(datacenter, 'two')];
    for (const id of [one, two]) {
      await done(region, 'PATCH', datacenter, { defaultSecurityGroupId: id });
      assert.equal(await chosen(datacenter), id);
      assert.deepEqual(await groupsOf(await addServer(region, datacenter)), [id]);
    }
    await done(region, 'PATCH', datacenter, { description: 'changed' });
    assert.equal(await chosen(datacenter), two);
    await done(region, 'PATCH', datacenter, { defaultSecurityGroupId: '' });
    assert.equal(await chosen(datacenter), null);
    await done(region, 'PATCH', datacenter, { defaultSecurityGroupId: two });
    await done(region, 'DELETE', `${datacenter}/securitygroups/${two}`);
    assert.equal(await chosen(datacenter), null);
    assert.deepEqual(await groupsOf(await addServer(region, datacenter)), []);
  });

  test('[CORE-20] one that does not exist yet or at all, or a second one, is refused', async () => {
    const datacenter = await addDatacenter(region);
    const id = await add(datacenter, 'here');
    for (const wrong of [nobody, 'x'])
      assertRefused(
        await region.call('PATCH', datacenter, { defaultSecurityGroupId: wrong }),
        `[(root).defaultSecurityGroupId] Security group ${wrong} does not exist in this datacenter`,
      );
    assertRefused(
      await region.call('POST', `${core}/datacenters`, body({ defaultSecurityGroupId: id })),
      '[(root).properties.defaultSecurityGroupId] Not allowed on creation, because the group does not exist yet',
    );
    assertRefused(
      await region.call('PATCH', datacenter, { defaultSecurityGroupId: id, createDefaultSecurityGroup: true }),
      '[(root).createDefaultSecurityGroup] Only one of createDefaultSecurityGroup and defaultSecurityGroupId',
    );
    assertRefused(
      await region.call('PATCH', datacenter, { createDefaultSecurityGroup: 'yes' }),
      '[(root).createDefaultSecurityGroup] Expected true or false',
    );
    await done(region, 'PATCH', datacenter, { createDefaultSecurityGroup: true });
    const made = await chosen(datacenter);
    const group = await read(region, `${datacenter}/securitygroups/${made}?depth=1`);
    assert.equal(group.metadata.state, 'AVAILABLE');
    assert.equal(group.entities.rules?.items.length, 4);
    assertRefused(
      await region.call('PATCH', datacenter, { createDefaultSecurityGroup: true }),
      '200 [(root).createDefaultSecurityGroup] The datacenter already has a default security group',
    );
    const empty = await addDatacenter(region);
    await done(region, 'PATCH', empty, { createDefaultSecurityGroup: true });
    assert.ok(await chosen(empty));
    await done(region, 'PATCH', datacenter, { createDefaultSecurityGroup: false });
    assert.equal(await chosen(datacenter), made);
  });
});

// Security groups, black box: their rules, and who is in them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, read } from '../../harness/landscape.ts';
import { addGroup, addPerson, core, tokenOf } from '../../harness/people.ts';
import { cumulet } from '../../harness/process.ts';
import {
  type Answer,
  createDone,
  type Region,
  type ResourceBody,
  startRegion,
  waitRequest,
} from '../../harness/region.ts';

const idOf = (path: string): string => path.split('/').at(-1) ?? '';
const idsIn = (collection: ResourceBody | undefined): string[] => (collection?.items ?? []).map(({ id }) => id).sort();
const nobody = '01900000-0000-7000-8000-000000000000';

suite('security groups', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
  });
  after(() => region.stop());

  const add = async (name = 'a group', rules: object[] = [], place = datacenter): Promise<string> => {
    const entities = { rules: { items: rules.map((properties) => ({ properties })) } };
    const { id } = await createDone(region, `${place}/securitygroups`, { properties: { name }, entities });
    return `${place}/securitygroups/${id}`;
  };
  const addNic = async (server: string): Promise<string> =>
    `${server}/nics/${(await createDone(region, `${server}/nics`, { properties: { lan: 1 } })).id}`;
  const assign = async (to: string, ...groups: string[]): Promise<Answer> =>
    done(region, 'PUT', `${to}/securitygroups`, { ids: groups.map(idOf) });
  const groupsOf = async (path: string): Promise<string[]> =>
    idsIn((await read(region, `${path}?depth=1`)).entities.securitygroups);

  test('[CORE-20] a group is created, read, changed, replaced and deleted', async () => {
    const made = await region.call('POST', `${datacenter}/securitygroups`, { properties: { name: 'web' } });
    assert.equal(made.status, 202);
    assert.equal(made.body.type, 'security-group');
    await waitRequest(region, made.headers.location);
    const path = `${datacenter}/securitygroups/${made.body.id}`;
    const shown = await read(region, path);
    assert.equal(shown.metadata.state, 'AVAILABLE');
    assert.deepEqual(shown.properties, { name: 'web', description: null });
    assert.deepEqual(Object.keys(shown.entities), ['rules', 'nics', 'servers']);
    await done(region, 'PATCH', path, { description: 'of the web' });
    assert.deepEqual((await read(region, path)).properties, { name: 'web', description: 'of the web' });
    await done(region, 'PUT', path, { properties: { name: 'all' } });
    assert.deepEqual((await read(region, path)).properties, { name: 'all', description: 'of the web' });
    const wrong = { name: 'x'.repeat(61), description: 'x'.repeat(301) };
    for (const [method, url] of [
      ['POST', `${datacenter}/securitygroups`],
      ['PUT', path],
    ] as const)
      assertRefused(
        await region.call(method, url, { properties: wrong }),
        'properties.name] Expected at most 60 characters',
        'properties.description] Expected at most 300 characters',
      );
    assertRefused(await region.call('POST', `${datacenter}/securitygroups`, {}), '[(root).properties');
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('[CORE-20] its rules are those of a firewall; making one answers 200 with a Location', async () => {
    const group = await add();
    const properties = { protocol: 'TCP', name: 'ssh', portRangeStart: 22, portRangeEnd: 22 };
    const made = await region.call('POST', `${group}/rules`, { properties });
    assert.equal(made.status, 200);
    assert.equal(made.body.type, 'firewall-rule');
    assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
    const rule = `${group}/rules/${made.body.id}`;
    const shown = await read(region, rule);
    assert.equal(shown.metadata.state, 'AVAILABLE');
    assert.deepEqual({ ...shown.properties, ...properties }, shown.properties);
    assert.equal(shown.properties.type, null);
    const changed = await region.call('PATCH', rule, { portRangeEnd: 23, sourceIp: '10.0.0.0/8' });
    assert.equal(changed.status, 202);
    await waitRequest(region, changed.headers.location);
    await done(region, 'PUT', rule, {
      properties: { name: 'any port', portRangeStart: null, portRangeEnd: null },
    });
    const { name, protocol, portRangeEnd, sourceIp } = (await read(region, rule)).properties;
    assert.deepEqual([name, protocol, portRangeEnd, sourceIp], ['any port', 'TCP', null, '10.0.0.0/8']);
    assertRefused(
      await region.call('POST', `${group}/rules`, { properties: { protocol: 'ESP', icmpType: 1, sourceIp: 'x' } }),
      'properties.icmpType] Attribute is only allowed for ICMP and ICMPv6, but the protocol is ESP',
      "properties.sourceIp] 'x' is neither an IP address nor a range",
    );
    assert.deepEqual(idsIn((await read(region, `${group}?depth=1`)).entities.rules), [made.body.id]);
    await done(region, 'DELETE', rule);
    assert.equal((await region.call('GET', rule)).status, 404);
  });

  test('[CORE-20] [CORE-25] a group may be made with its rules, and a PUT that sends rules replaces them', async () => {
    const group = await add('with rules', [{ protocol: 'TCP' }, { protocol: 'UDP' }, { protocol: 'GRE' }]);
    const rules = async () => (await read(region, `${group}/rules?depth=1`)).items;
    const [tcp, udp, gre] = (await rules()) as [ResourceBody, ResourceBody, ResourceBody];
    assert.deepEqual(
      [tcp, udp, gre].map(({ properties }) => properties.protocol),
      ['TCP', 'UDP', 'GRE'],
    );
    const properties = { name: 'replaced' };
    await done(region, 'PUT', group, { properties });
    assert.deepEqual(await rules(), [tcp, udp, gre]);
    const items = [tcp, { id: udp.id, properties: { name: 'named' } }, { properties: { protocol: 'ANY' } }];
    const put = await region.call('PUT', group, { properties, entities: { rules: { items } } });
    assert.equal(put.status, 202);
    assert.equal((await waitRequest(region, put.headers.location)).metadata.status, 'DONE');
    const then = await rules();
    assert.deepEqual(
      then.map(({ properties: { protocol, name } }) => [protocol, name]),
      [
        ['TCP', null],
        ['UDP', 'named'],
        ['ANY', null],
      ],
    );
    assert.deepEqual(idsIn({ items: then } as ResourceBody).filter((id) => id === tcp.id || id === udp.id).length, 2);
    for (const { metadata } of then) assert.equal(metadata.state, 'AVAILABLE');
    assert.equal((await region.call('GET', `${group}/rules/${gre.id}`)).status, 404);
    assertRefused(
      await region.call('PUT', group, {
        properties: { name: '' },
        entities: {
          rules: { items: [{ id: gre.id, properties: { protocol: 'GRE' } }, { properties: { type: 'UP' } }, 3] },
        },
      }),
      '[(root).properties.name] Expected at least 1 character',
      '[(root).entities.rules.items.[0].id] The security group has no rule with this ID',
      '[(root).entities.rules.items.[1].properties.protocol] Attribute is required',
      '109 [(root).entities.rules.items.[1].properties.type]',
      '[(root).entities.rules.items.[2]',
    );
    for (const [entities, problem] of [
      [3, '[(root).entities] An object is expected'],
      [{ rules: 3 }, '[(root).entities.rules] An object is expected'],
      [{ rules: { items: 3 } }, '[(root).entities.rules.items] A list is expected'],
      [{ rules: { items: Array(1001).fill({}) } }, '[(root).entities.rules.items] Expected at most 1000'],
    ] as const)
      assertRefused(await region.call('PUT', group, { properties, entities }), problem);
    await done(region, 'PUT', group, { properties, entities: { rules: { items: [] } } });
    assert.deepEqual(await rules(), []);
  });

  test('[CORE-20] servers and NICs are put into groups, all at once, with 200 and a Location', async () => {
    const server = await addServer(region, datacenter);
    const nic = await addNic(server);
    const [one, two, three] = [await add('one'), await add('two'), await add('three', [{ protocol: 'ANY' }])];
    const answer = await assign(server, one, two);
    assert.equal(answer.status, 200);
    assert.equal(answer.body.type, 'collection');
    assert.equal(answer.body.id, `${idOf(server)}/securitygroups`);
    assert.deepEqual(idsIn(answer.body), [one, two].map(idOf).sort());
    assert.deepEqual(await groupsOf(server), [one, two].map(idOf).sort());
    await assign(nic, two, three, two);
    assert.deepEqual(await groupsOf(nic), [two, three].map(idOf).sort());
    await assign(server, three);
    assert.deepEqual(await groupsOf(server), [idOf(three)]);
    const { entities } = await read(region, `${three}?depth=10`);
    assert.deepEqual(idsIn(entities.servers), [idOf(server)]);
    assert.deepEqual(idsIn(entities.nics), [idOf(nic)]);
    const shown = entities.servers?.items[0];
    assert.equal(shown?.properties.name, 'a server');
    assert.equal(shown?.entities.securitygroups?.items, undefined, 'what leads back is not followed');
    const deep = await read(region, `${server}?depth=4`);
    assert.equal(deep.entities.securitygroups?.items[0]?.entities.rules?.items.length, 1);
    await assign(server);
    assert.deepEqual(await groupsOf(server), []);
    assert.deepEqual(await groupsOf(nic), [two, three].map(idOf).sort());
    await done(region, 'PATCH', nic, { name: 'changed' });
    assert.deepEqual(await groupsOf(nic), [two, three].map(idOf).sort());
    await done(region, 'DELETE', server);
    assert.deepEqual((await read(region, `${three}?depth=1`)).entities.nics?.items, []);
  });

  test('[CORE-20] all links between groups and who is in them can be followed', async () => {
    const group = await add('followed');
    const server = await addServer(region, datacenter);
    const nic = await addNic(server);
    await assign(server, group);
    await assign(nic, group);
    for (const [from, name, to] of [
      [group, 'servers', server],
      [group, 'nics', nic],
      [server, 'securitygroups', group],
      [nic, 'securitygroups', group],
    ] as const) {
      const { href } = (await read(region, from)).entities[name] as ResourceBody;
      const listed = await read(region, `${new URL(href).pathname}?depth=1`);
      assert.deepEqual(
        listed.items.map((item) => new URL(item.href).pathname),
        [to],
      );
      const { id, properties } = await read(region, `${from}/${name}/${idOf(to)}`);
      assert.equal(id, idOf(to));
      assert.deepEqual(properties, listed.items[0]?.properties);
      assert.equal((await region.call('GET', `${from}/${name}/${nobody}`)).status, 404);
    }
  });

  test('[CORE-20] groups that are not in the datacenter are refused, each by its place', async () => {
    const server = await addServer(region, datacenter);
    const nic = await addNic(server);
    const otherGroup = await add('elsewhere', [], await addDatacenter(region));
    const here = await add();
    for (const path of [server, nic])
      assertRefused(
        await region.call('PUT', `${path}/securitygroups`, { ids: [idOf(here), nobody, 'x', idOf(otherGroup)] }),
        `200 [(root).ids.[1]] Security group ${nobody} does not exist in this datacenter`,
        '200 [(root).ids.[2]] Security group x does not exist',
        '200 [(root).ids.[3]] Security group',
      );
    assertRefused(await region.call('PUT', `${nic}/securitygroups`, {}), '[(root).ids] Attribute is required');
    assertRefused(
      await region.call('PUT', `${nic}/securitygroups`, { ids: [7], other: 1 }),
      '[(root).ids.[0]] Expected a string',
      '106 [(root).other] Attribute is unknown',
    );
    assert.deepEqual(await groupsOf(server), []);
    assert.equal((await region.call('PUT', `${datacenter}/servers/${nobody}/securitygroups`, { ids: [] })).status, 404);
  });

  test('[CORE-20] a group that is deleted is taken from all who were in it, with its rules', async () => {
    const server = await addServer(region, datacenter);
    const nic = await addNic(server);
    const [stays, goes] = [await add('stays'), await add('goes', [{ protocol: 'ANY' }])];
    const [rule] = (await read(region, `${goes}/rules`)).items as [ResourceBody];
    await assign(server, stays, goes);
    await assign(nic, goes);
    await done(region, 'DELETE', goes);
    assert.equal((await region.call('GET', goes)).status, 404);
    assert.equal((await region.call('GET', `${goes}/rules/${rule.id}`)).status, 404);
    assert.deepEqual(await groupsOf(server), [idOf(stays)]);
    assert.deepEqual(await groupsOf(nic), []);
    for (const path of [server, nic]) assert.equal((await read(region, path)).metadata.state, 'AVAILABLE');
    await done(region, 'DELETE', nic);
  });

  test('[AUTH-08] a group needs the privilege createNetworkSecurityGroups', async () => {
    const person = await addPerson(region);
    const { token } = person;
    await addGroup(region, ['createDataCenter'], [person.user]);
    const properties = { name: 'own', location: 'de/txl' };
    const own = await createDone(region, `${core}/datacenters`, { properties }, { token });
    const groups = `${core}/datacenters/${own.id}/securitygroups`;
    const body = { properties: { name: 'mine' } };
    assert.equal((await region.call('POST', groups, body, { token })).status, 403);
    const whole = { properties: { ...properties, createDefaultSecurityGroup: true } };
    assert.equal((await region.call('POST', `${core}/datacenters`, whole, { token })).status, 403);
    await addGroup(region, ['createNetworkSecurityGroups'], [person.user]);
    await createDone(region, groups, body, { token });
  });
});

test('[CORE-21] the limits of the contract hold for concurrent requests', async () => {
  await using region = await startRegion();
  const limits = ['securityGroupsPerVdc=3', 'securityGroupsPerResource=2', 'rulesPerSecurityGroup=4'];
  const args = ['--owner', 'small@example.com', ...limits.flatMap((limit) => ['--limit', limit])];
  const { stdout } = await cumulet(['contract', 'add', ...args, '--json', '--data', region.data]);
  region.token = await tokenOf(region, JSON.parse(stdout) as { email: string; password: string });
  const datacenter = await addDatacenter(region);
  const groups = `${datacenter}/securitygroups`;
  const items = (count: number) => Array.from({ length: count }, () => ({ properties: { protocol: 'ANY' } }));
  const body = (count = 0) => ({ properties: { name: 'a group' }, entities: { rules: { items: items(count) } } });
  const together = async (count: number, path: string, sent: unknown): Promise<Answer[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => region.call('POST', path, sent)));
    for (const { headers } of answers) if (headers.location) await waitRequest(region, headers.location);
    return answers;
  };
  assertRefused(
    await region.call('POST', groups, body(5)),
    '200 The limit rulesPerSecurityGroup of the contract is 4: 5 more would exceed it.',
  );
  const answers = await together(5, groups, body(2));
  const made = answers.filter(({ status }) => status === 202).map((answer) => answer.body.id);
  assert.equal(made.length, 3);
  for (const answer of answers)
    if (answer.status !== 202) assertRefused(answer, 'The limit securityGroupsPerVdc of the contract is 3: 1 more');
  const group = `${groups}/${made[0]}`;
  const some = await together(5, `${group}/rules`, items(1)[0]);
  assert.deepEqual(some.map(({ status }) => status).sort(), [200, 200, 422, 422, 422]);
  assertRefused(await region.call('PUT', group, body(5)), 'The limit rulesPerSecurityGroup of the contract is 4');
  await done(region, 'PUT', group, body(4));
  assert.equal((await read(region, `${group}/rules`)).items.length, 4);
  assertRefused(await region.call('POST', `${group}/rules`, items(1)[0]), 'rulesPerSecurityGroup');
  const server = await addServer(region, datacenter);
  assertRefused(
    await region.call('PUT', `${server}/securitygroups`, { ids: made }),
    '[(root).ids] The limit securityGroupsPerResource of the contract is 2',
  );
  await done(region, 'PUT', `${server}/securitygroups`, { ids: made.slice(1) });
  await done(region, 'DELETE', group);
  await createDone(region, groups, body(4));
  assertRefused(await region.call('POST', groups, body()), 'securityGroupsPerVdc');
});

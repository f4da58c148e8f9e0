// Network and application load balancers, black box: their LANs and addresses, and where their rules
// listen.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, done, figures, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';

suite('load balancers', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const addLan = async (datacenter: string, isPublic = false): Promise<number> =>
    Number((await createDone(region, `${datacenter}/lans`, { properties: { public: isPublic } })).id);
  const addBlock = async (size: number, location = 'de/txl'): Promise<string[]> =>
    (await createDone(region, `${core}/ipblocks`, { properties: { location, size } })).properties.ips as string[];

  // A datacenter with a LAN to listen in and another one for targets.
  async function grounds(isPublic = false): Promise<{ datacenter: string; listenerLan: number; targetLan: number }> {
    const datacenter = await addDatacenter(region);
    return { datacenter, listenerLan: await addLan(datacenter, isPublic), targetLan: await addLan(datacenter) };
  }

  async function addBalancer(kind: 'network' | 'application', more: object = {}, isPublic = false) {
    const { datacenter, ...lans } = await grounds(isPublic);
    const place = `${datacenter}/${kind}loadbalancers`;
    const made = await createDone(region, place, { properties: { name: 'one', ...lans, ...more } });
    return { datacenter, place, path: `${place}/${made.id}`, ...lans, made };
  }

  const target = { ip: '10.9.8.7', port: 80, weight: 1 };
  const networkRule = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerPort: 80, targets: [target] };
  const applicationRule = { name: 'web', protocol: 'HTTP', listenerPort: 80 };
  const ipOf = ({ properties }: ResourceBody): string => (properties.ips as string[])[0] as string;

  for (const kind of ['network', 'application'] as const) {
    test(`[CORE-20] ${kind} load balancers have addresses in both of their LANs, and the LANs can't be deleted`, async () => {
      const { datacenter, place, path, made, listenerLan, targetLan } = await addBalancer(kind);
      const rangeOf = async (lan: number) =>
        String((await read(region, `${datacenter}/lans/${lan}`)).properties.ipv4CidrBlock).split('.0.0/')[0];
      assert.equal(made.type, `${kind}loadbalancer`);
      assert.equal(made.metadata.state, 'AVAILABLE');
      const { ips, lbPrivateIps, centralLogging, loggingFormat } = made.properties as Record<string, string[]>;
      assert.deepEqual([centralLogging, loggingFormat], [false, null]);
      assert.ok(ips?.length === 1 && ips[0]?.startsWith(`${await rangeOf(listenerLan)}.`), String(ips));
      const isShown = kind === 'network';
      if (isShown) assert.match(String(lbPrivateIps), new RegExp(`^${await rangeOf(targetLan)}\\.\\d+\\.\\d+/24$`));
      else assert.deepEqual(lbPrivateIps, []);
      const listed = await read(region, `${place}?depth=1`);
      assert.deepEqual(
        listed.items.map(({ id, properties }) => [id, properties.name]),
        [[made.id, 'one']],
      );
      for (const lan of [listenerLan, targetLan])
        assertRefused(
          await region.call('DELETE', `${datacenter}/lans/${lan}`),
          `LAN ${lan} can't be deleted: ${kind} load balancer ${made.id} is in it`,
        );
      const server = await addServer(region, datacenter);
      const taken = [[listenerLan, ips[0]], ...(isShown ? [[targetLan, String(lbPrivateIps).split('/')[0]]] : [])];
      for (const [lan, ip] of taken)
        assertRefused(
          await region.call('POST', `${server}/nics`, { properties: { lan, ips: [ip] } }),
          `${ip} is already in use in this LAN`,
        );
      await done(region, 'DELETE', path);
      assert.equal((await region.call('GET', path)).status, 404);
      for (const lan of [listenerLan, targetLan]) await done(region, 'DELETE', `${datacenter}/lans/${lan}`);
    });

    test(`[CORE-20] ${kind} load balancers: all problems are reported together`, async () => {
      const { datacenter, listenerLan } = await grounds();
      const place = `${datacenter}/${kind}loadbalancers`;
      const post = (properties: object) => region.call('POST', place, { properties });
      assertRefused(
        await post({ listenerLan, targetLan: listenerLan, ips: ['10.1.1.300'], lbPrivateIps: ['198.18.0.1/24'] }),
        'properties.name] Attribute is required',
        'properties.targetLan] The listener LAN and the target LAN must differ',
        "properties.ips.[0]] Attribute value '10.1.1.300' not allowed",
        'properties.lbPrivateIps.[0]] 198.18.0.1/24 is not a private address',
      );
      const unread = await post({ name: 'x', listenerLan, targetLan: 2, lbPrivateIps: ['10.1.1'] });
      assertRefused(unread, "properties.lbPrivateIps.[0]] Attribute value '10.1.1' not allowed");
      assert.equal(unread.body.messages.length, 1, 'reported once');
      const twice = { name: 'x', listenerLan, targetLan: 2, ips: ['10.1.1.3', '10.1.1.3'] };
      assertRefused(await post(twice), 'properties.ips.[1]] The address 10.1.1.3 is in the list twice');
      assertRefused(
        await post({ name: 'x', listenerLan: 7, targetLan: 2 }),
        'properties.listenerLan] LAN 7 does not exist in this datacenter',
      );
      assertRefused(
        await post({ name: 'x', listenerLan, targetLan: 9 }),
        'properties.targetLan] LAN 9 does not exist in this datacenter',
      );
      const [ip] = await addBlock(1);
      assertRefused(
        await post({ name: 'x', listenerLan, targetLan: 2, ips: [ip] }),
        `properties.ips.[0]] ${ip} is a public address, but the LAN is private`,
      );
      assert.deepEqual((await read(region, place)).items, []);
    });
  }

  test('[CORE-20] on a public LAN reserved addresses are used, by one balancer only, and none is leased', async () => {
    const bare = await addBalancer('network', {}, true);
    assert.deepEqual(bare.made.properties.ips, []);
    const [ip, spare] = (await addBlock(2)) as [string, string];
    const used = await addBalancer('application', { ips: [ip] }, true);
    assert.equal(ipOf(used.made), ip);
    const { name: _, ...lans } = bare.made.properties as { name: string; listenerLan: number; targetLan: number };
    const body = { properties: { name: 'x', listenerLan: lans.listenerLan, targetLan: lans.targetLan, ips: [ip] } };
    assertRefused(await region.call('POST', bare.place, body), `[VDC-5-1080] The IP ${ip} is still in use`);
    const [far] = await addBlock(1, 'de/fra');
    assertRefused(await region.call('PATCH', bare.path, { ips: [far] }), `${far} is reserved in de/fra`);
    assertRefused(await region.call('PATCH', bare.path, { ips: ['198.19.255.9'] }), 'is not in an IP block');
    await done(region, 'PATCH', used.path, { ips: [spare, '10.200.0.1'] });
    assert.deepEqual((await read(region, used.path)).properties.ips, [spare, '10.200.0.1']);
    await done(region, 'PATCH', bare.path, { ips: [ip] });
    await done(region, 'PATCH', used.path, { ips: [] });
    assert.deepEqual((await read(region, used.path)).properties.ips, []);
    await done(region, 'DELETE', bare.path);
    await done(region, 'PATCH', used.path, { ips: [ip, spare] });
  });

  test('[CORE-20] a change of LANs keeps requested addresses, and chooses the others again', async () => {
    const { datacenter, path, made, listenerLan, targetLan } = await addBalancer('network', { ips: ['10.12.118.224'] });
    const [third, fourth] = [await addLan(datacenter), await addLan(datacenter)];
    await done(region, 'PATCH', path, { listenerLan: third, targetLan: fourth });
    const moved = await read(region, path);
    assert.deepEqual(moved.properties.ips, ['10.12.118.224']);
    assert.notDeepEqual(moved.properties.lbPrivateIps, made.properties.lbPrivateIps);
    await done(region, 'DELETE', `${datacenter}/lans/${targetLan}`);
    assertRefused(await region.call('DELETE', `${datacenter}/lans/${fourth}`), 'is in it');
    const server = await addServer(region, datacenter);
    await createDone(region, `${server}/nics`, { properties: { lan: listenerLan, ips: ['10.12.118.224'] } });
    const nic = { properties: { lan: third, ips: ['10.12.118.224'] } };
    assertRefused(await region.call('POST', `${server}/nics`, nic), 'is already in use in this LAN');
    await done(region, 'PATCH', path, { listenerLan: fourth, targetLan: third });
    await done(region, 'POST', `${server}/nics`, nic);
    const expected = { name: 'two', ips: ['10.12.118.224', '10.12.119.224'], lbPrivateIps: ['10.13.72.225'] };
    const put = { properties: { ...expected, listenerLan: fourth, targetLan: third } };
    await done(region, 'PUT', path, put);
    const { properties } = await read(region, path);
    assert.deepEqual(properties.lbPrivateIps, ['10.13.72.225/24']);
    await done(region, 'PATCH', path, { name: 'three' });
    assert.deepEqual((await read(region, path)).properties, { ...properties, name: 'three' });
    await done(region, 'PUT', path, { properties: { name: 'four', listenerLan: fourth, targetLan: third } });
    assert.deepEqual((await read(region, path)).properties.ips, expected.ips);
  });

  test('[CORE-20] a forwarding rule of a network load balancer: defaults, changes, one listener each', async () => {
    const { path, made } = await addBalancer('network', { ips: ['10.12.118.224', '10.12.119.224'] });
    const place = `${path}/forwardingrules`;
    const post = (more: object) => region.call('POST', place, { properties: { ...networkRule, ...more } });
    assertRefused(
      await region.call('POST', place, {
        properties: { algorithm: 'x', listenerPort: 0, targets: [{ ip: '1.2.3', port: 70_000, weight: 257 }] },
      }),
      'properties.name] Attribute is required',
      '109 [(root).properties.algorithm]',
      'properties.protocol] Attribute is required',
      'properties.listenerIp] Attribute is required',
      'properties.listenerPort] Attribute value 0 is below the minimum of 1',
      "properties.targets.[0].ip] Attribute value '1.2.3' not allowed",
      'properties.targets.[0].port] Attribute value 70000 is above the maximum of 65535',
      'properties.targets.[0].weight] Attribute value 257 is above the maximum of 256',
    );
    assertRefused(
      await post({ listenerIp: '10.1.1.1' }),
      'properties.listenerIp] 10.1.1.1 is not an address of the load balancer. It has 10.12.118.224, 10.12.119.224',
    );
    const listenerIp = ipOf(made);
    const rule = await createDone(region, place, { properties: { ...networkRule, listenerIp } });
    assert.equal(rule.type, 'forwarding-rule');
    assert.deepEqual(rule.properties, {
      ...networkRule,
      listenerIp,
      healthCheck: { clientTimeout: 50_000, connectTimeout: 5000, targetTimeout: 50_000, retries: 3 },
      targets: [{ ...target, proxyProtocol: 'none' }],
    });
    assertRefused(
      await post({ listenerIp }),
      `properties.listenerPort] Forwarding rule ${rule.id} already listens at ${listenerIp}:80`,
    );
    const at = `${place}/${rule.id}`;
    await done(region, 'PATCH', at, { healthCheck: { connectTimeout: 1200 }, listenerPort: 81 });
    const { healthCheck } = (await read(region, at)).properties;
    assert.deepEqual(healthCheck, { clientTimeout: 50_000, connectTimeout: 1200, targetTimeout: 50_000, retries: 3 });
    await done(region, 'PATCH', at, { healthCheck: { retries: 1 } });
    assert.equal(((await read(region, at)).properties.healthCheck as { connectTimeout: number }).connectTimeout, 1200);
    await done(region, 'PATCH', at, { healthCheck: null });
    assert.equal(((await read(region, at)).properties.healthCheck as { retries: number }).retries, 3);
    const other = await createDone(region, place, { properties: { ...networkRule, listenerIp } });
    assertRefused(
      await region.call('PATCH', at, { listenerPort: 80 }),
      `Forwarding rule ${other.id} already listens at`,
    );
    assertRefused(
      await region.call('PATCH', path, { ips: ['10.12.119.224'] }),
      '[(root).ips] Forwarding rule',
      `listens at ${listenerIp}`,
    );
    await done(region, 'PATCH', at, { listenerIp: '10.12.119.224' });
    await done(region, 'DELETE', `${place}/${other.id}`);
    await done(region, 'PATCH', path, { ips: ['10.12.119.224'] });
    const shown = await read(region, `${path}?depth=2`);
    assert.deepEqual(
      shown.entities.forwardingrules?.items.map(({ id, properties }) => [id, properties.listenerIp]),
      [[rule.id, '10.12.119.224']],
    );
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', at)).status, 404);
  });

  test('[CORE-20] of many rules for one listener, one is created', async () => {
    const { path, made } = await addBalancer('network');
    const properties = { ...networkRule, listenerIp: ipOf(made) };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => region.call('POST', `${path}/forwardingrules`, { properties })),
    );
    assert.equal(answers.filter(({ status }) => status === 202).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 202)) assertRefused(answer, 'already');
  });

  test('[CORE-20] a rule and a concurrent change of addresses: a rule always listens at an existing address', async () => {
    const race = async (): Promise<void> => {
      const { path } = await addBalancer('network', { ips: ['10.12.118.224', '10.12.119.224'] });
      const place = `${path}/forwardingrules`;
      const answers = await Promise.all([
        region.call('PATCH', path, { ips: ['10.12.119.224'] }),
        region.call('POST', place, { properties: { ...networkRule, listenerIp: '10.12.118.224' } }),
      ]);
      for (const { status, headers } of answers) if (status === 202) await waitRequest(region, headers.location);
      const { ips } = (await read(region, path)).properties;
      const { items } = await read(region, `${place}?depth=1`);
      assert.equal((ips as string[]).length, items.length + 1, JSON.stringify(answers.map(({ body }) => body)));
    };
    await Promise.all(Array.from({ length: 6 }, race));
  });

  test('[CORE-20, CORE-25] balancers are created together with their rules, completely or not at all', async () => {
    const { datacenter, listenerLan, targetLan } = await grounds();
    const pool = { name: 'pool', algorithm: 'RANDOM', protocol: 'HTTP' };
    const { id: targetGroup } = await createDone(region, `${core}/targetgroups`, { properties: pool });
    const properties = { name: 'whole', listenerLan, targetLan, ips: ['10.12.118.224'] };
    const forward = { name: 'all', type: 'FORWARD', targetGroup };
    const rules = {
      network: { ...networkRule, listenerIp: '10.12.118.224' },
      application: { ...applicationRule, listenerIp: '10.12.118.225', httpRules: [forward] },
    };
    for (const [kind, rule] of Object.entries(rules)) {
      const place = `${datacenter}/${kind}loadbalancers`;
      const whole = { ...properties, ips: [rule.listenerIp], lbPrivateIps: [`10.13.0.${kind.length}/24`] };
      const post = (...items: object[]) =>
        region.call('POST', `${place}?depth=2`, {
          properties: whole,
          entities: { forwardingrules: { items: items.map((one) => ({ properties: one })) } },
        });
      const inside = '[(root).entities.forwardingrules.items.[1].properties';
      assertRefused(await post(rule, { ...rule, listenerIp: '10.1.1.1' }), `${inside}.listenerIp] 10.1.1.1 is not`);
      assertRefused(await post(rule, rule), `${inside}.listenerPort]`, 'occurs twice in this request');
      assert.deepEqual((await read(region, place)).items, []);
      const made = await post(rule, { ...rule, listenerPort: 443 });
      assert.equal(made.status, 202, JSON.stringify(made.body));
      assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
      const shown = await read(region, `${place}/${made.body.id}?depth=2`);
      assert.deepEqual(
        shown.entities.forwardingrules?.items.map((one) => one.properties.listenerPort),
        [80, 443],
      );
    }
  });

  test('[CORE-25] a datacenter is created with its LANs and balancers in one request', async () => {
    const lans = { items: [{ properties: { public: true } }, { properties: { public: false } }] };
    const balancer = { name: 'inside', listenerLan: 1, targetLan: 2 };
    const body = (...items: object[]) => ({
      properties: { name: 'whole', location: 'de/txl' },
      entities: { lans, networkloadbalancers: { items: items.map((properties) => ({ properties })) } },
    });
    const twice = { ...balancer, lbPrivateIps: ['10.0.0.5'] };
    const refused = await region.call('POST', `${core}/datacenters`, body(twice, twice));
    assertRefused(refused, 'networkloadbalancers.items.[1]', '10.0.0.5 occurs twice in this request');
    assertRefused(
      await region.call('POST', `${core}/datacenters`, body({ ...balancer, targetLan: 3 })),
      'LAN 3 does not exist',
    );
    const ips = (await addBlock(2)) as [string, string];
    const made = await createDone(
      region,
      `${core}/datacenters`,
      body(...ips.map((ip) => ({ ...balancer, ips: [ip] }))),
    );
    const { items } = await read(region, `${core}/datacenters/${made.id}/networkloadbalancers?depth=1`);
    assert.deepEqual(items.map(ipOf).sort(), ips.toSorted());
  });
});

test('[CORE-20, CORE-21] network load balancers and NAT gateways are counted, and deleting a datacenter releases everything', async () => {
  await using region = await startRegion();
  const before = await figures(region);
  const datacenter = await addDatacenter(region);
  for (const isPublic of [true, false])
    await createDone(region, `${datacenter}/lans`, { properties: { public: isPublic } });
  const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } });
  const [first, second] = block.properties.ips as [string, string];
  const lans = { listenerLan: 1, targetLan: 2 };
  const balancers = `${datacenter}/networkloadbalancers`;
  await createDone(region, balancers, { properties: { name: 'a', ...lans, ips: [first] } });
  await createDone(region, `${datacenter}/applicationloadbalancers`, { properties: { name: 'b', ...lans } });
  const gateway = { name: 'c', publicIps: [second], lans: [{ id: 2 }] };
  await createDone(region, `${datacenter}/natgateways`, { properties: gateway });
  const during = await figures(region);
  assert.deepEqual(
    ['nlbProvisioned', 'natGatewayProvisioned', 'reservedIpsInUse'].map((name) => during[name]),
    [1, 1, 2],
  );
  assertRefused(await region.call('DELETE', `${core}/ipblocks/${block.id}`), 'is still in use: network load balancer ');
  await done(region, 'DELETE', datacenter);
  await done(region, 'DELETE', `${core}/ipblocks/${block.id}`);
  assert.deepEqual(await figures(region), before);
});

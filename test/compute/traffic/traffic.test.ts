// Traffic, black box: packets through networks that were made by calls, and what decided about each.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, done, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, startRegion } from '../../harness/region.ts';
import { addBlock, addLan, addNic, idOf, type OutcomeSummary, outside, reasons, send } from './packets.ts';

suite('traffic', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const add = async (place: string, properties: object): Promise<string> =>
    `${place}/${(await createDone(region, place, { properties })).id}`;

  test('NICs of a private LAN reach each other, and nothing else', async () => {
    const datacenter = await addDatacenter(region);
    const [a, b] = [await addNic(region, datacenter, { lan: 1 }), await addNic(region, datacenter, { lan: 1 })];
    const far = await addNic(region, datacenter, { lan: 2 });
    const outcome = await send(region, a.id, b.ip);
    assert.deepEqual(
      [outcome.verdict, outcome.reason, outcome.rule, ...reasons(outcome)],
      ['ACCEPTED', 'no firewall', null, 'nic ACCEPT no firewall', 'lan ACCEPT same LAN', 'nic ACCEPT no firewall'],
    );
    assert.deepEqual(outcome.arrivedAt, {
      type: 'nic',
      id: b.id,
      serverId: idOf(b.server),
      datacenterId: idOf(datacenter),
      ip: b.ip,
      port: 80,
    });
    assert.deepEqual(
      outcome.hops.map(({ id, serverId, datacenterId }) => [id, serverId, datacenterId]),
      [
        [a.id, idOf(a.server), idOf(datacenter)],
        ['1', undefined, idOf(datacenter)],
        [b.id, idOf(b.server), idOf(datacenter)],
      ],
    );
    for (const [to, reason] of [
      [far.ip, 'no route'],
      ['203.0.113.7', 'no route'],
      [b.ip.replace(/\d+$/, '250'), 'no such address'],
      [a.ip, 'own address'],
    ] as const)
      assert.equal((await send(region, a.id, to)).reason, reason, to);
    const spoofed = await send(region, { nicId: a.id, address: b.ip }, b.ip);
    assert.equal(spoofed.reason, 'no source address');
    const ping = await send(region, a.id, b.ip, { protocol: 'icmp', to: { address: b.ip } });
    assert.deepEqual([ping.verdict, ping.arrivedAt?.port], ['ACCEPTED', null]);
  });

  test('[CORE-19] a firewall denies what no rule allows, and a verdict names the rule that did', async () => {
    const datacenter = await addDatacenter(region);
    const a = await addNic(region, datacenter, { lan: 1 });
    const b = await addNic(region, datacenter, { lan: 1, firewallActive: true });
    const denied = await send(region, a.id, b.ip);
    assert.deepEqual([denied.verdict, denied.reason, denied.arrivedAt], ['REJECTED', 'firewall default deny', null]);
    const allowing = { name: 'web', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 88, sourceIp: `${a.ip}/32` };
    const rule = await add(`${b.path}/firewallrules`, allowing);
    const allowed = await send(region, a.id, b.ip);
    assert.deepEqual([allowed.verdict, allowed.reason], ['ACCEPTED', 'firewall rule']);
    assert.deepEqual(allowed.rule, {
      id: idOf(rule),
      type: 'firewall-rule',
      name: 'web',
      of: { id: b.id, type: 'nic' },
    });
    assert.equal((await send(region, a.id, b.ip, { to: { address: b.ip, port: 89 } })).verdict, 'REJECTED');
    assert.equal((await send(region, a.id, b.ip, { protocol: 'UDP' })).verdict, 'REJECTED');
    await done(region, 'PATCH', rule, { portRangeEnd: 80, portRangeStart: 79, name: 'fewer' });
    assert.equal((await send(region, a.id, b.ip)).rule?.name, 'fewer');
    await done(region, 'PATCH', rule, { sourceIp: '10.255.255.1' });
    assert.equal((await send(region, a.id, b.ip)).verdict, 'REJECTED');
    await done(region, 'PATCH', rule, { sourceIp: null });
    await done(region, 'DELETE', rule);
    assert.equal((await send(region, a.id, b.ip)).reason, 'firewall default deny');
    await done(region, 'PATCH', b.path, { firewallType: 'EGRESS' });
    assert.equal((await send(region, a.id, b.ip)).reason, 'direction not filtered');
    assert.deepEqual(reasons(await send(region, b.id, a.ip)), ['nic REJECT firewall default deny']);
  });

  test('[CORE-20] security groups of a server and of a NIC filter, as soon as there is one', async () => {
    const datacenter = await addDatacenter(region);
    const a = await addNic(region, datacenter, { lan: 1 });
    const b = await addNic(region, datacenter, { lan: 1 });
    const [ofServer, ofNic] = [
      await add(`${datacenter}/securitygroups`, { name: 'servers' }),
      await add(`${datacenter}/securitygroups`, { name: 'nics' }),
    ];
    const put = (path: string, ids: string[]) => done(region, 'PUT', `${path}/securitygroups`, { ids: ids.map(idOf) });
    await put(b.server, [ofServer]);
    assert.equal((await send(region, a.id, b.ip)).reason, 'security group default deny');
    const rule = await add(`${ofServer}/rules`, { name: 'all in', protocol: 'ANY', type: 'INGRESS' });
    const allowed = await send(region, a.id, b.ip);
    assert.deepEqual([allowed.verdict, allowed.reason], ['ACCEPTED', 'security group rule']);
    assert.deepEqual(allowed.rule, {
      id: idOf(rule),
      type: 'firewall-rule',
      name: 'all in',
      of: { id: idOf(ofServer), type: 'security-group' },
    });
    await put(b.server, []);
    assert.equal((await send(region, a.id, b.ip)).reason, 'no firewall');
    await put(b.path, [ofNic]);
    assert.equal((await send(region, a.id, b.ip)).reason, 'security group default deny');
    await put(b.path, [ofNic, ofServer]);
    assert.equal((await send(region, a.id, b.ip)).rule?.id, idOf(rule));
    assert.deepEqual(reasons(await send(region, b.id, a.ip)), ['nic REJECT security group default deny']);
    await done(region, 'DELETE', ofServer);
    await done(region, 'DELETE', ofNic);
    assert.equal((await send(region, a.id, b.ip)).reason, 'no firewall');
  });

  test('the internet reaches public LANs, and only servers that run', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true, ipv6CidrBlock: 'AUTO' });
    const nic = await addNic(region, datacenter, { lan, ips: await addBlock(region, 1) });
    const [v6 = ''] = nic.shown.properties.ipv6Ips as string[];
    const far6 = { address: '2a00::7' };
    assert.equal((await send(region, far6, v6)).arrivedAt?.id, nic.id);
    const reached = await send(region, outside, nic.ip);
    assert.deepEqual(reasons(reached), ['internet ACCEPT public address', 'nic ACCEPT no firewall']);
    assert.equal(reached.arrivedAt?.id, nic.id);
    assert.equal((await send(region, nic.id, '203.0.113.7')).arrivedAt?.type, 'internet');
    for (const [from, to] of [
      [{ address: '10.0.0.1' }, nic.ip],
      [far6, nic.ip],
      [{ address: nic.ip }, nic.ip],
    ] as const)
      assert.equal((await send(region, from, to)).reason, 'not an outside address');
    assert.equal((await send(region, outside, '198.19.255.254')).reason, 'no such address');
    await done(region, 'POST', `${nic.server}/stop`);
    assert.deepEqual(reasons(await send(region, outside, nic.ip)).at(-1), 'nic REJECT server is not running');
    assert.equal((await send(region, nic.id, '203.0.113.7')).reason, 'server is not running');
    await done(region, 'POST', `${nic.server}/start`);
    assert.equal((await send(region, outside, nic.ip)).verdict, 'ACCEPTED');
    await done(region, 'DELETE', nic.path);
    assert.equal((await send(region, outside, nic.ip)).reason, 'no such address');
    assert.equal((await send(region, far6, v6)).reason, 'no such address');
    const packet = { from: { nicId: nic.id }, to: { address: '203.0.113.7', port: 80 }, protocol: 'TCP' };
    assert.equal((await region.call('POST', '/lab/traffic', packet)).status, 404);
  });

  test('[CORE-20] a NAT gateway lets a private LAN out by its rules, and nothing in', async () => {
    const datacenter = await addDatacenter(region);
    const nic = await addNic(region, datacenter, { lan: 1 });
    const [publicIp = ''] = await addBlock(region, 1);
    assert.equal((await send(region, nic.id, '203.0.113.7')).reason, 'no route');
    const gateway = await add(`${datacenter}/natgateways`, { name: 'out', publicIps: [publicIp], lans: [{ id: 1 }] });
    assert.equal((await send(region, nic.id, '203.0.113.7')).reason, 'no SNAT rule');
    const web = { protocol: 'TCP', targetPortRange: { start: 80, end: 80 } };
    const rule = await add(`${gateway}/rules`, { name: 'web', sourceSubnet: `${nic.ip}/32`, publicIp, ...web });
    const outcome = await send(region, nic.id, '203.0.113.7');
    assert.deepEqual(reasons(outcome), [
      'nic ACCEPT no firewall',
      'natgateway ACCEPT SNAT rule',
      'internet ACCEPT internet',
    ]);
    const [, translated] = outcome.hops;
    assert.deepEqual([translated?.sourceIp, translated?.targetIp], [publicIp, '203.0.113.7']);
    assert.deepEqual(translated?.rule, {
      id: idOf(rule),
      type: 'natgateway-rule',
      name: 'web',
      of: { id: idOf(gateway), type: 'natgateway' },
    });
    assert.equal((await send(region, nic.id, '203.0.113.7', { protocol: 'UDP' })).reason, 'no SNAT rule');
    assert.equal((await send(region, outside, publicIp)).reason, 'no inbound');
  });

  test('[CORE-20] a network load balancer takes turns between targets that can be had', async () => {
    const datacenter = await addDatacenter(region);
    const listenerLan = await addLan(region, datacenter, { public: true });
    const [a, b] = [await addNic(region, datacenter, { lan: 2 }), await addNic(region, datacenter, { lan: 2 })];
    const ips = await addBlock(region, 1);
    const balancer = await add(`${datacenter}/networkloadbalancers`, { name: 'nlb', listenerLan, targetLan: 2, ips });
    const [listenerIp = ''] = (await read(region, balancer)).properties.ips as string[];
    assert.equal((await send(region, outside, listenerIp)).reason, 'no forwarding rule');
    const target = (ip: string, maintenance = false) => ({ ip, port: 8080, weight: 1, healthCheck: { maintenance } });
    const rule = await add(`${balancer}/forwardingrules`, {
      name: 'web',
      algorithm: 'ROUND_ROBIN',
      protocol: 'TCP',
      listenerIp,
      listenerPort: 80,
      targets: [target(a.ip), target(b.ip)],
    });
    const summary = await send<OutcomeSummary>(region, outside, listenerIp, { count: 100 });
    assert.deepEqual([summary.sent, summary.accepted, summary.rejected], [100, 100, 0]);
    assert.deepEqual(
      summary.outcomes.map(({ count, arrivedAt }) => [count, arrivedAt?.id, arrivedAt?.port]).sort(),
      [
        [50, a.id, 8080],
        [50, b.id, 8080],
      ].sort(),
    );
    const outcome = await send(region, outside, listenerIp);
    assert.deepEqual(reasons(outcome), [
      'internet ACCEPT public address',
      'networkloadbalancer ACCEPT forwarding rule',
      'networkloadbalancer ACCEPT forwarding rule',
      'lan ACCEPT same LAN',
      'nic ACCEPT no firewall',
    ]);
    assert.deepEqual(outcome.hops[1]?.rule, {
      id: idOf(rule),
      type: 'forwarding-rule',
      name: 'web',
      of: { id: idOf(balancer), type: 'networkloadbalancer' },
    });
    const [own = ''] = (await read(region, balancer)).properties.lbPrivateIps as string[];
    assert.equal(outcome.hops.at(-1)?.sourceIp, own.split('/')[0]);
    const reached = async (): Promise<unknown[]> => {
      const { outcomes } = await send<OutcomeSummary>(region, outside, listenerIp, { count: 10 });
      return outcomes.map(({ count, arrivedAt, reason }) => [count, arrivedAt?.id ?? reason]);
    };
    await done(region, 'PATCH', rule, { targets: [target(a.ip, true), target(b.ip)] });
    assert.deepEqual(await reached(), [[10, b.id]]);
    await done(region, 'POST', `${b.server}/stop`);
    assert.deepEqual(await reached(), [[10, 'no healthy target']]);
    await done(region, 'PATCH', rule, { targets: [target(a.ip), target(b.ip)] });
    assert.deepEqual(await reached(), [[10, a.id]]);
  });

  test('[CORE-20] an application load balancer goes by path and host, answers and redirects', async () => {
    const datacenter = await addDatacenter(region);
    const listenerLan = await addLan(region, datacenter, { public: true });
    const [shop, api] = [await addNic(region, datacenter, { lan: 2 }), await addNic(region, datacenter, { lan: 2 })];
    const ips = await addBlock(region, 1);
    const balancer = await add(`${datacenter}/applicationloadbalancers`, {
      name: 'alb',
      listenerLan,
      targetLan: 2,
      ips,
    });
    const [listenerIp = ''] = (await read(region, balancer)).properties.ips as string[];
    const group = async (ip: string): Promise<string> => {
      const targets = [{ ip, port: 8080, weight: 1 }];
      return add(`${core}/targetgroups`, { name: ip, algorithm: 'RANDOM', protocol: 'HTTP', targets });
    };
    const [shops, apis] = [await group(shop.ip), await group(api.ip)];
    const on = (type: string, condition: string, value: string) => [{ type, condition, value }];
    const httpRules = [
      {
        name: 'closed',
        type: 'STATIC',
        statusCode: 503,
        responseMessage: 'closed',
        contentType: 'text/plain',
        conditions: on('PATH', 'EQUALS', '/closed'),
      },
      {
        name: 'moved',
        type: 'REDIRECT',
        statusCode: 302,
        location: 'https://new.example/',
        conditions: on('PATH', 'STARTS_WITH', '/old'),
      },
      { name: 'api', type: 'FORWARD', targetGroup: idOf(apis), conditions: on('HOST', 'EQUALS', 'api.example') },
      { name: 'shop', type: 'FORWARD', targetGroup: idOf(shops), conditions: on('PATH', 'STARTS_WITH', '/shop') },
    ];
    const rule = { name: 'http', protocol: 'HTTP', listenerIp, listenerPort: 80, httpRules };
    await add(`${balancer}/forwardingrules`, rule);
    const ask = (http: object) => send(region, outside, listenerIp, { http });
    assert.equal((await ask({ host: 'x.example', path: '/shop/1' })).arrivedAt?.id, shop.id);
    const forwarded = await ask({ method: 'POST', host: 'API.example:80', path: '/shop', headers: { 'X-A': 'b' } });
    assert.equal(forwarded.arrivedAt?.id, api.id);
    assert.deepEqual([forwarded.hops[1]?.rule?.name, forwarded.hops[1]?.rule?.httpRule], ['http', 'api']);
    const closed = await ask({ host: 'api.example', path: '/closed' });
    assert.deepEqual([closed.verdict, closed.reason, closed.rule?.httpRule], ['ACCEPTED', 'HTTP rule', 'closed']);
    assert.deepEqual(closed.arrivedAt, {
      type: 'applicationloadbalancer',
      id: idOf(balancer),
      datacenterId: idOf(datacenter),
      ip: listenerIp,
      port: 80,
      answer: { statusCode: 503, location: null, contentType: 'text/plain', message: 'closed' },
    });
    const moved = await ask({ path: '/old', query: 'a=1' });
    assert.deepEqual(
      [moved.arrivedAt?.answer?.statusCode, moved.arrivedAt?.answer?.location],
      [302, 'https://new.example/?a=1'],
    );
    assert.equal((await ask({ path: '/' })).reason, 'no http rule matches');
    assert.equal((await send(region, outside, listenerIp)).reason, 'no http request');
    await done(region, 'PATCH', shops, { targets: [] });
    assert.equal((await ask({ path: '/shop' })).reason, 'no healthy target');
  });

  test('[CORE-20] a classic load balancer takes turns between its NICs', async () => {
    const datacenter = await addDatacenter(region);
    const nics = [await addNic(region, datacenter, { lan: 1 }), await addNic(region, datacenter, { lan: 1 })];
    const from = await addNic(region, datacenter, { lan: 1 });
    const balancer = `${datacenter}/loadbalancers`;
    const items = nics.map(({ id }) => ({ id }));
    const made = await done(region, 'POST', balancer, {
      properties: { name: 'classic' },
      entities: { balancednics: { items } },
    });
    const { ip } = (await read(region, `${balancer}/${made.body.id}`)).properties;
    const reached = async (): Promise<unknown[]> => {
      const { outcomes } = await send<OutcomeSummary>(region, from.id, String(ip), { count: 10 });
      return outcomes.map(({ count, arrivedAt, reason }) => [count, arrivedAt?.id ?? reason]);
    };
    assert.deepEqual(
      await reached(),
      nics.map(({ id }) => [5, id]),
    );
    await done(region, 'DELETE', `${balancer}/${made.body.id}/balancednics/${nics[0]?.id}`);
    assert.deepEqual(await reached(), [[10, nics[1]?.id]]);
  });

  test('[CORE-20] a cross connect makes one LAN of those in two datacenters', async () => {
    const [one, other] = [await addDatacenter(region), await addDatacenter(region)];
    const pcc = idOf(await add(`${core}/pccs`, { name: 'between' }));
    const lans = [await addLan(region, one, { pcc }), await addLan(region, other, { pcc })];
    const here = await addNic(region, one, { lan: lans[0], ips: ['192.168.7.1'] });
    const there = await addNic(region, other, { lan: lans[1], ips: ['192.168.7.2'] });
    const outcome = await send(region, here.id, '192.168.7.2');
    assert.deepEqual(reasons(outcome), [
      'nic ACCEPT no firewall',
      'lan ACCEPT cross connect',
      'nic ACCEPT no firewall',
    ]);
    assert.deepEqual([outcome.arrivedAt?.id, outcome.arrivedAt?.datacenterId], [there.id, idOf(other)]);
    await done(region, 'PATCH', there.path, { firewallActive: true });
    assert.equal((await send(region, here.id, '192.168.7.2')).reason, 'firewall default deny');
    await done(region, 'PATCH', `${other}/lans/${lans[1]}`, { pcc: '' });
    assert.equal((await send(region, here.id, '192.168.7.2')).reason, 'no route');
    await done(region, 'PATCH', `${other}/lans/${lans[1]}`, { pcc });
    await done(region, 'DELETE', other);
    assert.equal((await send(region, here.id, '192.168.7.2')).reason, 'no route');
  });

  test('a failover address is at the NIC that its LAN names', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true });
    const [ip = ''] = await addBlock(region, 1);
    const one = await addNic(region, datacenter, { lan, ips: [ip] });
    await done(region, 'PATCH', `${datacenter}/lans/${lan}`, { ipFailover: [{ ip, nicUuid: one.id }] });
    const other = await addNic(region, datacenter, { lan, ips: [ip] });
    assert.equal((await send(region, outside, ip)).arrivedAt?.id, one.id);
    await done(region, 'PATCH', `${datacenter}/lans/${lan}`, { ipFailover: [{ ip, nicUuid: other.id }] });
    assert.equal((await send(region, outside, ip)).arrivedAt?.id, other.id);
    await done(region, 'DELETE', one.path);
    assert.equal(
      (await send(region, outside, ip)).arrivedAt?.id,
      other.id,
      'it is still in use by those that share it',
    );
  });

  test('a NIC with a chosen MAC sends like any other, and is missing after its deletion', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter);
    const nic = await addNic(region, datacenter, { lan: 1, mac: '02:aa:bb:00:00:01' }, server);
    assert.equal((await send(region, nic.id, nic.ip)).reason, 'own address');
    await done(region, 'DELETE', server);
    const packet = { from: { nicId: nic.id }, to: { address: nic.ip, port: 80 }, protocol: 'TCP' };
    assert.equal((await region.call('POST', '/lab/traffic', packet)).status, 404);
  });
});

// Packets of the lab, black box: who may send them, what they may say, what others may not see, the flows they leave.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, assertRefused, done } from '../../harness/landscape.ts';
import { addPerson } from '../../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../../harness/region.ts';
import { secondContract, type World } from '../../sweep/api.ts';
import { addBlock, addLan, addNic, idOf, type OutcomeSummary, outside, post, reasons, send } from './packets.ts';

suite('packets of the lab', { concurrency: true }, () => {
  let region: Region;
  let other: World['other'];
  before(async () => {
    region = await startRegion();
    other = await secondContract(region);
  });
  after(() => region.stop());

  const tcp = { to: { address: '203.0.113.9', port: 80 }, protocol: 'TCP' };

  test('[GEN-07] a NIC of another contract sends nothing, and what it is and has is not revealed', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true });
    const guarded = { lan, ips: await addBlock(region, 1), firewallActive: true };
    const ours = await addNic(region, datacenter, guarded);
    const foreign = { token: other.token };
    const refused = await post(region, { from: { nicId: ours.id }, ...tcp }, foreign);
    assert.equal(refused.status, 404, JSON.stringify(refused.body));
    assert.equal((await region.call('GET', `/lab/flows/${idOf(datacenter)}`, undefined, foreign)).status, 404);
    const rule = await createDone(region, `${ours.path}/firewallrules`, {
      properties: { name: 'only ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 },
    });
    const secrets = [idOf(datacenter), ours.id, idOf(ours.server), rule.id, 'only ssh', 'firewall'];
    for (const [port, verdict] of [
      [80, 'REJECTED'],
      [22, 'ACCEPTED'],
    ] as const) {
      const outcome = await send(region, outside, ours.ip, { to: { address: ours.ip, port } }, foreign);
      assert.deepEqual([outcome.verdict, outcome.reason, outcome.rule], [verdict, 'another contract', null]);
      assert.deepEqual(outcome.hops.at(-1)?.foreign, true);
      if (verdict === 'ACCEPTED') assert.deepEqual(outcome.arrivedAt, { foreign: true, ip: ours.ip, port });
      for (const secret of secrets) assert.ok(!JSON.stringify(outcome).includes(secret), `${secret} is shown`);
      const seen = await send(region, outside, ours.ip, { to: { address: ours.ip, port } });
      assert.equal(seen.reason, verdict === 'ACCEPTED' ? 'firewall rule' : 'firewall default deny');
    }
  });

  test('[GEN-05] only owners and administrators send, and only with a token', async () => {
    const person = await addPerson(region);
    const packet = { from: outside, ...tcp };
    assert.equal((await post(region, packet, { token: person.token })).status, 403);
    assert.equal((await post(region, packet, { token: null })).status, 401);
    const boss = await addPerson(region, { administrator: true });
    assert.equal((await post(region, packet, { token: boss.token })).status, 200);
  });

  test('[GEN-05] all problems of a packet are reported together, each with its place', async () => {
    const wrong = async (body: unknown, ...texts: string[]): Promise<void> =>
      assertRefused(await region.call('POST', '/lab/traffic', body), ...texts);
    await wrong(
      { from: {}, to: { address: '1.2.3' }, protocol: 'IGMP', count: 1001, sourcePort: 0, http: { headers: [] }, x: 1 },
      '[(root).from] A nicId or an address is expected',
      "[(root).to.address] '1.2.3' is not an IP address",
      "109 [(root).protocol] Attribute value 'IGMP' not allowed. Expected one of [TCP, UDP, ICMP",
      '[(root).count] Attribute value 1001 is above the maximum of 1000',
      '[(root).sourcePort] Attribute value 0 is below',
      '[(root).http.headers] An object of names and values is expected',
      '106 [(root).x] Attribute is unknown',
    );
    await wrong({}, '[(root).from] Attribute is required', '[(root).to] Attribute', '[(root).protocol] Attribute');
    await wrong({ from: outside, to: { address: '1.1.1.1' }, protocol: 'TCP' }, '[(root).to.port] A TCP packet goes');
    await wrong(
      { from: { address: 'fe80::1%lo' }, ...tcp, protocol: 'ICMP', sourcePort: 5, http: { path: '/' } },
      "[(root).from.address] 'fe80::1%lo' is not an IP address",
      '[(root).to.port] ICMP has no ports',
      '[(root).sourcePort] ICMP has no ports',
      '[(root).http] Attribute is only allowed for TCP, but the protocol is ICMP',
    );
    await wrong(
      { from: outside, ...tcp, sourcePort: 65_000, count: 1000, sourcePortStep: 1 },
      '[(root).sourcePortStep] The last source port would be 65999',
    );
    await wrong(
      { from: outside, to: { address: '1.1.1.1' }, protocol: 'ICMP', sourcePortStep: 1 },
      '[(root).sourcePortStep] ICMP has no ports',
    );
    await wrong(
      { from: outside, ...tcp, icmpType: 8 },
      '[(root).icmpType] Attribute is only allowed for ICMP and ICMPv6',
    );
    await wrong(
      {
        from: outside,
        to: { address: '2001:db8::1' },
        protocol: 'ICMP',
        icmpType: 0,
        icmpCode: 1,
        count: 2,
        real: true,
      },
      '[(root).count] Only one real packet is sent at a time',
      '[(root).icmpType] A real packet is an echo request',
      '[(root).icmpCode] A real packet is an echo request',
      '[(root).protocol] A real ICMP packet goes to an IPv4 address',
    );
    await wrong(
      { from: outside, to: { address: '1.1.1.1' }, protocol: 'GRE', real: true },
      '[(root).real] A real packet is',
    );
    const cookies = { a: 1, b: 'x'.repeat(5000) };
    await wrong({ from: outside, ...tcp, http: { cookies } }, '[(root).http.cookies.a]', '[(root).http.cookies.b]');
    await wrong([], '[(root)] An object is expected');
    await wrong('', '[(root)] An object is expected');
    const flows = `/lab/flows/${idOf(await addDatacenter(region))}`;
    for (const query of ['since=-1', 'since=x', 'limit=0', 'limit=1001'])
      assertRefused(await region.call('GET', `${flows}?${query}`), '[(query).');
    assertRefused(await region.call('GET', `${flows}?since=zz&limit=-1`), '[(query).since]', '[(query).limit]');
    for (const id of ['x', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'])
      assert.equal((await region.call('GET', `/lab/flows/${id}`)).status, 404);
  });

  test('no real packet is sent between simulated machines', async () => {
    assertRefused(
      await post(region, { from: outside, ...tcp, real: true }),
      'The machines of this region are simulated',
    );
    assert.equal((await post(region, { from: outside, ...tcp, real: false })).status, 200);
  });

  test('what passed the interfaces of a datacenter is recorded, and read bit by bit', async () => {
    const datacenter = await addDatacenter(region);
    const [a, b] = [await addNic(region, datacenter, { lan: 1 }), await addNic(region, datacenter, { lan: 1 })];
    const place = `/lab/flows/${idOf(datacenter)}`;
    const page = async (query: string) =>
      (await region.call<{ flows: Record<string, unknown>[]; next: number; skipped: number }>('GET', place + query))
        .body;
    assert.deepEqual(await page(''), { flows: [], next: 0, skipped: 0 });
    await send(region, a.id, b.ip, { packets: 7, sourcePort: 5555 });
    await send(region, a.id, b.ip, { protocol: 'ICMP', to: { address: b.ip }, bytes: 84 });
    const { flows, next } = await page('?since=0');
    assert.equal(next, 4);
    const { time, ...first } = flows[0] ?? {};
    assert.match(String(time), /^\d{4}-.*Z$/);
    assert.deepEqual(first, {
      type: 'nic',
      position: 0,
      id: a.id,
      direction: 'EGRESS',
      sourceIp: a.ip,
      sourcePort: 5555,
      targetIp: b.ip,
      targetPort: 80,
      protocol: 6,
      packets: 7,
      bytes: 420,
      action: 'ACCEPT',
    });
    assert.deepEqual(
      flows.map(({ id, direction, protocol, bytes }) => [id, direction, protocol, bytes]),
      [
        [a.id, 'EGRESS', 6, 420],
        [b.id, 'INGRESS', 6, 420],
        [a.id, 'EGRESS', 1, 84],
        [b.id, 'INGRESS', 1, 84],
      ],
    );
    assert.deepEqual((await page('?since=1&limit=2')).flows, flows.slice(1, 3));
    assert.deepEqual(await page('?since=4'), { flows: [], next: 4, skipped: 0 });
  });

  test('many flows are sent by one call, each from the next source port, and summed up in one outcome', async () => {
    const datacenter = await addDatacenter(region);
    const [a, b] = [await addNic(region, datacenter, { lan: 1 }), await addNic(region, datacenter, { lan: 1 })];
    const many = { sourcePort: 2000, count: 3, sourcePortStep: 10 };
    const { sent, outcomes } = await send<OutcomeSummary>(region, a.id, b.ip, many);
    assert.deepEqual([sent, outcomes.map(({ count }) => count)], [3, [3]]);
    const { body } = await region.call<{ flows: { id: string; sourcePort: number }[] }>(
      'GET',
      `/lab/flows/${idOf(datacenter)}`,
    );
    const arrived = body.flows.filter(({ id }) => id === b.id);
    assert.deepEqual(
      arrived.map(({ sourcePort }) => sourcePort),
      [2000, 2010, 2020],
    );
  });
});

test('a change in progress has no effect until its request is DONE', async (t) => {
  const region = await startRegion();
  t.after(() => region.stop());
  const datacenter = await addDatacenter(region);
  const a = await addNic(region, datacenter, { lan: 1 });
  const b = await addNic(region, datacenter, { lan: 1, firewallActive: true });
  const plant = (...faults: object[]) => region.call('PUT', '/lab/faults', { faults });
  const isStalled = async (kind: string, step: string, begin: () => ReturnType<Region['call']>) => {
    await plant({ kind, step, mode: 'stall' });
    const { status, headers, body } = await begin();
    assert.equal(status, 202, JSON.stringify(body));
    return async (): Promise<void> => {
      await plant();
      assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
    };
  };
  const verdict = async (): Promise<string> => (await send(region, a.id, b.ip)).reason;
  const rule = { properties: { protocol: 'TCP' } };
  const making = await isStalled('firewallrule', 'create.apply', () =>
    region.call('POST', `${b.path}/firewallrules`, rule),
  );
  assert.equal(await verdict(), 'firewall default deny');
  await making();
  assert.equal(await verdict(), 'firewall rule');
  const stopping = await isStalled('server', 'stop.halt', () => region.call('POST', `${b.server}/stop`));
  assert.equal(await verdict(), 'firewall rule');
  await stopping();
  assert.equal(await verdict(), 'server is not running');
  await done(region, 'POST', `${b.server}/start`);
  const removing = await isStalled('nic', 'remove.disconnect', () => region.call('DELETE', b.path));
  assert.deepEqual(reasons(await send(region, a.id, b.ip)).at(-1), 'nic ACCEPT firewall rule');
  await removing();
  assert.equal(await verdict(), 'no such address');
});

// Flow logs of real machines on Docker, from real traffic of the host and of another machine to the objects in a
// bucket.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { recordsIn } from '../../src/testing/black-box/compute.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { onHost } from '../harness/machines/host.ts';
import { bootVolume, core, done, inside, makeDatacenter, serverBody } from '../harness/machines/servers.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = await dockerEngine();

// Echoes datagrams on port 7001, and greets each connection on port 7000.
const server = `import socket, threading
def echo():
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("", 7001))
    while True:
        data, sender = u.recvfrom(2000)
        u.sendto(data, sender)
threading.Thread(target=echo).start()
s = socket.create_server(("", 7000))
while True:
    c = s.accept()[0]
    c.sendall(b"hello")
    c.close()`;

suite('flow logs of real machines on Docker', { skip: found.skip ?? false, timeout: limits.test }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let s3: S3Client;
  let datacenter: string;
  let ips: string[];
  let web: string;
  let client: string;
  let hostIp: string;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket: 'logs' }));
    datacenter = await makeDatacenter(region);
    const block = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 3 } });
    ips = block.body.properties.ips as string[];
    for (const isPublic of [true, false])
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'lan', public: isPublic } });
    const rule = (protocol: string, port: number) => ({
      properties: { name: protocol, protocol, portRangeStart: port, portRangeEnd: port },
    });
    web = await makeServer('web', [
      {
        properties: { lan: 1, ips: [ips[0]], firewallActive: true },
        entities: { firewallrules: { items: [rule('TCP', 7000), rule('UDP', 7001)] } },
      },
      { properties: { lan: 2, ips: ['10.7.0.11'] } },
    ]);
    client = await makeServer('client', [{ properties: { lan: 1, ips: [ips[1]] } }]);
    await inside(
      engine,
      web,
      `cat > /root/server.py <<'PY'\n${server}\nPY\nsystemd-run --quiet python3 /root/server.py`,
    );
    hostIp = /src (\S+)/.exec(await onHost(engine, `ip route get ${ips[0]}`))?.[1] ?? '';
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  async function makeServer(name: string, items: object[]): Promise<string> {
    const body = serverBody(name, [bootVolume()]);
    const { body: made } = await done(region, 'POST', `${datacenter}/servers`, {
      ...body,
      entities: { ...body.entities, nics: { items } },
    });
    return `${datacenter}/servers/${made.id}`;
  }

  const addFlowLog = (owner: string, name: string): Promise<unknown> =>
    done(region, 'POST', `${owner}/flowlogs`, {
      properties: { name, action: 'ALL', direction: 'BIDIRECTIONAL', bucket: 'logs' },
    });

  // All that were published with this name.
  const records = async (name: string): Promise<string[][]> => {
    assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: 600_000 })).status, 200);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'logs', Prefix: `${name}-` }));
    const objects = Contents.map(async ({ Key }) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'logs', Key }));
      return recordsIn(Buffer.from((await Body?.transformToByteArray()) ?? []));
    });
    return (await Promise.all(objects)).flat();
  };

  // `source sourcePort target targetPort protocol action`: packets and bytes.
  const flowsOf = async (name: string): Promise<Record<string, [packets: number, bytes: number]>> => {
    const sums: Record<string, [number, number]> = {};
    for (const fields of await records(name)) {
      const [source, target, sourcePort, targetPort, protocol, packets, bytes] = fields.slice(3);
      const flow = [source, sourcePort, target, targetPort, protocol, fields[12]].join(' ');
      const [morePackets, moreBytes] = sums[flow] ?? [0, 0];
      sums[flow] = [morePackets + Number(packets), moreBytes + Number(bytes)];
    }
    return sums;
  };

  // Datagrams of 100 bytes, and a connection that reads to its end.
  const datagrams = (from: number, to: string, count: number): string => `
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("", ${from}))
for _ in range(${count}): u.sendto(bytes(100), ${to})`;
  const connection = (from: number, to: string): string => `
c = socket.create_connection(${to}, 5, ("", ${from}))
while c.recv(100): pass
c.close()`;
  const python = (lines: string): string => `python3 - <<'PY'\nimport socket\n${lines}\nPY`;

  test('a NIC records exactly the packets of the host and of another machine, accepted and rejected', async () => {
    const { body } = await region.call('GET', `${web}/nics?depth=1`);
    const nic = body.items.find(({ properties }) => properties.lan === 1);
    await addFlowLog(`${web}/nics/${nic?.id}`, 'nic');
    const to = (port: number): string => `("${ips[0]}", ${port})`;
    const program = python(
      `${connection(5000, to(7000))}\n${datagrams(5001, to(7001), 3)}\nfor _ in range(3): u.recv(200)\n${datagrams(5002, to(7002), 2)}`,
    );
    await onHost(engine, program);
    await inside(engine, client, program);
    const clients = [hostIp, ips[1] ?? ''];
    const ofClients = async (): Promise<[string, [number, number]][]> =>
      Object.entries(await flowsOf('nic')).filter(([flow]) => clients.some((ip) => flow.includes(ip)));
    const expected = clients.flatMap((ip) => [
      `${ip} 5000 ${ips[0]} 7000 6 ACCEPT`,
      `${ips[0]} 7000 ${ip} 5000 6 ACCEPT`,
      `${ip} 5001 ${ips[0]} 7001 17 ACCEPT: 3,384`,
      `${ips[0]} 7001 ${ip} 5001 17 ACCEPT: 3,384`,
      `${ip} 5002 ${ips[0]} 7002 17 REJECT: 2,256`,
    ]);
    const seen = await until('all flows are published', ofClients, (flows) => flows.length >= expected.length, {
      limitMs: limits.request,
    });
    const isTcp = (flow: string): boolean => flow.split(' ')[4] === '6';
    const shown = seen.map(([flow, sums]) => (isTcp(flow) ? flow : `${flow}: ${sums}`));
    assert.deepEqual(shown.sort(), expected.sort());
    for (const [flow, [packets, bytes]] of seen)
      if (isTcp(flow)) assert.ok(packets >= 3 && bytes > 40 * packets, `${flow} ${packets} ${bytes}`);
  });

  test('a load balancer records the packets of the client, and those that it sent on', async () => {
    const { body: balancer } = await done(region, 'POST', `${datacenter}/networkloadbalancers`, {
      properties: { name: 'front', listenerLan: 1, ips: [ips[2]], targetLan: 2, lbPrivateIps: ['10.7.0.5/24'] },
    });
    const path = `${datacenter}/networkloadbalancers/${balancer.id}`;
    const target = { ip: '10.7.0.11', port: 7000, weight: 1, healthCheck: { check: false } };
    await done(region, 'POST', `${path}/forwardingrules`, {
      properties: {
        ...{ name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerIp: ips[2], listenerPort: 80 },
        targets: [target],
      },
    });
    await addFlowLog(path, 'balancer');
    const to = `("${ips[2]}", 80)`;
    const program = python(`${connection(5003, to)}\n${datagrams(5003, to, 2)}`);
    await until('the balancer answers', () =>
      onHost(engine, program).then(
        () => true,
        () => false,
      ),
    );
    const flows = await until(
      'all flows are published',
      () => flowsOf('balancer'),
      (seen) => Object.keys(seen).length >= 5,
      { limitMs: limits.request },
    );
    const shown = Object.entries(flows).map(([flow, [packets, bytes]]) => {
      assert.ok(packets > 0 && bytes >= 40 * packets, `${flow} ${packets} ${bytes}`);
      return flow.replace(/(10\.7\.0\.5) \d+/, '$1 *');
    });
    assert.deepEqual(
      shown.sort(),
      [
        `${hostIp} 5003 ${ips[2]} 80 6 ACCEPT`,
        `${ips[2]} 80 ${hostIp} 5003 6 ACCEPT`,
        '10.7.0.5 * 10.7.0.11 7000 6 ACCEPT',
        '10.7.0.11 7000 10.7.0.5 * 6 ACCEPT',
        `${hostIp} 5003 ${ips[2]} 80 17 REJECT`,
      ].sort(),
    );
  });

  test('more flows than a flow log keeps are reported as skipped', async () => {
    const flood = `u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in range(10000, 22000): u.sendto(b"x", ("${ips[0]}", port))`;
    await inside(engine, client, python(flood));
    await until(
      'a record of skipped flows',
      () => records('nic'),
      (all) => all.some((fields) => fields.at(-1) === 'SKIPDATA'),
      { limitMs: limits.request },
    );
  });
});

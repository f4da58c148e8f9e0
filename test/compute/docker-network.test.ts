// The network of real machines: packets between servers, firewalls, the internet and NAT gateways. The internet is an
// address of the namespace in which Docker runs.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { signIn } from '../console/harness/calls.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { onHost } from '../harness/machines/host.ts';
import {
  bootVolume,
  containerOf,
  core,
  done,
  inside,
  makeDatacenter,
  serverBody,
} from '../harness/machines/servers.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';

const found = await dockerEngine();
const server = `import socket
s = socket.create_server(("203.0.113.7", 8000))
while True: s.accept()[0].close()`;

interface Sent {
  verdict: string;
  reason: string;
  real: { result: string; detail: string };
}

// A container that lists the routes of the host.
const hostTools = ['--net', 'host', '--entrypoint', 'ip', 'cumulet/debian:latest', 'route'];

suite('packets between real machines', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let datacenter: string;
  let web: string;
  let client: string;
  let other: string;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
    datacenter = await makeDatacenter(region);
    for (const name of ['a', 'b'])
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name, public: false } });
    web = await makeServer('web', [{ lan: 1, ips: ['10.7.0.11'], firewallActive: true }], ['tcp 80']);
    client = await makeServer('client', [{ lan: 1, ips: ['10.7.0.12'] }]);
    other = await makeServer('other', [{ lan: 2, ips: ['10.7.0.13'] }]);
    await inside(engine, web, 'for port in 80 81; do python3 -m http.server $port >/dev/null 2>&1 & done');
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  async function makeServer(name: string, nics: Record<string, unknown>[], rules: string[] = []): Promise<string> {
    const body = serverBody(name, [bootVolume()]);
    const firewallrules = { items: rules.map((rule) => ({ properties: ruleOf(rule) })) };
    const items = nics.map((properties) => ({ properties, entities: { firewallrules } }));
    const made = await done(region, 'POST', `${datacenter}/servers`, {
      ...body,
      entities: { ...body.entities, nics: { items } },
    });
    return `${datacenter}/servers/${made.body.id}`;
  }

  const network = (): Promise<string> => engine.docker('ps', '-q', '--filter', 'label=cumulet.network');

  const ruleOf = (rule: string): Record<string, unknown> => {
    const [protocol = '', port = ''] = rule.split(' ');
    return { name: rule, protocol: protocol.toUpperCase(), portRangeStart: Number(port), portRangeEnd: Number(port) };
  };

  // `open`, `refused` or `silent`.
  const connect = async (from: string, ip: string, port: number): Promise<string> =>
    (
      await inside(
        engine,
        from,
        `python3 -c 'import socket
try:
    socket.create_connection(("${ip}", ${port}), 1).close()
    print("open")
except ConnectionRefusedError: print("refused")
except OSError: print("silent")'`,
      )
    ).trim();
  const opens = (from: string, ip: string, port: number, outcome = 'open'): Promise<unknown> =>
    until(
      `${ip}:${port} is ${outcome}`,
      () => connect(from, ip, port),
      (seen) => seen === outcome,
      { limitMs: 10_000 },
    );

  const nicsOf = async (server: string): Promise<ResourceBody[]> =>
    (await region.call('GET', `${server}/nics?depth=3`)).body.items;

  test('servers on one LAN reach each other through the firewall, and those of another LAN do not', async () => {
    await opens(client, '10.7.0.11', 80);
    assert.equal(await connect(client, '10.7.0.11', 81), 'silent');
    assert.equal(await connect(web, '10.7.0.12', 80), 'refused');
    assert.equal(await connect(other, '10.7.0.11', 80), 'silent');
    const [nic] = await nicsOf(web);
    assert.match(await inside(engine, web, 'ip -br link'), new RegExp(String(nic?.properties.mac)));
  });

  test('the lab sends real packets, and their traffic is counted at the interfaces', async () => {
    const [nic] = await nicsOf(client);
    const send = async (to: object, protocol = 'TCP') => {
      const body = { from: { nicId: nic?.id }, to, protocol, real: true };
      const { status, body: sent } = await region.call<Sent>('POST', '/lab/traffic', body);
      assert.equal(status, 200, JSON.stringify(sent));
      return sent;
    };
    const { verdict, reason, real } = await send({ address: '10.7.0.11', port: 80 });
    assert.deepEqual([verdict, reason, real.result], ['ACCEPTED', 'firewall rule', 'ACCEPTED'], real.detail);
    for (const [to, protocol, result] of [
      [{ address: '10.7.0.11', port: 81 }, 'TCP', 'REJECTED'],
      [{ address: '10.7.0.11' }, 'ICMP', 'REJECTED'],
      [{ address: '10.7.0.12' }, 'ICMP', 'ACCEPTED'],
      [{ address: '10.7.0.13', port: 80 }, 'UDP', 'REJECTED'],
    ] as const) {
      const sent = await send(to, protocol);
      assert.deepEqual([sent.verdict, sent.real.result], [result, result], sent.real.detail);
    }
    const page = await signIn(region, region.owner);
    const { body } = await page.call<{ interfaces: { id: string; lan: string; outPackets: number }[] }>(
      'GET',
      `/console/traffic/${datacenter.split('/').at(-1)}`,
    );
    const counted = body.interfaces.find(({ id }) => id === nic?.id);
    assert.ok(counted && counted.lan === '1' && counted.outPackets >= 5, JSON.stringify(body));
  });

  test('root in a machine can change neither its firewall nor its addresses', async () => {
    for (const command of ['nft flush ruleset', 'ip link set ens6 down', 'ip addr add 10.7.0.99/24 dev ens6'])
      await assert.rejects(inside(engine, web, `${command}`), /not permitted|denied/i, command);
  });

  test('a removed rule cuts the connections that it alone allowed, and others continue', async () => {
    const [nic] = await nicsOf(web);
    const rules = `${web}/nics/${nic?.id}/firewallrules`;
    const { body } = await done(region, 'POST', rules, { properties: ruleOf('tcp 81') });
    await opens(client, '10.7.0.11', 81);
    await inside(
      engine,
      web,
      `cat > /root/echo.py <<'PY'
import socket, threading
def serve(port):
    s = socket.create_server(("", port))
    while True:
        c, _ = s.accept()
        threading.Thread(target=lambda: [c.sendall(d) for d in iter(lambda: c.recv(100), b"")], daemon=True).start()
for port in (80, 81): threading.Thread(target=serve, args=(port,)).start()
PY
pkill -f "[h]ttp.server"; sleep 0.3; python3 /root/echo.py >/dev/null 2>&1 &`,
    );
    await opens(client, '10.7.0.11', 81);
    await inside(
      engine,
      client,
      `cat > /root/hold.py <<'PY'
import socket, time
both = [socket.create_connection(("10.7.0.11", port), 2) for port in (80, 81)]
while True:
    for s in both:
        s.settimeout(0.5)
        try:
            s.sendall(b"x"); alive = s.recv(10) != b""
        except OSError: alive = False
        open("/root/alive-%d" % s.getpeername()[1], "w").write(str(alive))
    time.sleep(0.05)
PY
python3 /root/hold.py >/dev/null 2>&1 &`,
    );
    const alive = (): Promise<string> =>
      inside(engine, client, 'cat /root/alive-80 /root/alive-81 2>/dev/null || true');
    await until('both connections work', alive, (text) => text === 'TrueTrue', { limitMs: 10_000 });
    await done(region, 'DELETE', `${rules}/${body.id}`);
    await until('only the allowed connection works', alive, (text) => text === 'TrueFalse', {
      limitMs: 10_000,
    });
    assert.equal(await connect(client, '10.7.0.11', 81), 'silent');
  });

  test('a NIC is attached to, changed on and detached from a running machine', async () => {
    const { body } = await done(region, 'POST', `${client}/nics`, { properties: { lan: 2, ips: ['10.7.0.14'] } });
    await until(
      'the new address',
      () => inside(engine, client, 'ip -br addr'),
      (text) => text.includes('10.7.0.14'),
      { limitMs: 10_000 },
    );
    await opens(other, '10.7.0.14', 80, 'refused');
    await done(region, 'PATCH', `${client}/nics/${body.id}`, { ips: ['10.7.0.15'] });
    await opens(other, '10.7.0.15', 80, 'refused');
    await done(region, 'DELETE', `${client}/nics/${body.id}`);
    await until(
      'one interface',
      () => inside(engine, client, 'ip -br addr'),
      (text) => !text.includes('10.7.0.15'),
      { limitMs: 10_000 },
    );
  });

  test('the internet: public LANs and NAT gateways reach it, and the host reaches public addresses', async () => {
    await onHost(engine, 'ip addr add 203.0.113.7/32 dev lo; ip route show 198.18.0.0/15');
    await engine.docker('exec', '-d', await network(), 'sh', '-c', `nsenter -t 1 -n python3 -c '${server}'`);
    const ipblock = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } });
    const [front, out] = ipblock.body.properties.ips as [string, string];
    await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'public', public: true } });
    const open = await makeServer('open', [{ lan: 3, ips: [front], firewallActive: true }], ['tcp 22']);
    await opens(open, '203.0.113.7', 8000);
    assert.equal(await connect(web, '203.0.113.7', 8000), 'silent');
    await done(region, 'POST', `${datacenter}/natgateways`, {
      properties: { name: 'out', publicIps: [out], lans: [{ id: 1, gatewayIps: ['10.7.0.1/24'] }] },
      entities: {
        rules: {
          items: [
            {
              properties: {
                name: 'web',
                type: 'SNAT',
                protocol: 'TCP',
                sourceSubnet: '10.7.0.0/24',
                publicIp: out,
                targetPortRange: { start: 8000, end: 8000 },
              },
            },
          ],
        },
      },
    });
    await opens(web, '203.0.113.7', 8000);
    assert.equal(await connect(web, '203.0.113.7', 8001), 'silent');
    assert.equal(await onHost(engine, `timeout 2 bash -c "echo > /dev/tcp/${front}/22" && echo open`), 'open');
    await assert.rejects(onHost(engine, `timeout 2 bash -c "echo > /dev/tcp/${front}/23"`));
    assert.equal(await connect(open, '10.7.0.12', 80), 'silent');
    for (const [port, result] of [
      [22, 'ACCEPTED'],
      [23, 'REJECTED'],
    ] as const) {
      const packet = { from: { address: '203.0.113.9' }, to: { address: front, port }, protocol: 'TCP', real: true };
      const { body } = await region.call<Sent>('POST', '/lab/traffic', packet);
      assert.deepEqual([body.verdict, body.real.result], [result, result], body.real.detail);
    }
  });

  test('a second region on the engine has a separate network, and the host keeps its route', async () => {
    await using second = await startRegion({ args: ['--machines', engine.setting] });
    const at = await makeDatacenter(second);
    await done(second, 'POST', `${at}/lans`, { properties: { name: 'a', public: false } });
    const body = serverBody('same', [bootVolume()]);
    const nics = { items: [{ properties: { lan: 1, ips: ['10.7.0.16'] } }] };
    const { body: made } = await done(second, 'POST', `${at}/servers`, {
      ...body,
      entities: { ...body.entities, nics },
    });
    const same = `${at}/servers/${made.id}`;
    await until(
      'its address',
      () => inside(engine, same, 'ip -br addr'),
      (text) => text.includes('10.7.0.16'),
      { limitMs: 10_000 },
    );
    assert.equal(await connect(same, '10.7.0.11', 80), 'silent');
    await second.logged('the host reaches the public addresses of another region');
  });

  test('a reboot and a restart of the region keep the network', async () => {
    await done(region, 'POST', `${other}/reboot`);
    await until(
      'the address',
      () => inside(engine, other, 'ip -br addr'),
      (text) => text.includes('10.7.0.13'),
      { limitMs: 10_000 },
    );
    const before = await inside(engine, client, 'cat /sys/class/net/ens6/ifindex');
    await region.kill();
    await opens(client, '10.7.0.11', 80);
    await region.start();
    await opens(client, '10.7.0.11', 80);
    assert.equal(await inside(engine, client, 'cat /sys/class/net/ens6/ifindex'), before);
    assert.equal(core, '/cloudapi/v6');
    assert.notEqual(await containerOf(engine, client), '');
  });

  test('down removes the network, and the next start builds it again', async () => {
    const namespaces = await network();
    assert.match(namespaces, /^[0-9a-f]+$/);
    assert.match(await onHost(engine, 'ip route'), /198\.18\.0\.0\/15/);
    assert.equal(await region.halt('SIGTERM'), 0);
    assert.equal(await network(), '');
    assert.doesNotMatch(await engine.docker('run', '--rm', ...hostTools), /198\.18\.0\.0\/15/);
    await region.start();
    for (const server of [client, web])
      await until(
        'the machine boots',
        () => connect(server, '127.0.0.1', 22).catch(() => 'absent'),
        (seen) => seen === 'open',
        { limitMs: limits.machine },
      );
    await opens(client, '10.7.0.11', 22, 'silent');
    await opens(web, '10.7.0.12', 22);
  });
});

// Differences between the simulated and the real network that docs/network.md lists, and that no other test has.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { datacenter, indexTopology, nic, planOf } from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { listen } from '../../harness/network/talk.ts';

const tools = await networkTools();

suite('differences of the real network', { skip: tools.skip ?? false, timeout: limits.test }, () => {
  // Machines in a private LAN without an IPv4 range.
  async function machinesAt(t: TestContext, addresses: Record<string, string>): Promise<Namespaces> {
    if (tools.skip !== undefined) throw new Error(tools.skip);
    const nics = Object.entries(addresses).map(([id, ip]) => nic(id, 3, ip, { pciSlot: 6 }));
    const lans = [{ id: 3, public: false, ipv4CidrBlock: null, ipv6CidrBlock: null, pcc: null, ipFailover: [] }];
    const host = new Namespaces(tools, []);
    t.after(() => host.close());
    const machines = nics.map(({ server }) => server);
    for (const machine of machines) await host.start(machine);
    const index = indexTopology({ ranges, datacenters: [datacenter('D', { nics, lans })] });
    await host.apply(planOf(index, { ranges, uplink: { device: 'lo', isMasked: false }, machines }));
    assert.deepEqual(host.warnings, []);
    return host;
  }

  test('in a LAN without an IPv4 range, the 256 addresses around a private one are on the LAN', async (t) => {
    const host = await machinesAt(t, { a: '10.77.0.5', b: '10.77.1.9' });
    await listen(host, 'server-b', [80]);
    const connect = (ip: string): Promise<string> =>
      host.inside(
        'server-a',
        `python3 - <<'PYTHON'
import socket
try:
    socket.create_connection(('${ip}', 80), timeout=0.5)
    print('connected')
except OSError as problem:
    print(problem)
PYTHON`,
      );
    assert.equal(await connect('10.77.1.9'), 'connected\n');
    assert.equal(await connect('10.77.0.99'), 'timed out\n');
    assert.equal(await connect('10.77.1.99'), '[Errno 101] Network is unreachable\n');
  });

  test('a machine has its addresses from the start, and a DHCP client gets no answer', async (t) => {
    const host = await machinesAt(t, { a: '10.77.0.5' });
    assert.match(await host.inside('server-a', 'ip -4 -o address show ens6'), / 10\.77\.0\.5\/24 /);
    const answer = await host.inside(
      'server-a',
      `python3 - <<'PYTHON'
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'ens6')
s.bind(('', 68))
s.settimeout(0.3)
discover = struct.pack('!BBBBIHH', 1, 1, 6, 0, 7, 0, 0x8000).ljust(236, b'\\0') + b'\\x63\\x82\\x53\\x63\\x35\\x01\\x01\\xff'
s.sendto(discover, ('255.255.255.255', 67))
try: print(s.recv(2000))
except TimeoutError: print('no answer')
PYTHON`,
    );
    assert.equal(answer, 'no answer\n');
  });
});

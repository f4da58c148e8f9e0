// Zones, records and queries that try to keep the main thread busy or to fill the memory.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import dnsPacket from 'dns-packet';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import type { Region, ResourceBody } from '../harness/region.ts';
import { assertMemoryIsFreed, assertYields, type MeteredRegion, startFrugal, startMetered } from '../harness/turns.ts';
import { secondContract } from '../sweep/api.ts';
import { ask, askByTcp, dataOf, portOf, queryOf } from './query.ts';

const mb = 1024 * 1024;

// The calls of an attacker.
function attackerOn(region: Region) {
  const addZone = async (zoneName: string): Promise<string> => {
    const { status, body } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
    assert.equal(status, 202, JSON.stringify(body));
    return `/dns/zones/${body.id}`;
  };
  const putFile = async (zone: string, text: string): Promise<{ status: number; body: string }> => {
    const answer = await fetch(`${region.url}${zone}/zonefile`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${region.token}`, 'content-type': 'text/plain' },
      body: text,
    });
    return { status: answer.status, body: await answer.text() };
  };
  const mustPut = async (zone: string, text: string): Promise<void> => {
    const { status, body } = await putFile(zone, text);
    assert.equal(status, 200, body.slice(0, 500));
  };
  const addRecord = (zone: string, name: string, type: string, content: string) =>
    region.call('POST', `${zone}/records`, { properties: { name, type, content } });
  const sign = async (zone: string, nsecMode: string, bits: number): Promise<void> => {
    const properties = {
      keyParameters: { algorithm: 'RSASHA256', kskBits: bits, zskBits: bits },
      nsecParameters: { nsecMode, nsec3Iterations: 50, nsec3SaltBits: 128 },
      validity: 90,
    };
    const { status, body } = await region.call<ResourceBody>('POST', `${zone}/keys`, { properties });
    assert.equal(status, 202, JSON.stringify(body));
  };
  return { addZone, putFile, mustPut, addRecord, sign };
}

const addresses = (count: number, prefix = 'n'): string =>
  Array.from({ length: count }, (_, at) => `${prefix}${at} IN A 192.0.2.${at % 250}\n`).join('');

const refusedFiles: [what: string, text: string, message: RegExp][] = [
  ['100,001 records', addresses(100_001), /Line 100001: the file has more than 100000 records/],
  ['3 MB of open parentheses', '('.repeat(3 * mb), /Line 1: the entry has more than 300000 characters/],
  ['lines of open parentheses', '(((\n'.repeat(mb), /Line 1: the entry has more than/],
  ['a record of 700,000 texts', `a IN TXT ${'x '.repeat(700_000)}`, /Line 1: the entry has more than/],
  ['a record of 80,000 bytes', `\na IN TXT ${`"${'x'.repeat(200)}" `.repeat(400)}`, /Line 2: .*80400 bytes of data/],
  [
    'a set of 80,000 bytes',
    Array.from({ length: 400 }, (_, at) => `a IN TXT ${at}-${'x'.repeat(200)}\n`).join(''),
    /Line 298: All TXT records of the name a would have more than 64456 bytes/,
  ],
  [
    'names of 100 labels',
    Array.from({ length: 5000 }, (_, at) => `${'x.'.repeat(97)}${at} IN A 192.0.2.1\n`).join(''),
    /Line \d+: the file has more than 200000 names/,
  ],
];

suite('DNS under attack', () => {
  let metered: MeteredRegion;
  let attacker: ReturnType<typeof attackerOn>;
  let port: number;
  before(async () => {
    metered = await startMetered({ args: ['--dns-peers', '127.0.0.1', '--rate-burst', '100000'] });
    attacker = attackerOn(metered.region);
    port = portOf(metered.region);
  });
  after(() => metered.region.stop());
  const serialOf = async (zoneName: string): Promise<number> => {
    const [record] = (await ask(port, zoneName, 'SOA')).answers ?? [];
    return (record as dnsPacket.SoaAnswer).data.serial as number;
  };

  test('[GEN-05] the transfer of a signed zone, and clients that do not read, delay no other calls', async () => {
    const zone = await attacker.addZone('axfr.attack.example');
    await attacker.mustPut(zone, addresses(2000));
    await attacker.sign(zone, 'NSEC3', 1024);
    const count = async (): Promise<Map<string, number>> => {
      const counts = new Map<string, number>();
      const add = (type: string): unknown => counts.set(type, (counts.get(type) ?? 0) + 1);
      let read = 0;
      await askByTcp(port, queryOf('axfr.attack.example', 'AXFR'), (messages) => {
        for (; read < messages.length; read++)
          for (const { type } of dnsPacket.decode(messages[read] as Buffer).answers ?? []) add(type);
        return counts.get('SOA') === 2;
      });
      return counts;
    };
    await assertYields(metered, 'the transfer of a signed zone', async () => {
      const counts = await count();
      // Addresses and links, and with signatures: SOA, NS, DNSKEY and NSEC3PARAM.
      assert.deepEqual(
        ['A', 'NSEC3', 'RRSIG'].map((type) => counts.get(type)),
        [2000, 2001, 2000 + 2001 + 4],
      );
    });
    await assertYields(metered, 'many queries of one connection', async () => {
      const sized = (query: Buffer): Buffer =>
        Buffer.concat([Buffer.from([query.length >> 8, query.length & 255]), query]);
      const queries = Array.from({ length: 5000 }, (_, at) =>
        sized(queryOf(`${'x.'.repeat(at % 90)}q${at}.axfr.attack.example`, 'A', { edns: 1232, dnssec: true })),
      );
      const silent = connect(port, '127.0.0.1');
      silent.on('error', () => undefined);
      silent.pause();
      silent.write(Buffer.concat(queries));
      await once(silent, 'connect');
      for (let count = 0; count < 100; count++) await ask(port, 'axfr.attack.example', 'SOA');
      silent.destroy();
    });
  });

  // The keys of one zone are the largest; they take a second to create.
  for (const [mode, bits] of [
    ['NSEC3', 4096],
    ['NSEC', 1024],
  ] as const)
    test(`[GEN-05] a signed zone of 20,000 names (${mode}) changes without delaying others`, async () => {
      const zoneName = `${mode.toLowerCase()}.attack.example`;
      const zone = await attacker.addZone(zoneName);
      await attacker.mustPut(zone, addresses(20_000));
      await attacker.sign(zone, mode, bits);
      let count = 0;
      const isDenied = async (name: string): Promise<void> => {
        const query = queryOf(`${name}.${zoneName}`, 'A', { edns: 1232, dnssec: true });
        const [bytes] = await askByTcp(port, query, (all) => all.length === 1);
        const { rcode, authorities = [] } = decoded(bytes as Buffer);
        assert.deepEqual([rcode, authorities.some(({ type }) => type === 'RRSIG')], ['NXDOMAIN', true]);
      };
      await isDenied('warm');
      await assertYields(metered, 'a change of a signed zone', async () => {
        for (let round = 0; round < 5; round++) {
          assert.equal((await attacker.addRecord(zone, `added${++count}`, 'A', '192.0.2.1')).status, 202);
          await isDenied(`missing${count}`);
        }
      });
      await assertYields(metered, 'a delegation above nothing, and a name that was not there', async () => {
        assert.equal((await attacker.addRecord(zone, `sub${++count}`, 'NS', 'ns.example.net')).status, 202);
        await isDenied(`other${count}`);
      });
    });

  test('[GEN-05] a zone file of 20,000 records is taken, exported and listed without delaying others', async () => {
    const zone = await attacker.addZone('file.attack.example');
    await attacker.mustPut(zone, addresses(10));
    let version = 0;
    const serial = await serialOf('file.attack.example');
    await assertYields(metered, 'a zone file of 20,000 records', () =>
      attacker.mustPut(zone, addresses(20_000, `v${++version}-`)),
    );
    assert.deepEqual(dataOf(await ask(port, `v${version}-7.file.attack.example`, 'A')), ['192.0.2.7']);
    assert.equal((await ask(port, 'n7.file.attack.example', 'A')).rcode, 'NXDOMAIN');
    assert.ok((await serialOf('file.attack.example')) > serial + 3 * version, 'each part of it raises the serial');
    await assertYields(metered, 'the export of 20,000 records', async () => {
      const answer = await fetch(`${metered.region.url}${zone}/zonefile`, {
        headers: { authorization: `Bearer ${metered.region.token}` },
      });
      assert.equal((await answer.text()).split('\n').length, 20_000 + 4 + 4);
    });
    for (const path of [
      `${zone}/records?limit=1000&orderBy=name`,
      '/dns/records?limit=1000&filter.name=7',
      '/dns/records?limit=1000&filter.state=available',
    ])
      await assertYields(metered, path, async () => {
        const { status, body } = await metered.region.call('GET', path);
        assert.deepEqual([status, body.items.length], [200, 1000]);
      });
  });

  for (const [what, text, message] of refusedFiles)
    test(`[GEN-05] a zone file with ${what} is refused without delaying others`, async () => {
      const zone = await attacker.addZone(`${what.replace(/\W+/g, '-')}.attack.example`);
      await attacker.mustPut(zone, addresses(10));
      await assertYields(metered, what, async () => {
        const { status, body } = await attacker.putFile(zone, text);
        assert.equal(status, 422, body.slice(0, 300));
        assert.match(body, message);
      });
    });

  test('[GEN-05] single records that no message can carry are refused, alone or with those of the same name', async () => {
    const zone = await attacker.addZone('large.attack.example');
    const content = '"" '.repeat(21_000);
    await assertYields(metered, 'a record of many texts', async () => {
      assert.ok((await attacker.addRecord(zone, 'many', 'TXT', content)).status < 500);
    });
    await assertYields(metered, 'a service binding of many quotes', async () => {
      const { status } = await attacker.addRecord(zone, 'https', 'HTTPS', `1 . a${'="'.repeat(30_000)}x`);
      assert.equal(status, 422);
    });
    const alone = await attacker.addRecord(zone, 'alone', 'TXT', 'x'.repeat(65_000));
    assert.equal(alone.status, 422);
    assert.match(JSON.stringify(alone.body), /No DNS message can carry more than/);
    for (let at = 0; at < 6; at++) {
      const { status, body } = await attacker.addRecord(zone, 'set', 'TXT', `${at}${'x'.repeat(12_000)}`);
      assert.equal(status, at < 5 ? 202 : 422, JSON.stringify(body));
      if (at === 5) assert.match(JSON.stringify(body), /All TXT records of the name set would have more than/);
    }
    const [answer] = await askByTcp(port, queryOf('set.large.attack.example', 'TXT'), (all) => all.length === 1);
    assert.equal(dnsPacket.decode(answer as Buffer).answers?.length, 5);
  });

  test('[GEN-05] 2,000 queries for 1,000 texts are truncated at once', async () => {
    const zone = await attacker.addZone('texts.attack.example');
    await attacker.mustPut(zone, Array.from({ length: 1000 }, (_, at) => `many IN TXT text-${at}\n`).join(''));
    const query = queryOf('many.texts.attack.example', 'TXT');
    const cpuMs = async (): Promise<number> => {
      const text = await (await fetch(`${metered.region.url}/metrics`)).text();
      return 1000 * Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
    };
    await ask(port, 'many.texts.attack.example', 'TXT');
    await assertYields(metered, 'a flood of queries', async () => {
      const before = await cpuMs();
      await flood(port, query, 2000);
      const used = (await cpuMs()) - before;
      assert.ok(used < 1000, `2,000 truncated answers took ${used} ms of CPU`);
    });
  });

  test('[GEN-05] a delegation above 20,000 names of an NSEC3 zone delays no other calls', async () => {
    const zone = await attacker.addZone('deep.attack.example');
    await attacker.mustPut(zone, addresses(20_000).replaceAll(' IN A', '.below IN A'));
    await attacker.sign(zone, 'NSEC3', 1024);
    const query = queryOf('missing.deep.attack.example', 'A', { edns: 1232, dnssec: true });
    const isDenied = async (): Promise<void> => {
      const [bytes] = await askByTcp(port, query, (all) => all.length === 1);
      const { rcode, authorities = [] } = decoded(bytes as Buffer);
      assert.deepEqual([rcode, authorities.some(({ type }) => type === 'RRSIG')], ['NXDOMAIN', true]);
    };
    await isDenied();
    await assertYields(metered, 'a delegation', async () => {
      const { body } = await attacker.addRecord(zone, 'below', 'NS', 'ns.example.net');
      await isDenied();
      await metered.region.call('DELETE', `${zone}/records/${body.id}`);
      await isDenied();
    });
  });

  test('[GEN-05] a primary that sends endlessly, or deep names, is disconnected, and delays no other calls', async () => {
    const flat = (at: number): string[] => [`n${at}`];
    const deep = (at: number): string[] => [...'x'.repeat(100), `n${at}`];
    const attacks: [reason: string, part: (at: number, zone: string[]) => Buffer][] = [
      ['more than 100000 records', (at, zone) => messageOf(1500, (nth) => [...flat(at * 1500 + nth), ...zone])],
      ['more than 200000 names', (at, zone) => messageOf(250, (nth) => [...deep(at * 250 + nth), ...zone])],
      ["can't be read", () => Buffer.concat([messageOf(1000, () => []).subarray(0, 12), Buffer.alloc(60_000, 0xc0)])],
    ];
    for (const [nth, [reason, part]] of attacks.entries()) {
      const zoneName = `hostile${nth}.example`;
      const primary = createServer((socket) => sendWithoutEnd(socket, (at) => part(at, zoneName.split('.'))));
      primary.listen(0, '127.0.0.1');
      await once(primary, 'listening');
      const primaryIps = [`127.0.0.1:${(primary.address() as AddressInfo).port}`];
      const { status, body } = await metered.region.call('POST', '/dns/secondaryzones', {
        properties: { zoneName, primaryIps },
      });
      assert.equal(status, 202, JSON.stringify(body));
      const path = `/dns/secondaryzones/${body.id}`;
      await assertYields(metered, `a primary with ${reason}`, () =>
        until(
          `the transfer ends: ${reason}`,
          async () => {
            await metered.region.call('PUT', `${path}/axfr`);
            const { body } = await metered.region.call<{ items: { errorMessage?: string }[] }>('GET', `${path}/axfr`);
            return body.items[0]?.errorMessage ?? '';
          },
          (message) => message.includes(reason),
          { limitMs: limits.request },
        ),
      );
      await metered.region.call('DELETE', path);
      primary.close();
    }
  });

  test('[GEN-05] the names of all zones of a contract together are limited; records at existing names are not', async () => {
    const tenant = attackerOn(metered.region.as(await secondContract(metered.region)));
    const [one, two] = [await tenant.addZone('one.names.example'), await tenant.addZone('two.names.example')];
    const deep = (count: number): string =>
      Array.from({ length: count }, (_, at) => `${'x.'.repeat(99)}${at} IN A 192.0.2.1\n`).join('');
    await tenant.mustPut(two, 'known IN A 192.0.2.1\n');
    await tenant.mustPut(one, deep(1990));
    const { status, body } = await tenant.putFile(two, deep(110));
    assert.deepEqual([status, /more than 200000 names/.test(body)], [422, true], body.slice(0, 300));
    for (let at = 0; ; at++) {
      const answer = await tenant.addRecord(two, `${'x.'.repeat(99)}${at}`, 'A', '192.0.2.1');
      if (answer.status === 202) continue;
      assert.match(JSON.stringify(answer.body), /more than 200000 names/);
      break;
    }
    assert.equal((await tenant.addRecord(two, 'known', 'A', '192.0.2.2')).status, 202);
  });
});

test('[GEN-05] the memory that attacks on DNS take is freed within a minute', async () => {
  await using region = await startFrugal({ args: ['--rate-burst', '100000'] });
  const { addZone, mustPut, putFile, sign, addRecord } = attackerOn(region);
  const port = portOf(region);
  const zone = await addZone('signed.attack.example');
  await mustPut(zone, addresses(20_000));
  await sign(zone, 'NSEC3', 1024);
  for (let at = 0; at < 5; at++) {
    await addRecord(zone, `added${at}`, 'A', '192.0.2.1');
    await askByTcp(port, queryOf(`x${at}.signed.attack.example`, 'A', { edns: 1232, dnssec: true }), () => true);
  }
  const other = await addZone('texts.attack.example');
  await mustPut(other, addresses(20_000));
  for (const [, text] of refusedFiles) assert.equal((await putFile(other, text)).status, 422);
  await mustPut(other, Array.from({ length: 1000 }, (_, at) => `many IN TXT text-${at}\n`).join(''));
  await flood(port, queryOf('many.texts.attack.example', 'TXT'), 2000);
  await assertMemoryIsFreed(region);
});

const decoded = (bytes: Buffer) => dnsPacket.decode(bytes) as dnsPacket.DecodedPacket & { rcode: string };

const recordOf = (labels: readonly string[], type: number, data: Buffer): Buffer =>
  Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.from([0, 0, type, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]),
    data,
  ]);

// Answers with so many addresses.
function messageOf(count: number, nameOf: (at: number) => string[], first?: Buffer): Buffer {
  const records = Array.from({ length: count }, (_, at) => recordOf(nameOf(at), 1, Buffer.from([192, 0, 2, 1])));
  const all = first ? [first, ...records] : records;
  const head = Buffer.from([0, 0, 0x84, 0, 0, 0, all.length >> 8, all.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, ...all]);
}

// A zone that begins with a SOA and never ends, sent as fast as the other side reads.
function sendWithoutEnd(socket: Socket, part: (at: number) => Buffer): void {
  socket.on('error', () => undefined);
  socket.once('data', async (query: Buffer) => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const soa = recordOf([], 6, Buffer.alloc(22));
    for (let at = 0; !socket.destroyed; at++) {
      // not a wait: it sends
      const message = at === 0 ? messageOf(0, () => [], soa) : part(at);
      query.copy(message, 0, 2, 4); // the id
      const size = Buffer.from([message.length >> 8, message.length & 255]);
      const isFull = !socket.write(Buffer.concat([size, message]));
      const drained = isFull ? new Promise((resolve) => socket.once('drain', resolve)) : new Promise(setImmediate);
      await Promise.race([drained, closed]);
    }
  });
}

// Sends the query many times, not faster than it is answered, and waits for the last answer.
async function flood(port: number, query: Buffer, count: number): Promise<void> {
  const socket = createSocket('udp4');
  const perRound = 50;
  try {
    for (let sent = 0; sent < count; sent += perRound) {
      for (let at = 0; at < perRound; at++) socket.send(query, port, '127.0.0.1');
      await ask(port, 'texts.attack.example', 'SOA');
    }
  } finally {
    socket.close();
  }
}

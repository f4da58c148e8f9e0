// Queries that try to crash the name server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, type Server, type Socket as TcpSocket } from 'node:net';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import { Signer } from '../dnssec/signer.ts';
import { nameBytes, nameText } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { responseCodes } from './message.ts';
import { NameServer } from './name-server.ts';
import type { ServedZone } from './resolve.ts';
import { ZoneData } from './zone-data.ts';

const { A, NS, SOA } = typeNumbers as { A: number; NS: number; SOA: number };
const zoneWire = [...nameBytes('example.com')];

// With EDNS and the DO flag.
const queryOf = (labels: number[]): Buffer =>
  Buffer.from([
    ...[0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, ...labels, ...zoneWire, 0, A, 0, 1],
    ...[0, 0, 41, 16, 0, 0, 0, 0x80, 0, 0, 0],
  ]);

function served(mode?: 'NSEC' | 'NSEC3'): ServedZone {
  const data = new ZoneData('example.com');
  const pem = (): string =>
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signer =
    mode &&
    new Signer(data, { ksk: pem(), zsk: pem(), mode, iterations: 1, salt: 'aabb', validityDays: 1 }, () => 1e12);
  return { data, soa: () => ({ type: SOA, ttl: 60, data: [Buffer.alloc(30)] }), signer };
}

function serverOf(find: () => ServedZone): { server: NameServer; logged: unknown[] } {
  const logged: unknown[] = [];
  const log = { ...silent, error: (_message: string, fields: object = {}) => logged.push(fields) };
  const zones = { find, isReady: true } as never;
  return { server: new NameServer({ zones, peers: new Set(), log, notified: () => undefined }), logged };
}

const codeOf = (answer: Buffer | undefined): number => (answer?.readUInt16BE(2) ?? 0xf) & 0xf;

for (const mode of ['NSEC', 'NSEC3'] as const)
  test(`[GEN-05] the absence of labels with dots, backslashes and zeros is proved in an ${mode} zone`, async () => {
    const zone = served(mode);
    zone.data.put({ id: '1', name: 'a.example.com', type: A, ttl: 60, data: Buffer.from([192, 0, 2, 1]) });
    const { server, logged } = serverOf(() => zone);
    for (const label of ['a.', '.', '.a', 'a.a', 'a\\.', '\\046', '\0', 'a\0', '.'.repeat(63)]) {
      const answer = await server.ask(queryOf([label.length, ...Buffer.from(label)]));
      assert.equal(codeOf(answer), responseCodes.missing, JSON.stringify(label));
      assert.ok((answer as Buffer).readUInt16BE(8) >= 4, `${JSON.stringify(label)}: SOA, proof and signatures`);
    }
    assert.deepEqual(logged, []);
  });

test('a query with an unknown version of EDNS is answered with BADVERS', async () => {
  const { server } = serverOf(() => served());
  const query = queryOf([1, 0x61]);
  query.writeUInt8(1, query.length - 5);
  const answer = (await server.ask(query)) as Buffer;
  const opt = answer.subarray(answer.length - 11);
  assert.deepEqual([opt.readUInt16BE(1), opt.readUInt8(5), codeOf(answer)], [41, 1, 0]);
});

test('[GEN-05] a delegation at a label that ends with a dot is answered with a referral', async () => {
  const zone = served();
  const owner = Buffer.from([2, 0x61, 0x2e, ...zoneWire]);
  zone.data.put({ id: '1', name: nameText(owner), type: NS, ttl: 60, data: nameBytes('ns.example.net') });
  const { server } = serverOf(() => zone);
  const answer = (await server.ask(queryOf([1, 0x62, 2, 0x61, 0x2e]))) as Buffer;
  assert.deepEqual([codeOf(answer), answer.readUInt16BE(8)], [responseCodes.none, 1]);
  assert.ok(answer.lastIndexOf(owner) > answer.indexOf(owner), 'it has the name of the delegation behind the question');
});

test('[GEN-05] an error while a query is answered, or a sender without a port, ends nothing', async () => {
  const { server, logged } = serverOf(() => {
    throw new Error('not foreseen');
  });
  const [tcp, udp] = server.open(false) as [unknown, Socket];
  assert.ok(tcp);
  const sent: Buffer[] = [];
  udp.send = ((bytes: Buffer, port: number) => {
    if (port === 0) throw new RangeError('port');
    sent.push(bytes);
  }) as never;
  for (const port of [0, 5353, 5353]) udp.emit('message', queryOf([1, 0x61]), { port, address: '127.0.0.1' });
  assert.deepEqual(sent.map(codeOf), [responseCodes.failure, responseCodes.failure]);
  assert.equal(logged.length, 1, 'errors are logged rarely');
  udp.send = (() => {
    throw new Error('closed');
  }) as never;
  udp.emit('message', queryOf([1, 0x61]), { port: 5353, address: '127.0.0.1' });
  udp.close();
});

test('the time that an answer takes does not count as idle', { timeout: 10_000 }, async () => {
  const { promise: settling, resolve: settle } = Promise.withResolvers<void>();
  const { promise: requested, resolve: ask } = Promise.withResolvers<void>();
  let work: Promise<void> | undefined = settling;
  const signer = {
    settle() {
      ask();
      return work;
    },
    signatureOf: () => Buffer.alloc(20),
    proofOfNoName: () => [],
  };
  const { server } = serverOf(() => ({ ...served(), signer: signer as never }));
  const [tcp, udp] = server.open(false) as [Server, Socket];
  const connected = once(tcp, 'connection') as Promise<[TcpSocket]>;
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const client = connect((tcp.address() as AddressInfo).port, '127.0.0.1');
  const query = queryOf([1, 0x61]);
  client.write(Buffer.concat([Buffer.from([0, query.length]), query]));
  const [socket] = await connected;
  const idleMs = socket.timeout;
  assert.ok(idleMs);
  await requested;
  assert.equal(socket.timeout, 0);
  work = undefined;
  settle();
  await once(client, 'data');
  assert.equal(socket.timeout, idleMs);
  client.destroy();
  server.stop();
  tcp.close();
  udp.close();
});

test('names with any bytes survive the conversion to text and back', () => {
  for (const label of ['.', '\\', '\\.', '\\046', '046', 'a.b\\c'])
    assert.deepEqual(
      nameBytes(nameText(Buffer.from([label.length, ...Buffer.from(label), 0]))),
      Buffer.from([label.length, ...Buffer.from(label), 0]),
    );
});

// Transfers in the background, and primaries that do not answer.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { nameBytes } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import type { ServedZones } from '../server/served-zones.ts';
import { Secondaries } from './secondaries.ts';

const zonesOf = (...ids: string[]): ServedZones =>
  ({
    secondaries: () => ids.map((id) => ({ id, contract: 1, path: id, data: { name: id } })),
    named: (id: string) => ({ id, contract: 1, path: id, kind: 'secondaryzone' }),
  }) as never;

test('a failure after a notification is logged, and ends nothing', { timeout: 10_000 }, async () => {
  const { promise: logged, resolve } = Promise.withResolvers<{ error?: unknown }>();
  const log = { ...silent, error: (_message: string, fields: object = {}) => resolve(fields) };
  const store = { at: () => Promise.reject(new Error('the database is gone')) } as unknown as Store;
  new Secondaries({ store, zones: zonesOf('z'), log, now: () => 0 }).notified('z', '192.0.2.1');
  assert.match(String((await logged).error), /the database is gone/);
});

test('a primary that says nothing does not keep other zones waiting', { timeout: 10_000 }, async () => {
  const { promise: contacted, resolve } = Promise.withResolvers<void>();
  const held: Socket[] = [];
  const slow = await listening(createServer((socket) => held.push(socket)));
  const quick = await listening(
    createServer((socket) => {
      resolve();
      socket.destroy();
    }),
  );
  const at = async (_contract: number, id: string) => {
    const { port } = (id === 'slow' ? slow : quick).address() as AddressInfo;
    const body = JSON.stringify({ zoneName: id, primaryIps: [`127.0.0.1:${port}`] });
    return rowOf({ contract: 1, place: 'dns', id, state: 'AVAILABLE', body });
  };
  const store = { at } as unknown as Store;
  const running = new Secondaries({ store, zones: zonesOf('slow', 'quick'), log: silent, now: () => 0 }).runDue();
  await contacted;
  for (const server of [slow, quick]) server.close();
  for (const socket of held) socket.destroy();
  await running;
});

test('a region that stops does not wait for a primary that says nothing', { timeout: 10_000 }, async () => {
  const { promise: contacted, resolve } = Promise.withResolvers<void>();
  const primary = await listening(
    createServer((socket) => void socket.on('error', () => undefined).once('data', resolve)),
  );
  const { port } = primary.address() as AddressInfo;
  const body = JSON.stringify({ zoneName: 'z', primaryIps: [`127.0.0.1:${port}`] });
  const at = async () => rowOf({ contract: 1, place: 'dns', id: 'z', state: 'AVAILABLE', body });
  const secondaries = new Secondaries({
    store: { at } as unknown as Store,
    zones: zonesOf('z'),
    log: silent,
    now: () => 0,
  });
  void secondaries.runDue();
  await contacted;
  await secondaries.close();
  primary.close();
});

const oneRecordZone = (query: Buffer): Buffer => {
  const zone = [...nameBytes('example.com')];
  const recordOf = (name: number[], type: number, data: Buffer): number[] => [
    ...[...name, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data],
  ];
  const soa = recordOf(zone, typeNumbers.SOA as number, Buffer.alloc(22));
  const address = recordOf([1, 0x61, ...zone], typeNumbers.A as number, Buffer.from([192, 0, 2, 1]));
  const message = [...query.subarray(2, 4), 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0, ...soa, ...address, ...soa];
  return Buffer.from([0, message.length, ...message]);
};

const outcomes: [what: string, names: number, isUnchanged: boolean, status: string, message: RegExp][] = [
  ['fits', 199_999, true, 'OK', /^$/],
  ['has more names than the contract can have', 200_000, true, 'FAILED', /more than 200000 names/],
  ['is changed in the meantime', 0, false, 'PENDING', /^$/],
];
for (const [what, names, isUnchanged, status, message] of outcomes)
  test(`[GEN-05] the transfer of a zone that ${what} is ${status}`, { timeout: 10_000 }, async () => {
    const primary = await listening(
      createServer((socket) => socket.once('data', (query: Buffer) => socket.write(oneRecordZone(query)))),
    );
    const primaryIps = [`127.0.0.1:${(primary.address() as AddressInfo).port}`];
    const body = JSON.stringify({ zoneName: 'example.com', primaryIps });
    const zone = rowOf({ contract: 1, place: 'dns', id: 'z', state: 'AVAILABLE', body });
    const store = {
      apply: async () => ({ ok: isUnchanged }),
      runExclusive: (_queue: string, work: () => Promise<unknown>) => work(),
      async *pages() {},
    } as unknown as Store;
    const zones = {
      names: () => names,
      secondaryUse: () => ({ records: 0, bytes: 0 }),
      reloadSecondary: async () => undefined,
    } as never;
    const secondaries = new Secondaries({ store, zones, log: silent, now: () => 0 });
    await secondaries.transfer(zone);
    primary.close();
    const [shown] = secondaries.statusOf(zone);
    assert.equal(shown?.status, status);
    assert.match(shown?.errorMessage ?? '', message);
  });

const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

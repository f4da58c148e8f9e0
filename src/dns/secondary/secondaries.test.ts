// Transfers that nobody waits for, and primaries that keep others waiting.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ServedZones } from '../server/served-zones.ts';
import { Secondaries } from './secondaries.ts';

const zonesOf = (...ids: string[]): ServedZones =>
  ({
    secondaries: () => ids.map((id) => ({ id, contract: 1, path: id, data: { name: id } })),
    named: (id: string) => ({ id, contract: 1, path: id, kind: 'secondaryzone' }),
  }) as never;

test('a notification that can not be followed is logged, and ends nothing', { timeout: 60_000 }, async () => {
  const { promise: logged, resolve } = Promise.withResolvers<{ error?: unknown }>();
  const log = { ...silent, error: (_message: string, fields: object = {}) => resolve(fields) };
  const store = { at: () => Promise.reject(new Error('the database is gone')) } as unknown as Store;
  new Secondaries({ store, zones: zonesOf('z'), log, now: () => 0 }).notified('z', '192.0.2.1');
  assert.match(String((await logged).error), /the database is gone/);
});

test('a primary that says nothing does not keep other zones waiting', { timeout: 60_000 }, async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
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
  await asked;
  for (const server of [slow, quick]) server.close();
  for (const socket of held) socket.destroy();
  await running;
});

const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

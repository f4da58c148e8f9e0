// The lab's routes for machines: rights, missing servers, and valid loads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import type { Json, Values } from '../base/json.ts';
import { rowOf } from '../core/state/engine.ts';
import type { Exchange, Route } from '../surface/http/exchange.ts';
import { Router } from '../surface/http/router.ts';
import { machineLabRoutes } from './machines.ts';

const server = rowOf({ contract: 7, place: 'datacenters/D/servers', id: 'S', kind: 'server' });

function lab() {
  const set: [string, Values, number][] = [];
  const routes = machineLabRoutes({
    find: async (contract, id) => (contract === 7 && id === 'S' ? server : undefined),
    look: async (row, now) => ({ id: row.id, now }),
    load: async (row, now) => ({ load: row.id, now }),
    setLoad: async (row, sent, now) => {
      set.push([row.id, sent, now]);
      return { set: row.id };
    },
    now: () => 1000,
  });
  const router = new Router(routes);
  const ask = async (method: string, path: string, contract: number, body?: Json): Promise<Values> => {
    const { route, params } = router.match(method, path);
    const x = { who: { contract }, params, body, rows: [] } as unknown as Exchange;
    await route.resolve?.(x);
    const { status, body: text } = await route.call(x);
    assert.equal(status, 200);
    return JSON.parse(String(text)) as Values;
  };
  return { routes, set, ask };
}

const isFault = (kind: string) => (error: unknown) => error instanceof Fault && error.kind === kind;

test('a machine is shown, and its load is set from now on', async () => {
  const { ask, set } = lab();
  assert.deepEqual(await ask('GET', '/machines/S', 7), { id: 'S', now: 1000 });
  assert.deepEqual(await ask('GET', '/machines/S/load', 7), { load: 'S', now: 1000 });
  assert.deepEqual(await ask('PUT', '/machines/S/load', 7, { cpuPercent: 12.5 }), { set: 'S' });
  await ask('PUT', '/machines/S/load', 7, {});
  const absent = {
    networkInBytesPerSecond: null,
    networkOutBytesPerSecond: null,
    networkInPacketsPerSecond: null,
    networkOutPacketsPerSecond: null,
  };
  assert.deepEqual(set, [
    ['S', { cpuPercent: 12.5, ...absent }, 1000],
    ['S', { cpuPercent: null, ...absent }, 1000],
  ]);
});

test('a server of another contract is missing, whatever is sent', async () => {
  const { ask, set } = lab();
  await assert.rejects(ask('GET', '/machines/S', 8), isFault('missing'));
  await assert.rejects(ask('GET', '/machines/T', 7), isFault('missing'));
  await assert.rejects(ask('PUT', '/machines/S/load', 8, { cpuPercent: 'x' }), isFault('missing'));
  assert.deepEqual(set, []);
});

test('a load outside its bounds is refused, and nothing is set', async () => {
  const { ask, set } = lab();
  const bad: (Json | undefined)[] = [
    ...[undefined, null, [], 'x', { cpu: 1 }, { cpuPercent: 100.1 }, { cpuPercent: -1 }, { cpuPercent: '1' }],
    { networkInBytesPerSecond: 0.5 },
    { networkOutBytesPerSecond: 12_500_000_001 },
    { networkInPacketsPerSecond: 150_000_001 },
    { networkOutPacketsPerSecond: -1 },
  ];
  for (const body of bad) await assert.rejects(ask('PUT', '/machines/S/load', 7, body), isFault('refused'));
  assert.deepEqual(set, []);
});

test('a load beyond all numbers is refused with its bound, together with the other problems', async () => {
  const { ask } = lab();
  const body = { networkInBytesPerSecond: 1e30, networkOutPacketsPerSecond: -1e30, cpuPercent: 101 };
  await assert.rejects(ask('PUT', '/machines/S/load', 7, body), (error) => {
    assert.deepEqual(
      (error as Fault).problems.map(({ message }) => message),
      [
        '[(root).cpuPercent] Attribute value 101 is above the maximum of 100',
        '[(root).networkInBytesPerSecond] Attribute value 1e+30 is above the maximum of 12500000000',
        '[(root).networkOutPacketsPerSecond] Attribute value -1e+30 is below the minimum of 0',
      ],
    );
    return true;
  });
});

test('only administrators and the owner have access, and reads are not audited', () => {
  const { routes } = lab();
  assert.equal(routes.length, 3);
  for (const route of routes as Route[]) assert.ok(route.adminOnly && route.unaudited, route.operation);
});

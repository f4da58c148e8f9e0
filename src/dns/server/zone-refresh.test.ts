// Zones in memory that follow the changes of other processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import { type Row, rowOf, type WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { typeNumbers } from '../records/types.ts';
import { serialCounter } from '../zones/serial.ts';
import { ServedZones } from './served-zones.ts';

const { A } = typeNumbers as { A: number };
const zonePlace = 'dns/zones@de-txl';

function zoneRow(id: string, zoneName: string): Row {
  const body = JSON.stringify({ zoneName, enabled: true });
  return rowOf({ contract: 1, place: zonePlace, id, kind: 'zone', state: 'AVAILABLE', body });
}

function recordRow(zone: string, id: string, content: string): Row {
  const body = JSON.stringify({ name: id, type: 'A', content, ttl: 60, enabled: true });
  const place = `${zonePlace}/${zone}/records`;
  return rowOf({ contract: 1, place, id, kind: 'record', state: 'AVAILABLE', body });
}

test('changes of other processes are applied, and the zones stay', async () => {
  let rows: Row[] = [];
  let serial = 1;
  let follower = (_: WriteSet): void => undefined;
  let between = (): void => undefined; // two pages
  const store = {
    engine: { exclusive: false, counters: async () => new Map([[serialCounter('z'), serial]]) },
    follow(listener: typeof follower) {
      follower = listener;
    },
    async *pages() {
      for (const row of [...rows]) {
        yield [row];
        between();
      }
    },
  } as unknown as Store;
  const zones = new ServedZones({ store, seal: undefined as never, log: silent, realNow: () => 0 });
  const addressOf = (name: string): string =>
    [...(zones.named('example.com')?.data.setsAt(`${name}.example.com`)?.get(A)?.data[0] ?? [])].join('.');
  rows = [zoneRow('z', 'example.com'), recordRow('z', 'a', '192.0.2.1'), recordRow('z', 'b', '192.0.2.2')];
  await zones.load([1]);
  const data = zones.named('example.com')?.data;
  rows = [zoneRow('z', 'example.com'), recordRow('z', 'a', '192.0.2.3'), recordRow('z', 'c', '192.0.2.4')];
  serial = 2;
  between = () => {
    between = () => undefined;
    assert.equal(addressOf('b'), '192.0.2.2', 'it is answered for in the meantime');
    follower([{ op: 'insert', table: 'resource', row: recordRow('z', 'own', '192.0.2.5') }]);
  };
  await zones.refresh([1]);
  assert.deepEqual(['a', 'b', 'c', 'own'].map(addressOf), ['192.0.2.3', '', '192.0.2.4', '192.0.2.5']);
  assert.equal(zones.named('example.com')?.data, data, 'a chain of names that was computed stays');
  assert.equal(data?.serial, 3);
  rows = [];
  serial = 0;
  await zones.refresh([1]);
  assert.equal(zones.named('example.com'), undefined);
});

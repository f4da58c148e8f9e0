// Which zone answers for a name while zones are created and deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import { type Row, rowOf, type WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { ServedZones } from './served-zones.ts';

function servedZones(more: object = {}): { zones: ServedZones; write: (...writes: WriteSet) => void } {
  let write: (...writes: WriteSet) => void = () => undefined;
  const store = {
    engine: { exclusive: true },
    follow: (listener: (writes: WriteSet) => void) => (write = (...writes) => listener(writes)),
    ...more,
  };
  const zones = new ServedZones({ store: store as unknown as Store, seal: {} as never, log: silent, realNow: () => 0 });
  return { zones, write };
}

const zoneRow = (contract: number, zoneName: string, enabled = true, state = 'AVAILABLE'): Row =>
  rowOf({
    contract,
    place: 'dns/zones@de-fra',
    id: `id of ${zoneName}`,
    kind: 'zone',
    state,
    body: JSON.stringify({ zoneName, enabled }),
  });

test('a zone of another contract answers for the names of a zone only once that is being deleted', () => {
  const { zones, write } = servedZones();
  write({ op: 'insert', table: 'resource', row: zoneRow(1, 'c.test') });
  write({ op: 'insert', table: 'resource', row: zoneRow(2, 'www.c.test', false) });
  assert.equal(zones.find('a.c.test')?.data.name, 'c.test');
  assert.equal(zones.find('a.www.c.test'), undefined);
  write({ op: 'update', table: 'resource', row: zoneRow(2, 'www.c.test') });
  assert.equal(zones.find('a.www.c.test')?.data.name, 'www.c.test');
  write({ op: 'update', table: 'resource', row: zoneRow(2, 'www.c.test', true, 'DELETING') });
  assert.equal(zones.find('a.www.c.test')?.data.name, 'c.test');
  write({ op: 'update', table: 'resource', row: zoneRow(2, 'www.c.test') }); // the deletion failed
  assert.equal(zones.find('a.www.c.test')?.data.name, 'www.c.test');
  write({ op: 'remove', table: 'resource', key: zoneRow(2, 'www.c.test') });
  assert.equal(zones.find('a.www.c.test')?.data.name, 'c.test');
});

test('no zone of another contract answers while the zones of a contract are loaded again', async () => {
  const { promise: loading, resolve: begin } = Promise.withResolvers<void>();
  const { promise: loaded, resolve: end } = Promise.withResolvers<void>();
  const store = {
    engine: { counters: async () => new Map([['dns serial id of www.c.test', 7]]) },
    async *pages() {
      begin();
      await loaded;
      yield [zoneRow(2, 'www.c.test')];
    },
  };
  const { zones, write } = servedZones(store);
  write({ op: 'insert', table: 'resource', row: zoneRow(1, 'c.test') });
  for (const name of ['www.c.test', 'deleted.c.test'])
    write({ op: 'insert', table: 'resource', row: zoneRow(2, name) });
  const refreshed = zones.refresh([2]);
  await loading;
  assert.equal(zones.find('a.www.c.test')?.data.name, 'www.c.test');
  end();
  await refreshed;
  assert.equal(zones.find('a.www.c.test')?.data.serial, 8);
  assert.equal(zones.find('a.deleted.c.test')?.data.name, 'c.test');
});

test('a zone with the name of a reverse zone of the region does not change it', () => {
  const { zones, write } = servedZones();
  const name = '18.198.in-addr.arpa';
  const body = JSON.stringify({ name: 'host.test', ip: '198.18.0.1' });
  const record = rowOf({ contract: 1, place: 'dns/reverserecords@de-fra', id: 'r', kind: 'reverserecord', body });
  write({ op: 'insert', table: 'resource', row: zoneRow(2, name) });
  write({ op: 'insert', table: 'resource', row: record });
  assert.equal(zones.find(name)?.contract, 2);
  write({ op: 'remove', table: 'resource', key: zoneRow(2, name) });
  assert.equal(zones.find(name)?.contract, 0);
  assert.equal(zones.find(name)?.data.setsAt(`1.0.${name}`)?.size, 1);
});

const recordRow = (zoneName: string, name: string): Row =>
  rowOf({
    contract: 1,
    place: `dns/zones@de-fra/id of ${zoneName}/records`,
    id: `${name} in ${zoneName}`,
    kind: 'record',
    state: 'AVAILABLE',
    body: JSON.stringify({ name, type: 'A', content: '192.0.2.1', ttl: 60, enabled: true }),
  });

test('[GEN-05] the names below all zones of a contract are counted, and those that a record adds', () => {
  const { zones, write } = servedZones();
  for (const row of [
    zoneRow(1, 'one.test'),
    zoneRow(1, 'two.test'),
    zoneRow(2, 'other.test'),
    recordRow('one.test', 'a.b'),
    recordRow('one.test', 'c.b'),
    recordRow('two.test', ''),
    recordRow('two.test', 'd'),
  ])
    write({ op: 'insert', table: 'resource', row });
  assert.deepEqual([zones.names(1), zones.names(1, 'id of one.test'), zones.names(2)], [4, 1, 0]);
  const added = ['', 'b', 'a.b', 'x.b', 'x.y.z', 'x.a.b'].map((name) => zones.newNames('id of one.test', name));
  assert.deepEqual(added, [0, 0, 0, 1, 3, 1]);
});

for (const op of ['remove', 'update'] as const)
  test(`a secondary zone that is deleted while it is loaded stays away (${op})`, async () => {
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>();
    const { promise: read, resolve: end } = Promise.withResolvers<void>();
    const store = {
      async *each() {
        begin();
        await read;
        yield* [];
      },
    };
    const { zones, write } = servedZones(store);
    const row = { ...zoneRow(1, 'second.test'), kind: 'secondaryzone', place: 'dns/secondaryzones@de-fra' };
    write({ op: 'insert', table: 'resource', row });
    await reading;
    if (op === 'remove') write({ op, table: 'resource', key: row });
    else write({ op, table: 'resource', row: { ...row, state: 'DELETING' } });
    end();
    await new Promise(setImmediate);
    assert.equal(zones.named('second.test'), undefined);
  });

// Answers from zones in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameBytes } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { resolve, type ServedZone } from './resolve.ts';
import { ZoneData, type ZoneRecord } from './zone-data.ts';

const { A, ALIAS, CNAME, SOA } = typeNumbers as Record<'A' | 'ALIAS' | 'CNAME' | 'SOA', number>;

function served(...records: [name: string, type: number, data: Buffer][]): ServedZone {
  const data = new ZoneData('example.com');
  for (const [at, [name, type, bytes]] of records.entries())
    data.put({ id: String(at), name, type, ttl: 60, data: bytes });
  return { data, soa: () => ({ type: SOA, ttl: 60, data: [Buffer.alloc(30)] }) };
}

test('circular aliases have no addresses, and others have', () => {
  const zone = served(
    ['a.example.com', ALIAS, nameBytes('b.example.com')],
    ['b.example.com', ALIAS, nameBytes('a.example.com')],
    ['c.example.com', ALIAS, nameBytes('d.example.com')],
    ['d.example.com', ALIAS, nameBytes('e.example.com')],
    ['e.example.com', A, Buffer.from([192, 0, 2, 1])],
  );
  const answersAt = (name: string): number => resolve(() => zone, `${name}.example.com`, A, false).answers.length;
  assert.deepEqual(['a', 'c', 'e'].map(answersAt), [0, 1, 1]);
});

test('a loop of CNAME records ends at the first name that repeats', () => {
  const zone = served(
    ['a.example.com', CNAME, nameBytes('b.example.com')],
    ['b.example.com', CNAME, nameBytes('c.example.com')],
    ['c.example.com', CNAME, nameBytes('b.example.com')],
  );
  const names = resolve(() => zone, 'a.example.com', A, false).answers.map(({ name }) => name);
  assert.deepEqual(names, ['a.example.com', 'b.example.com', 'c.example.com']);
});

test('filling a zone at once or record by record gives the same zone', async () => {
  const record = (at: number): ZoneRecord => ({
    id: String(at),
    name: at % 3 === 0 ? 'Example.com' : `n${at % 7}.deep.example.com`,
    type: A,
    ttl: 100 - (at % 5),
    data: Buffer.from([192, 0, 2, at % 20]),
  });
  const records = Array.from({ length: 100 }, (_, at) => record(at));
  records.push({ ...record(1), id: 'stranger', name: 'example.org' });
  const [one, other] = [new ZoneData('example.com'), new ZoneData('example.com')];
  for (const each of records) one.put(each);
  await other.fill(records);
  const namesOf = (zone: ZoneData): string[] => [...zone.names()].sort();
  assert.deepEqual(namesOf(other), namesOf(one));
  for (const name of one.names()) assert.deepEqual(other.setsAt(name), one.setsAt(name), name);
  for (const { id } of records.slice(0, 99)) other.remove(id);
  assert.deepEqual(namesOf(other), ['example.com']);
});

test('a set of very many records is filled in time', async () => {
  const zone = new ZoneData('example.com');
  const many = 200_000;
  await zone.fill(
    Array.from({ length: many }, (_, at) => {
      const data = Buffer.alloc(4);
      data.writeUInt32BE(at);
      return { id: String(at), name: 'example.com', type: A, ttl: 60, data };
    }),
  );
  assert.equal(zone.setsAt('example.com')?.get(A)?.data.length, many);
});

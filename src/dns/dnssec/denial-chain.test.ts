// The order of NSEC and NSEC3 records under changes, compared with an order that is built again from the whole zone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../testing/seed.ts';
import { nameBytes } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { ZoneData } from '../server/zone-data.ts';
import { nsec3Hash } from './denial.ts';
import { DenialChain } from './denial-chain.ts';
import { SortedKeys } from './sorted-keys.ts';

const { A, NS } = typeNumbers as { A: number; NS: number };
const salt = Buffer.from('aabb', 'hex');

// Labels from the right, as RFC 4034 compares them.
function compareNames(a: string, b: string): number {
  const [left, right] = [a.split('.').reverse(), b.split('.').reverse()];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = Buffer.compare(Buffer.from(left[at] as string), Buffer.from(right[at] as string));
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function chainOf(zone: ZoneData, isHashed: boolean): { chain: DenialChain; isMember(name: string): boolean } {
  const isMember = (name: string): boolean => {
    const sets = zone.setsAt(name);
    const delegation = zone.delegationAbove(name);
    return (
      sets !== undefined &&
      (delegation === undefined || delegation === name) &&
      (isHashed || sets.size > 0 || name === zone.name)
    );
  };
  const hash = (name: string): string => nsec3Hash(name, salt, 1);
  const many = async (names: readonly string[]): Promise<string[]> => {
    await new Promise(setImmediate);
    return names.map(hash);
  };
  return { chain: new DenialChain({ zone, isMember, ...(isHashed && { hashes: { one: hash, many } }) }), isMember };
}

async function settled(chain: DenialChain): Promise<void> {
  for (let work = chain.settle(); work; work = chain.settle()) await work;
}

for (const isHashed of [false, true])
  test(`the order of ${isHashed ? 'NSEC3' : 'NSEC'} records follows names, types and delegations`, async () => {
    const chance = seeded(7);
    const zone = new ZoneData('example.com');
    const { chain, isMember } = chainOf(zone, isHashed);
    const ids: string[] = [];
    for (let round = 0; round < 60; round++) {
      for (let change = chance.below(round % 5 === 0 ? 200 : 6); change >= 0; change--) {
        const labels = Array.from(
          { length: 1 + chance.below(4) },
          () => `${chance.one(['a', 'b', 'c-', '_d'])}${chance.below(6)}`,
        );
        const isDelegation = chance.often(8);
        const record = { name: `${labels.join('.')}.example.com`, type: isDelegation ? NS : A, ttl: 60 };
        const data = isDelegation ? nameBytes('ns.example.net') : Buffer.from([192, 0, 2, chance.below(3)]);
        if (chance.often(35) && ids.length > 0) zone.remove(ids.splice(chance.below(ids.length), 1)[0] as string);
        else {
          ids.push(`${round} ${change}`);
          zone.put({ id: `${round} ${change}`, ...record, data });
        }
      }
      await settled(chain);
      const names = [...zone.names()].filter(isMember);
      const hashes = new Map(names.map((name) => [name, isHashed ? nsec3Hash(name, salt, 1) : '']));
      names.sort((a, b) =>
        isHashed ? (hashes.get(a) as string).localeCompare(hashes.get(b) as string, 'en') : compareNames(a, b),
      );
      assert.deepEqual([...chain.names()].sort(), [...names].sort());
      for (const [at, name] of names.entries()) {
        const next = names[at + 1] ?? (names[0] as string);
        assert.equal(chain.nameOf(chain.nextKey(name)), next, `${name} in round ${round}`);
        assert.equal(chain.before(name), name);
      }
      if (!isHashed) assert.equal(chain.before('zzz.example.com'), names.at(-1));
    }
  });

test('[GEN-05] 20,000 delegations above 20,000 names change the order in time', async () => {
  const zone = new ZoneData('example.com');
  const { chain } = chainOf(zone, false);
  const put = (id: string, name: string, type: number, data: Buffer): void =>
    zone.put({ id, name, type, ttl: 60, data });
  for (let at = 0; at < 20_000; at++) put(`a${at}`, `n${at}.d${at}.example.com`, A, Buffer.from([192, 0, 2, 1]));
  await settled(chain);
  for (let at = 0; at < 20_000; at++) put(`d${at}`, `d${at}.example.com`, NS, nameBytes('ns.example.net'));
  const { user } = process.cpuUsage();
  await settled(chain);
  const usedMs = (process.cpuUsage().user - user) / 1000;
  assert.ok(usedMs < 2000, `it took ${usedMs} ms of CPU`);
  assert.equal([...chain.names()].length, 20_001);
});

test('[GEN-05] names that appear and disappear while no proof is needed are forgotten', async () => {
  const zone = new ZoneData('example.com');
  const { chain } = chainOf(zone, true);
  const data = Buffer.from([192, 0, 2, 1]);
  zone.put({ id: 'stays', name: 'stays.example.com', type: A, ttl: 60, data });
  await settled(chain);
  zone.remove('stays');
  for (let at = 0; at < 1000; at++) {
    zone.put({ id: 'x', name: `${at}.deep.example.com`, type: A, ttl: 60, data });
    zone.remove('x');
  }
  assert.equal(chain.waiting, 1, 'only the name with a position');
  await settled(chain);
  assert.deepEqual([...chain.names()], ['example.com']);
});

test('keys in blocks are in the same order as sorted ones', () => {
  const chance = seeded(3);
  const keys = new SortedKeys();
  const all = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const key = String(chance.below(5000));
    if (chance.often(3)) {
      keys.remove(key);
      all.delete(key);
    } else {
      keys.add(key);
      all.add(key);
    }
  }
  const sorted = [...all].sort();
  assert.equal(keys.size, sorted.length);
  for (const [at, key] of sorted.entries()) {
    assert.equal(keys.atOrBefore(key), key);
    assert.equal(keys.after(key), sorted[at + 1] ?? sorted[0]);
    assert.equal(keys.atOrBefore(`${key}!`), key);
  }
  assert.equal(keys.atOrBefore(''), sorted.at(-1));
  for (const key of sorted) keys.remove(key);
  assert.equal(keys.after('x'), undefined);
});

// Invariants of the state's rows while no operation is pending. They are read from the store itself, because the API
// would not show a child without its parent or an address without an owner.
import assert from 'node:assert/strict';
import { assertLandscape, assertUsage } from './compute-invariants.ts';
import { assertSame, keyOf, pathOf, type Row, reservationsOf } from './rows.ts';
import { openRows, type Rows, urlOf } from './states.ts';

// Drained: nothing is under way, and no request waits for anybody.
export async function assertWhole(data: string): Promise<void> {
  await using state = await openRows(data);
  const rows = async (table: string): Promise<Row[]> => (await state.ask(`SELECT * FROM ${table}`)) as unknown as Row[];
  assert.deepEqual(await rows('journal'), [], 'an operation is left over');
  const busy = (await rows('request')).filter(({ state }) => state === 'BUSY');
  assert.deepEqual(busy, [], 'a request is BUSY for ever');
  const resources = await rows('resource');
  assertSettled(resources);
  assertParents(resources);
  const claims = await rows('claim');
  assertClaims(resources, claims);
  assertBuckets(await rows('object'), claims);
  assertCounters(resources, (await state.ask('SELECT * FROM counter WHERE value <> 0')) as unknown as Counter[]);
  assertLinks(resources, await rows('link'));
  assertLandscape(resources, claims);
  // The contents of buckets are marked once an hour.
  const marks = `SELECT contract, body FROM usage WHERE place = 'usage' AND body NOT LIKE '{"path":"buckets/%'`;
  assertUsage(resources, await state.ask(`${marks} ORDER BY contract, place, id`).then((all) => all as never));
  for (const table of ['activity', 'usage']) await assertDense(state, table);
  if (urlOf(data) === undefined) assert.equal((await state.ask('PRAGMA integrity_check'))[0]?.integrity_check, 'ok');
}

function assertSettled(resources: Row[]): void {
  const passing = resources.filter(({ state }) => state !== 'AVAILABLE' && state !== '');
  assert.deepEqual(passing, [], 'a row is left in a passing state');
}

// The place of a child has its parent's path in front of the plural.
function assertParents(resources: Row[]): void {
  const known = new Set(resources.map(keyOf));
  const orphans = resources.filter(({ contract, place }) => {
    const above = /^((?:(?:um|autoscaling)\/)?[^/]+\/[^/]+(?:\/[^/]+\/[^/]+)*)\/[^/]+$/.exec(place)?.[1];
    if (contract === 0 || above === undefined || above === 'um') return false;
    return !known.has(`${contract} ${above}`);
  });
  assert.deepEqual(orphans.map(keyOf), [], 'a child has no parent');
}

// Each claim names the row that holds it, and that row holds it. Claims below a resource are deleted with it.
function assertClaims(resources: Row[], claims: Row[]): void {
  const held = resources.flatMap((row) => reservationsOf(row).claims.map((claim) => `${claim} by ${keyOf(row)}`));
  for (const row of resources) {
    const own = reservationsOf(row).claims;
    assert.equal(new Set(own).size, own.length, `${keyOf(row)} holds something twice`);
  }
  const kept = claims.filter(isHeld).map(({ place, id, body }) => {
    const { contract, path } = JSON.parse(body) as { contract: number; path: string };
    return `${place} ${id} by ${contract} ${path}`;
  });
  assertSame(kept, held, 'a claim and the row that holds it do not know each other');
  const known = new Set(resources.map(pathOf));
  const below = claims.filter(({ contract, place }) => contract === 0 && place.includes('/') && !known.has(place));
  assert.deepEqual(below, [], 'a deleted resource still has claims');
}

// The name of each bucket is claimed, and nothing else is.
function assertBuckets(objects: Row[], claims: Row[]): void {
  const buckets = objects.filter(({ place }) => place === 'buckets').map(({ contract, id }) => `${contract} ${id}`);
  const claimed = claims.filter(({ place }) => place === 'bucket');
  const holders = claimed.map(({ id, body }) => `${(JSON.parse(body) as { contract: number }).contract} ${id}`);
  assertSame(holders, buckets, 'a bucket and the claim on its name do not know each other');
}

// E-mails are an account's, the /48 a process's, an engine a node's, names of buckets are held by rows of another
// table, and a contract's own row is a guard.
const isHeld = ({ contract, place }: Row): boolean => contract === 0 && !unheld.has(place);
const unheld = new Set(['email', 'ipv6', 'engine', 'metric-drop', 'bucket']);

interface Counter {
  contract: number;
  name: string;
  value: number;
}

function assertCounters(resources: Row[], counters: Counter[]): void {
  const counted = new Map<string, number>();
  for (const row of resources)
    for (const [name, count] of Object.entries(reservationsOf(row).counts)) {
      const key = `${row.contract} ${name}`;
      if (count !== 0) counted.set(key, (counted.get(key) ?? 0) + count);
    }
  const known = new Set(resources.map(keyOf));
  const inside = counters.filter(({ name }) => name.startsWith('inside ')); // how often something was changed in it
  const ids = new Set(resources.map(({ id }) => id));
  const serials = counters.filter(({ name }) => name.startsWith('dns serial ')); // of a zone
  const revisions = counters.filter(({ name }) => name.startsWith('collection revision ')); // of its documents
  const left = [
    ...inside.filter(({ contract, name }) => !known.has(`${contract} ${name.slice('inside '.length)}`)),
    ...serials.filter(({ name }) => !ids.has(name.slice('dns serial '.length))),
    ...revisions.filter(({ name }) => !ids.has(name.slice('collection revision '.length))),
  ];
  assert.deepEqual(left, [], 'a counter is left over');
  const stored = counters
    .filter((one) => !inside.includes(one) && !serials.includes(one) && !revisions.includes(one))
    .filter(({ name }) => name !== 'dns secondary changes') // counts changes, not resources
    .map(({ contract, name, value }): [string, number] => [`${contract} ${name}`, value]);
  assert.deepEqual(
    Object.fromEntries(stored.toSorted()),
    Object.fromEntries([...counted].toSorted()),
    'a counter is not what exists',
  );
}

// Each link is held by the row where it begins, or listed there too (members), and both ends exist, except for the
// names that only group links: all labels, a shared address.
function assertLinks(resources: Row[], links: Row[]): void {
  const known = new Set(resources.map(keyOf));
  const ways = { '>': new Set<string>(), '<': new Set<string>() };
  for (const { contract, place, id } of links) {
    const [path = '', way = '', role = ''] = place.split(' ');
    const [from, to] = way === '>' ? [path, id] : [id, path];
    ways[way as '>' | '<'].add(`${contract} ${from} > ${role} > ${to}`);
    assert.ok(known.has(`${contract} ${from}`), `a link is left over of ${from}, ${role} of ${to}`);
    if (to !== 'labels' && !to.startsWith('ips/'))
      assert.ok(known.has(`${contract} ${to}`), `a link is left over to ${to}, ${role} of ${from}`);
  }
  const held = resources.flatMap((row) =>
    reservationsOf(row).links.map(([role, to]) => `${keyOf(row)} > ${role} > ${to}`),
  );
  assertSame([...ways['<']], [...held, ...ways['>']], 'a link is not known at both its ends');
  const others = [...ways['>']].filter((link) => !link.includes(' > member > '));
  assert.deepEqual(others, [], 'a link that its row holds is there twice');
}

// Numbers without a gap, and times that never go back.
async function assertDense(state: Rows, table: string): Promise<void> {
  const rows = await state.ask(`SELECT contract, place, id, time FROM ${table} ORDER BY contract, place, id`);
  let before: { contract: number; place: string; id: string; time: number } | undefined;
  for (const row of rows as unknown as (typeof before & object)[]) {
    const isSame = before !== undefined && before.contract === row.contract && before.place === row.place;
    assert.equal(Number(row.id), isSame ? Number(before?.id) + 1 : 1, `${table} has a gap before ${row.id}`);
    if (isSame) assert.ok(row.time >= (before?.time ?? 0), `the time goes back in ${table} at ${row.id}`);
    before = row;
  }
}

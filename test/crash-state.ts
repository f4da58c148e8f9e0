// What must be true of the state's rows whenever nothing is under way: read from the store itself, because the API
// would not show a child without its parent or an address that nobody has.
import assert from 'node:assert/strict';
import { openRows, type Rows, urlOf } from './states.ts';

interface Row {
  contract: number;
  place: string;
  id: string;
  kind: string;
  state: string;
  body: string;
  hidden: string;
}

interface Holds {
  claims: string[];
  counts: Record<string, number>;
  links: [string, string][];
}

export async function assertWhole(data: string): Promise<void> {
  await using state = await openRows(data);
  const rows = async (table: string): Promise<Row[]> => (await state.ask(`SELECT * FROM ${table}`)) as unknown as Row[];
  assert.deepEqual(await rows('journal'), [], 'an operation is left over');
  const busy = (await rows('request')).filter(({ state }) => state === 'BUSY');
  assert.deepEqual(busy, [], 'a request is BUSY for ever');
  const resources = await rows('resource');
  assertSettled(resources);
  assertParents(resources);
  const links = await rows('link');
  const counters = await state.ask('SELECT contract, name, value FROM counter WHERE value <> 0');
  assertHolds(resources, await rows('claim'), links, counters as unknown as Counter[]);
  for (const table of ['activity', 'usage']) await assertDense(state, table);
  if (urlOf(data) === undefined) assert.equal((await state.ask('PRAGMA integrity_check'))[0]?.integrity_check, 'ok');
}

function assertSettled(resources: Row[]): void {
  const passing = resources.filter(({ state }) => state !== 'AVAILABLE' && state !== '');
  assert.deepEqual(passing, [], 'a row is left in a passing state');
}

const pathOf = ({ contract, place, id }: Pick<Row, 'contract' | 'place' | 'id'>): string =>
  `${contract} ${place}/${id}`;

// What stands below something: the place has a parent's path in front of the plural.
function assertParents(resources: Row[]): void {
  const known = new Set(resources.map(pathOf));
  const orphans = resources.filter(({ contract, place }) => {
    const above = /^((?:um\/)?[^/]+\/[^/]+(?:\/[^/]+\/[^/]+)*)\/[^/]+$/.exec(place)?.[1];
    if (contract === 0 || above === undefined || above === 'um') return false;
    return !known.has(`${contract} ${above}`);
  });
  assert.deepEqual(orphans.map(pathOf), [], 'a child has no parent');
}

function assertHolds(resources: Row[], claims: Row[], links: Row[], counters: Counter[]): void {
  const claimed = new Map<string, string>();
  const counted = new Map<string, number>();
  const linked: string[] = [];
  for (const row of resources) {
    const { holds } = JSON.parse(row.hidden || '{}') as { holds?: Holds };
    for (const claim of holds?.claims ?? []) {
      assert.ok(!claimed.has(claim), `${claim} is held twice`);
      claimed.set(claim, pathOf(row));
    }
    for (const [name, count] of Object.entries(holds?.counts ?? {})) {
      const key = `${row.contract} ${name}`;
      counted.set(key, (counted.get(key) ?? 0) + count);
    }
    for (const [role, to] of holds?.links ?? []) linked.push(`${pathOf(row)} > ${role} > ${to}`);
    if (row.kind === 'ipblock') assertBlock(row);
  }
  const networks = ['ip', 'lan6'];
  const addresses = claims.filter(({ place }) => networks.includes(place)).map(({ place, id }) => `${place} ${id}`);
  assert.deepEqual(
    addresses.sort(),
    [...claimed.keys()].sort(),
    'the claimed addresses and networks are not those of the blocks and LANs',
  );
  const stored = counters.map(({ contract, name, value }): [string, number] => [`${contract} ${name}`, value]);
  assert.deepEqual(Object.fromEntries(stored), Object.fromEntries(counted), 'a counter is not what exists');
  assertLinks(resources, links, linked);
}

interface Counter {
  contract: number;
  name: string;
  value: number;
}

function assertBlock({ body, hidden }: Row): void {
  const { ips, size } = JSON.parse(body) as { ips: string[]; size: number };
  assert.equal(new Set(ips).size, size, 'a block has not as many addresses as its size');
  const { holds } = JSON.parse(hidden) as { holds: Holds };
  assert.deepEqual(holds.claims.sort(), ips.map((ip) => `ip ${ip}`).sort());
}

// Each link stands twice, and both ends of a membership exist.
function assertLinks(resources: Row[], links: Row[], held: string[]): void {
  const known = new Set(resources.map(pathOf));
  const ways = { '>': new Set<string>(), '<': new Set<string>() };
  for (const { contract, place, id } of links) {
    const [path = '', way = '', role = ''] = place.split(' ');
    const [from, to] = way === '>' ? [path, id] : [id, path];
    ways[way as '>' | '<'].add(`${contract} ${from} > ${role} > ${to}`);
    assert.ok(known.has(`${contract} ${from}`), `a link is left over of ${from}`);
    if (role === 'member') assert.ok(known.has(`${contract} ${to}`), `a membership is left over of ${to}`);
  }
  assert.deepEqual([...ways['>']].sort(), [...ways['<']].sort(), 'a link stands only once');
  const holding = [...ways['>']].filter((link) => !link.includes(' > member > '));
  assert.deepEqual(holding.sort(), held.sort(), 'the links are not those that rows hold');
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

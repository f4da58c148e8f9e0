// Data folders with very many resources, made through the state engine from what a region itself wrote: one
// datacenter with nine LANs is created by the API, and its rows are multiplied under fresh ids. A filled folder is
// kept in the cache for two weeks (the audit's retention must not reach it) or until the code of its format changes.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isUuid, uuid } from '../../src/base/ids.ts';
import { type Row, type StateEngine, type Table, tables, type Write } from '../../src/core/state/engine.ts';
import { openSqlite } from '../../src/core/state/sqlite/engine.ts';
import { cacheFolder } from './children.ts';
import { create, startRegion } from './region.ts';

export interface Fill {
  resources: number; // datacenters and LANs together, one to nine
  activity?: number; // entries of the audit
}

const lansEach = 9;
const setRows = 500;

// Copies a filled folder to `data`, and returns the file with the paths of its resources, one per line.
export async function fill(what: Fill, data: string): Promise<string> {
  const kept = join(cacheFolder, `state-${formatHash()}`, `${what.resources}-${what.activity ?? 0}`);
  if (!existsSync(kept)) await make(what, kept);
  await rm(data, { recursive: true, force: true });
  await promisify(execFile)('cp', ['--reflink=auto', '-r', join(kept, 'data'), data]);
  return join(kept, 'paths.txt');
}

async function make(what: Fill, kept: string): Promise<void> {
  await removeOld();
  const work = `${kept}.new`;
  const data = join(work, 'data');
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  process.stderr.write(`filling a data folder with ${what.resources} resources, once\n`);
  const sample = await takeSample(data);
  const paths = await withEngine(data, (engine) => multiply(engine, sample, what));
  await writeFile(join(work, 'paths.txt'), `${paths.join('\n')}\n`);
  await rename(work, kept);
}

interface Sample {
  group: Copyable; // the datacenter and everything below or next to it
  counts: Map<string, number>;
  entry: Copyable; // of the audit, with the request it may name
  contract: number;
}

interface Copyable {
  rows: { table: Table; row: Row }[];
  ids: string[]; // what must be fresh in each copy
}

async function takeSample(data: string): Promise<Sample> {
  const first = await startRegion({ data, pace: '0' });
  await first.stop();
  const before = await withEngine(data, (engine) => look(engine, first.contract));
  const region = await startRegion({ data, pace: '0' });
  const body = { properties: { name: 'bench', location: 'de/txl', description: 'one of many' } };
  const datacenter = await create(region, '/cloudapi/v6/datacenters', body);
  const lans = `/cloudapi/v6/datacenters/${datacenter}/lans`;
  for (let n = 1; n <= lansEach; n++) await create(region, lans, { properties: { name: `lan ${n}`, public: false } });
  await region.stop();
  const after = await withEngine(data, (engine) => look(engine, first.contract));
  const fresh = [...after.rows].filter(([key]) => !before.rows.has(key)).map(([, found]) => found);
  const rows = fresh.filter(({ table, row }) => copied.includes(table) && mentions(row, datacenter));
  const counts = new Map<string, number>();
  for (const [name, value] of after.counts) counts.set(name, value - (before.counts.get(name) ?? 0));
  const ids = new Set([datacenter, ...rows.map(({ row }) => row.id)].filter(isUuid));
  return { group: { rows, ids: [...ids] }, counts, entry: sampleEntry(fresh), contract: first.contract };
}

const mentions = (row: Row, text: string): boolean => Object.values(row).some((value) => String(value).includes(text));

// A change's entry, with its request if it names one.
function sampleEntry(fresh: Copyable['rows']): Copyable {
  const requests = fresh.filter(({ table }) => table === 'request');
  for (const entry of fresh.filter(({ table }) => table === 'activity')) {
    const request = requests.find(({ row }) => mentions(entry.row, row.id));
    if (request) return { rows: [request, entry], ids: [request.row.id] };
  }
  throw new Error('the region wrote no activity entry of a request');
}

// Ended requests and the audit are not resources; the journal is empty.
const copied: readonly Table[] = ['resource', 'usage', 'claim', 'link'];
// Their ids are dense numbers from the engine.
const numbered: readonly Table[] = ['activity', 'usage'];

async function look(engine: StateEngine, contract: number) {
  const rows = new Map<string, { table: Table; row: Row }>();
  for (const table of tables) {
    const found = await engine.range(table, { below: '', limit: 100_000 });
    for (const row of found) rows.set(`${table} ${row.contract} ${row.place} ${row.id}`, { table, row });
  }
  return { rows, counts: await engine.counters(contract) };
}

async function multiply(engine: StateEngine, sample: Sample, what: Fill): Promise<string[]> {
  const paths: string[] = [];
  const queue = new Queue(engine);
  const groups = Math.max(0, Math.round(what.resources / (1 + lansEach)) - 1); // the sample itself is one
  note(paths, sample.group.rows);
  for (let n = 0; n < groups; n++) {
    const rows = renewed(sample.group);
    note(paths, rows);
    for (const one of rows) await queue.add(addition(one));
  }
  for (const [name, value] of sample.counts)
    if (value > 0 && groups > 0) await queue.add({ op: 'count', contract: sample.contract, name, add: value * groups });
  for (let n = 0; n < (what.activity ?? 0); n++)
    for (const one of renewed(sample.entry, Date.now())) await queue.add(addition(one));
  await queue.end();
  return paths;
}

const addition = ({ table, row }: Copyable['rows'][number]): Write => ({
  op: numbered.includes(table) ? 'append' : 'insert',
  table,
  row,
});

function renewed({ rows, ids }: Copyable, time?: number): Copyable['rows'] {
  const fresh = ids.map(() => uuid());
  const renew = (text: string): string => ids.reduce((done, id, at) => done.replaceAll(id, fresh[at] ?? ''), text);
  return rows.map(({ table, row }) => ({
    table,
    row: {
      ...row,
      place: renew(row.place),
      id: renew(row.id),
      version: 1,
      time: time ?? row.time,
      meta: renew(row.meta),
      body: renew(row.body),
      hidden: renew(row.hidden),
    },
  }));
}

// LAN numbers are padded in keys and plain in addresses. Other keys below a datacenter are not resources.
function note(paths: string[], rows: Copyable['rows']): void {
  for (const { table, row } of rows)
    if (table === 'resource' && (row.kind === 'datacenter' || row.kind === 'lan'))
      paths.push(`/cloudapi/v6/${row.place}/${row.id.replace(/^0+(?=\d+$)/, '')}`);
}

// Hands over write sets of a few hundred rows, a few at a time.
export class Queue {
  readonly engine: StateEngine;
  private writes: Write[] = [];
  private readonly waiting: Promise<void>[] = [];

  constructor(engine: StateEngine) {
    this.engine = engine;
  }

  async add(write: Write): Promise<void> {
    this.writes.push(write);
    if (this.writes.length >= setRows) this.hand();
    if (this.waiting.length > 8) await this.waiting.shift();
  }

  async end(): Promise<void> {
    this.hand();
    await Promise.all(this.waiting);
  }

  private hand(): void {
    const set = this.writes;
    this.writes = [];
    const applied = this.engine.apply(set).then((outcome) => {
      if (!outcome.ok) throw new Error(`filling: ${outcome.why} at ${JSON.stringify(set[outcome.at])}`);
    });
    applied.catch(() => {}); // seen when it is awaited
    this.waiting.push(applied);
  }
}

export async function withEngine<T>(folder: string, use: (engine: StateEngine) => Promise<T>): Promise<T> {
  const engine = await openSqlite({ folder, now: Date.now });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

function formatHash(): string {
  const hash = createHash('sha256').update(String(Math.floor(Date.now() / (14 * 86_400_000))));
  for (const folder of ['core', 'compute', 'identity']) {
    const source = join(import.meta.dirname, '../../src', folder);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    );
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(source, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function removeOld(): Promise<void> {
  await mkdir(cacheFolder, { recursive: true });
  for (const name of readdirSync(cacheFolder))
    if (name.startsWith('state-') && name !== `state-${formatHash()}`)
      await rm(join(cacheFolder, name), { recursive: true, force: true });
}

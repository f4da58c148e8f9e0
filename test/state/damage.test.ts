// Every kind of file of a region with all products in use: deleted, and with a wrong byte at several places. `state
// check` reports each of them by name. Unreported damage changes no read data.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { checkStopped, Fault } from '../../src/testing/black-box/commands.ts';
import { openWriter } from '../../src/testing/black-box/logging.ts';
import { withChecksum } from '../../src/testing/black-box/state.ts';
import { cumulet } from '../harness/process.ts';
import { startRegion } from '../harness/region.ts';
import { noFile } from '../harness/states.ts';
import { assertPayload } from '../sweep/api.ts';
import { Data } from './region-data.ts';

const home = mkdtempSync(join(tmpdir(), 'cumulet-damage-'));
const folders = { stopped: join(home, 'stopped'), killed: join(home, 'killed') };
after(() => rmSync(home, { recursive: true, force: true }));

before(async () => {
  if (noFile) return;
  const region = await startRegion({ data: join(home, 'data') });
  const data = new Data(region);
  try {
    await data.prepare();
    await data.write('one');
    await data.write('two');
    await region.kill();
    copy(region.data, folders.killed);
    await region.start();
    await region.halt('SIGTERM');
    copy(region.data, folders.stopped);
  } finally {
    data.close();
    await region.stop();
  }
  // A segment of log lines is written after an hour.
  const logs = await openWriter({ folder: join(folders.stopped, 'logs'), sealAfterMs: -1 });
  await logs.tidy();
  await logs.close();
  for (const [name, content] of [
    ['models.json', { models: [{ name: 'one', file: '/weights/one.gguf' }] }],
    ['seed-keys.json', { 'metric-pipelines': { one: 'a key' } }],
  ] as const)
    writeFileSync(join(folders.stopped, name), JSON.stringify(withChecksum(content), null, 2));
});

const copy = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.sock') });

// May be missing: written again at each start, made again from another file, or not needed any more.
const replaceable = /^(lock|lock-journal|pid|ca\.pem|owner\.json|models\.json|seed-keys\.json|.*-shm|.*\.index)$/;
// Hold nothing that is read, or nothing before the next start writes them again.
const empty = /^(lock|lock-journal|pid|ca\.pem|.*-shm)$/;

interface Case {
  path: string; // below the data folder
  what: string;
  damage(file: string): void;
  isUnused?(file: string, whole: string): boolean; // what is read is the same
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)))
    .sort();

const deletion = (path: string): Case => ({ path, what: 'deleted', damage: (file) => rmSync(file) });

function flip(path: string, share: number): Case {
  return {
    path,
    what: `a wrong byte at ${Math.round(share * 100)} %`,
    damage(file) {
      const bytes = readFileSync(file);
      const [from, to] = usedIn(path, bytes);
      const at = from + Math.min(to - from - 1, Math.floor((to - from) * share));
      writeFileSync(file, bytes.with(at, (bytes[at] as number) ^ 0x15));
    },
    isUnused: (file, whole) => readable(file) === readable(whole),
  };
}

// Where a file holds what is read.
function usedIn(path: string, bytes: Buffer): [from: number, to: number] {
  if (path.endsWith('.segment')) return [bytes.lastIndexOf(Buffer.from([0xb1, 0x0b, 0x5e, 0x9d])), bytes.length];
  if (path.startsWith('metrics/ahead')) return [0, bytes.length - 20]; // before the end
  return [0, bytes.length];
}

// All that a file says, where a wrong byte may say nothing else.
function readable(file: string): string {
  if (file.endsWith('.db')) return rowsIn(file);
  if (file.endsWith('region.key')) return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64').toString('hex');
  if (file.endsWith('folder.json')) return typeof JSON.parse(readFileSync(file, 'utf8')).format;
  return readFileSync(file, 'latin1');
}

function rowsIn(file: string): string {
  using db = new DatabaseSync(file, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return JSON.stringify(
    tables.map(({ name }) =>
      db
        .prepare(`SELECT * FROM ${name}`)
        .all()
        .map((row) => Object.values(row).map((one) => (one instanceof Uint8Array ? one.toString() : one))),
    ),
  );
}

async function damageIn(data: string): Promise<string[]> {
  const place = {
    data,
    key: join(data, 'region.key'),
    engines: { metrics: 'embedded', logs: 'embedded' },
    objects: 'embedded',
    isServed: false,
  };
  try {
    const { damage } = await checkStopped({ address: `sqlite:${data}`, label: data, folder: data }, place, []);
    return damage;
  } catch (error) {
    if (error instanceof Fault) return [error.message]; // the command prints it and ends with 1
    throw error;
  }
}

const nameOf = (path: string): string => basename(path).replace(/\.segment$/, '');
let drafts = 0;

// Damages one file of each product in one folder, and returns what is reported of which. A state that can't be opened
// hides what else is damaged.
async function reported(from: string, cases: readonly Case[]): Promise<void> {
  const data = join(home, `draft-${drafts++}`);
  copy(from, data);
  for (const one of cases) one.damage(join(data, one.path));
  const kept = join(home, `damaged-${drafts}`);
  copy(data, kept); // as the check found it
  const damage = await damageIn(data);
  for (const { path, what, isUnused } of cases) {
    const isReported = damage.some((text) => text.includes(nameOf(path)));
    if (isReported || isUnused?.(join(kept, path), join(from, path))) continue;
    assert.fail(`${path}: ${what} is not reported, only: ${damage.join('\n')}`);
  }
  for (const folder of [data, kept]) rmSync(folder, { recursive: true });
}

// One case of each product at a time, and those of the state alone.
function rounds(cases: readonly Case[]): Case[][] {
  const isAlone = ({ path }: Case): boolean => /^(state\.db|folder\.json)/.test(path);
  const products = [
    ...Map.groupBy(
      cases.filter((one) => !isAlone(one)),
      ({ path }) => (path.includes('/') ? path.split('/')[0] : 'the region'),
    ).values(),
  ];
  const longest = Math.max(0, ...products.map(({ length }) => length));
  const together = Array.from({ length: longest }, (_, at) => products.flatMap((list) => list.slice(at, at + 1)));
  return [...cases.filter(isAlone).map((one) => [one]), ...together];
}

test('[GEN-06] a region that is whole is reported as whole, however it was stopped', { skip: noFile }, async () => {
  for (const [how, folder] of Object.entries(folders)) {
    const data = join(home, `whole-${how}`);
    copy(folder, data);
    assert.deepEqual(await damageIn(data), [], how);
    assert.deepEqual(await damageIn(data), [], `${how}, and checked`);
  }
});

test('[GEN-06] every missing file that is in use is reported by its name', { skip: noFile }, async () => {
  for (const folder of Object.values(folders))
    for (const cases of rounds(
      filesIn(folder)
        .filter((path) => !replaceable.test(basename(path)))
        .map(deletion),
    ))
      await reported(folder, cases);
});

test('[GEN-06] a folder that is missing as a whole is reported, but not after a reset', { skip: noFile }, async () => {
  const [cluster = ''] = readdirSync(join(folders.stopped, 'streaming'));
  for (const name of ['metrics', 'logs', `streaming/${cluster}`]) {
    const data = join(home, `without-${basename(name)}`);
    copy(folders.stopped, data);
    rmSync(join(data, name), { recursive: true });
    assert.match((await damageIn(data)).join('\n'), new RegExp(`${name} is missing`));
  }
  const data = join(home, 'reset');
  copy(folders.stopped, data);
  const { code, stderr } = await cumulet(['reset', '--yes', '--data', data]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await damageIn(data), []);
});

test('[GEN-06] damage of a product that no one has used since the start makes /ready fail', {
  skip: noFile,
}, async () => {
  const [cluster = ''] = readdirSync(join(folders.stopped, 'streaming'));
  const damages: Record<string, (path: string) => void> = {
    metrics: (path) => rmSync(path, { recursive: true }),
    'metrics/metrics.db': (path) => rmSync(path),
    'logs/manifest.json': (path) => rmSync(path),
    [`streaming/${cluster}/broker.log`]: (path) => rmSync(path),
    'models.json': (path) => writeFileSync(path, '{"models":[],"checksum":"00000000"}'),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const data = join(home, `unused-${name.replaceAll('/', '-')}`);
    copy(folders.stopped, data);
    damage(join(data, name));
    await using region = await startRegion({ data });
    const answer = await region.call('GET', '/ready', undefined, { token: null });
    assertPayload(answer, 503, name);
    assert.match(
      JSON.stringify(answer.body),
      new RegExp(`${name} (is missing|is damaged|can not be read).*state check`),
    );
  }
});

test('[GEN-06] files that are made again may be missing', { skip: noFile }, async () => {
  for (const folder of Object.values(folders)) {
    const data = join(home, `without-${basename(folder)}`);
    copy(folder, data);
    for (const path of filesIn(folder).filter((one) => replaceable.test(basename(one)))) rmSync(join(data, path));
    assert.deepEqual(await damageIn(data), []);
  }
});

test('[GEN-06] a wrong byte in any file is reported, unless nothing is read from it', { skip: noFile }, async () => {
  const shares = { small: [0, 0.3, 0.55, 0.8, 1], database: [0, 0.01, 0.13, 0.29, 0.44, 0.58, 0.71, 0.83, 0.94, 1] };
  for (const folder of Object.values(folders)) {
    const files = filesIn(folder).filter(
      (path) => !empty.test(basename(path)) && statSync(join(folder, path)).size > 0,
    );
    const cases = files.flatMap((path) =>
      shares[/\.db$/.test(path) ? 'database' : 'small'].map((at) => flip(path, at)),
    );
    for (const some of rounds(cases)) await reported(folder, some);
  }
});

test('[GEN-06] damage of a save point is reported by the name of its file', { skip: noFile }, async () => {
  const data = join(home, 'saved');
  copy(folders.stopped, data);
  const { code, stderr } = await cumulet(['savepoint', 'create', 'kept', '--data', data]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await damageIn(data), []);
  for (const path of ['state.db', 'metrics/metrics.db', 'logs/manifest.json']) {
    const draft = join(home, `draft-${drafts++}`);
    copy(data, draft);
    rmSync(join(draft, 'savepoints/kept/data', path));
    assert.match((await damageIn(draft)).join(), new RegExp(`savepoints/kept/data/${path}`));
  }
  rmSync(join(data, 'savepoints/kept/savepoint.json'));
  assert.match((await damageIn(data)).join(), /savepoints\/kept: its description is missing/);
});

test('[GEN-06] the command ends with 1, of a stopped and of a running region', { skip: noFile }, async () => {
  const data = join(home, 'command');
  copy(folders.stopped, data);
  await using region = await startRegion({ data });
  assert.equal((await cumulet(['state', 'check', '--data', data])).code, 0);
  for (const path of ['logs/manifest.json', 'metrics/metrics.db'])
    assert.ok(existsSync(join(data, path)), `${path} is there`);
  const [key, authority] = [join(data, 'region.key'), join(data, 'ca.pem')];
  const certificate = readFileSync(authority);
  flip('ca.pem', 0.5).damage(authority);
  assert.match((await cumulet(['state', 'check', '--data', data])).stdout, /ca\.pem is damaged: the next start writes/);
  writeFileSync(authority, certificate);
  flip('region.key', 0.5).damage(key);
  const running = await cumulet(['state', 'check', '--data', data]);
  assert.match(running.stdout, /region\.key is not the key of this state: put the right one in place/);
  assert.equal(running.code, 1);
  await region.halt('SIGTERM');
  const stopped = await cumulet(['state', 'check', '--data', data]);
  assert.match(stopped.stdout, /region\.key is not the key of this state/);
  assert.equal(stopped.code, 1);
});

// Backups and exports from someone else: whoever wrote the file chose every byte of it, and its checksum is right.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region } from '../harness/region.ts';
import { assertYields, type MeteredRegion, startMetered } from '../harness/turns.ts';
import { expect } from '../sweep/api.ts';
import { savePoint } from './region-data.ts';

const skip = process.env.CUMULET_STATE === undefined ? false : 'save points are for a state in the data folder';
const root = mkdtempSync(join(tmpdir(), 'cumulet-hostile-'));
const phrase = join(root, 'phrase');
const withPhrase = ['--passphrase-file', phrase];
const megabyte = 1024 * 1024;

suite('hostile archives', { skip }, () => {
  let metered: MeteredRegion;
  let region: Region;
  let exported: string[]; // the lines of a good export, without its end
  let backup: string[];
  const file = join(root, 'hostile.savepoint');

  before(async () => {
    writeFileSync(phrase, 'correct horse battery\n');
    metered = await startMetered();
    region = metered.region;
    await createDone(region, `${core}/datacenters`, { properties: { name: 'kept', location: 'de/txl' } });
    await savePoint(region, 'create', 'one');
    await savePoint(region, 'export', 'one', join(root, 'good'), ...withPhrase);
    const good = await cumulet(['state', 'backup', join(root, 'backup'), '--data', region.data]);
    assert.equal(good.code, 0, good.stderr);
    exported = linesOf(join(root, 'good'));
    backup = linesOf(join(root, 'backup'));
    await savePoint(region, 'import', join(root, 'good'), 'warm', ...withPhrase);
    await savePoint(region, 'remove', 'warm');
  });

  after(async () => {
    await region.stop();
    rmSync(root, { recursive: true, force: true });
  });

  // The region goes on, has the save points that it had, and nothing has appeared next to its files.
  const refused = async (what: string, pattern: RegExp, ...args: string[]): Promise<void> => {
    const before = treeOf(region.data);
    const { code, stderr } = await cumulet([...args, '--data', region.data]);
    assert.equal(code, 2, `${what}: ${stderr}`);
    assert.match(stderr, pattern, what);
    assert.ok(stderr.length < 4000, `${what}: ${stderr.length} characters`);
    assert.ok(!stderr.includes('\u001b'), what);
    assert.deepEqual(treeOf(region.data), before, what);
    const { body } = await expect(region.call('GET', `${core}/datacenters?depth=1`), 200);
    assert.equal(body.items[0]?.properties.name, 'kept');
  };
  const importing = (what: string, pattern: RegExp) =>
    refused(what, pattern, 'savepoint', 'import', file, 'two', ...withPhrase);
  const restoring = (what: string, pattern: RegExp) => refused(what, pattern, 'state', 'restore', '--yes', file);

  test('names of files that lead out of the folder, or to files that a region does not have', async () => {
    const names = [
      '../x',
      '../../x',
      '/etc/cumulet-x',
      'objects/../../x',
      'objects/..',
      'objects/./x',
      'objects//x',
      'objects/',
      '.x',
      'objects/.x',
      'objects\\..\\..\\x',
      'objects/x\0',
      'objects/x\n',
      'objects/\u2025/x',
      'C:x',
      '~/x',
      '',
      `objects/${'a'.repeat(300)}/${'b'.repeat(300)}`,
    ];
    for (const name of names) {
      forge(file, [...exported, piece(name, 'x')]);
      await importing(JSON.stringify(name).slice(0, 60), /a piece of an attached file is none/);
      if (!name.startsWith('.') && !name.startsWith('/')) continue; // the rest of the pattern is the same
      forge(file, [...backup, piece(name, 'x')]);
      await restoring(JSON.stringify(name).slice(0, 60), /a piece of an attached file is none/);
    }
    for (const name of [
      'region.key',
      'owner.json',
      'state.db',
      'savepoints/x',
      'metrics',
      'models.json/x',
      'objects',
    ]) {
      forge(file, [...exported, piece(name, 'x')]);
      await importing(name, /holds a file .*, which this version does not know/);
    }
    for (const name of ['region.key', 'owner.json', 'state.db', 'logs-x', 'objects']) {
      forge(file, [...backup, piece(name, 'x')]);
      await restoring(name, /holds a file .*, which this version does not know/);
    }
  });

  test('files that are there twice, and files where folders are', async () => {
    const [one, other] = [piece('objects/segments/x', 'x'), piece('objects/segments/y', 'y')];
    forge(file, [...exported, one, other, one]);
    await importing('twice', /it holds objects\/segments\/x twice/);
    forge(file, [...exported, one, piece('objects/segments/x/z', 'z')]);
    await importing('a folder below a file', /can't be read|twice/);
    forge(file, [...backup, piece('metrics.db', 'x'), piece('00000001.log', 'x'), piece('metrics.db', 'x')]);
    await restoring('twice', /twice|does not know/);
  });

  test('texts of the header that are no version and no time, which lists and messages would show', async () => {
    const escapes = '\u001b]0;owned\u0007\u001b[2J';
    for (const [name, text] of [
      ['program', `9.9.9${escapes}`],
      ['program', escapes],
      ['time', escapes],
      ['time', 'x'.repeat(60_000)],
      ['regionTime', escapes],
    ] as const)
      for (const newest of [false, true]) {
        forge(file, changedHeader(exported, name, text, newest));
        await importing(
          `${name} ${JSON.stringify(text).slice(0, 30)}`,
          /is damaged|no backup of Cumulet|newer version of Cumulet, 0/,
        );
        if (name === 'regionTime') continue;
        forge(file, changedHeader(backup, name, text, newest));
        await restoring(name, /is damaged|no backup of Cumulet/);
      }
    for (const name of ['../x', '..', '.x', '/etc/x', 'a/b', 'a\0', escapes, 'x'.repeat(65), '']) {
      forge(file, changedHeader(exported, 'name', name));
      await refused(name, /name of a save point/, 'savepoint', 'import', file, ...withPhrase);
    }
  });

  test('a passphrase that would take gigabytes to check is not tried', async () => {
    const header = JSON.parse(exported[0] ?? '') as { lock: Record<string, unknown> };
    for (const change of [
      { cost: 2 ** 19 },
      { cost: 2 ** 30 },
      { cost: 0 },
      { cost: -2 },
      { cost: 3 },
      { cost: 1e300 },
      { cost: '131072' },
      { salt: 'a'.repeat(50_000) },
      { check: 'a'.repeat(50_000) },
      { salt: null },
    ]) {
      const lock = { ...header.lock, ...change };
      forge(file, [JSON.stringify({ ...header, lock }), ...exported.slice(1)]);
      await importing(JSON.stringify(change).slice(0, 40), /what its passphrase is checked by can not be read/);
    }
  });

  test('bombs: a small file that is gigabytes of one line, of lists or of rows', async () => {
    const bombs: [string, () => Buffer, RegExp][] = [
      ['1 GB of zeros', () => repeated('', '0', 1024, ''), /no backup of Cumulet/],
      ['a header of 1 GB', () => repeated('{"kind":"', 'x', 1024, ''), /no backup of Cumulet/],
      ['a page of 1 GB', () => repeated(`${exported[0]}\n["resource",[["`, 'x', 1024, ''), /a line has more than/],
      ['30 MB of open lists', () => repeated(`${exported[0]}\n`, '[', 30, '\n'), /one of its lines can not be read/],
      ['30 MB of lists', () => repeated(`${exported[0]}\n[0`, ',[]', 10, ']\n'), /one of its lines can not be read/],
    ];
    for (const [what, make, pattern] of bombs) {
      const bytes = make();
      assert.ok(bytes.length < 3 * megabyte, `${what}: ${bytes.length} bytes`);
      writeFileSync(file, bytes);
      await assertYields(metered, what, () => importing(what, pattern));
    }
    assert.ok(peakMegabytes(region) < 700, `the region took ${peakMegabytes(region)} MB`);
  });

  test('thousands of small files let other calls have their turn', async () => {
    const files = Array.from({ length: 3000 }, (_, at) => piece(`objects/segments/f${at}`, ''));
    forge(file, [...exported, ...files, piece('elsewhere/x', '')]);
    await assertYields(metered, 'many files', () => importing('many files', /does not know/));
  });

  test('names of save points by HTTP and by command', async () => {
    const bad = ['..', '../one', '%2e%2e', '.new', 'one/../../x', 'a\0b', 'one\n', '', 'x'.repeat(65), '~', 'a b'];
    const before = treeOf(region.data);
    for (const name of bad) {
      const post = await region.call('POST', '/lab/savepoints', { name });
      assert.ok([400, 422].includes(post.status), `${JSON.stringify(name)}: ${post.status}`);
      const path = `/lab/savepoints/${encodeURIComponent(name).replaceAll('.', '%2e')}`;
      for (const [method, url] of [
        ['DELETE', path],
        ['POST', `${path}/restore`],
      ] as const) {
        const { status } = await region.call(method, url);
        assert.ok([400, 404, 405, 422].includes(status), `${method} ${url}: ${status}`);
      }
      if (name.includes('\0')) continue; // no command can be given it
      for (const verb of ['create', 'restore', 'remove']) {
        const { code } = await cumulet(['savepoint', verb, '--data', region.data, '--', name]);
        assert.equal(code, 2, `${verb} ${JSON.stringify(name)}`);
      }
    }
    assert.deepEqual(treeOf(region.data), before);
  });
});

const linesOf = (file: string): string[] => gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -2);
const piece = (name: string, text: string): string =>
  JSON.stringify({ file: name, bytes: Buffer.from(text).toString('base64') });

// With the end that belongs to the lines.
function forge(file: string, lines: readonly string[]): void {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  const rows: Record<string, number> = {};
  for (const table of tables) rows[table] = 0;
  for (const line of lines) {
    const value = JSON.parse(line) as unknown;
    if (Array.isArray(value)) rows[String(value[0])] = (rows[String(value[0])] ?? 0) + (value[1] as unknown[]).length;
  }
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`));
}

const tables = [
  'resource',
  'request',
  'journal',
  'activity',
  'usage',
  'claim',
  'link',
  'object',
  'counter',
  'sequence',
];

function changedHeader(lines: readonly string[], name: string, text: string, newest = false): string[] {
  const header = JSON.parse(lines[0] ?? '') as Record<string, unknown> & { savePoint?: object };
  const next =
    name === 'regionTime' || name === 'name'
      ? { ...header, savePoint: { ...header.savePoint, [name]: text } }
      : { ...header, [name]: text };
  return [JSON.stringify({ ...next, ...(newest && { format: 99 }) }), ...lines.slice(1)];
}

// Compressed piece by piece: the parts of a gzip file are read as one.
function repeated(before: string, letter: string, megabytes: number, behind: string): Buffer {
  const part = gzipSync(letter.repeat(megabyte), { level: 9 });
  return Buffer.concat([gzipSync(before), ...Array<Buffer>(megabytes).fill(part), gzipSync(behind)]);
}

// All files of the region's folder that an archive could touch, with their sizes.
function treeOf(data: string): string[] {
  const others = new Set(['region.log', 'state.db', 'state.db-wal', 'state.db-shm']);
  return readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((name) => !others.has(name) && !/^(logs|metrics|streaming)\//.test(name))
    .map((name) => `${name} ${statSync(join(data, name)).isDirectory() ? '' : statSync(join(data, name)).size}`)
    .sort();
}

function peakMegabytes({ pid }: Region): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

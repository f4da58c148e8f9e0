// Untrusted backups and exports: an attacker chose every byte of the file, and its checksum is right.
import assert from 'node:assert/strict';
import { createCipheriv, createHash, scryptSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
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
const passphrase = 'correct horse battery';
const phrase = join(root, 'phrase');
const withPhrase = ['--passphrase-file', phrase];
const megabyte = 1024 * 1024;

suite('hostile archives', { skip }, () => {
  let metered: MeteredRegion;
  let region: Region;
  let exported: string[]; // the lines of a good export, without its end
  let quick: string[]; // one without rows, whose passphrase is checked in no time
  let backup: string[];
  const file = join(root, 'hostile.savepoint');
  const importing: Invocation = {
    command: ['savepoint', 'import', file, 'two', ...withPhrase],
    operation: 'savepoint/import',
    body: { file, name: 'two', passphrase },
  };
  const restoring: Invocation = {
    command: ['state', 'restore', '--yes', file],
    operation: 'state/restore',
    body: { file },
  };

  before(async () => {
    writeFileSync(phrase, `${passphrase}\n`);
    metered = await startMetered();
    region = metered.region;
    await createDone(region, `${core}/datacenters`, { properties: { name: 'kept', location: 'de/txl' } });
    await savePoint(region, 'create', 'one');
    await savePoint(region, 'export', 'one', join(root, 'good'), ...withPhrase);
    const good = await cumulet(['state', 'backup', join(root, 'backup'), '--data', region.data]);
    assert.equal(good.code, 0, good.stderr);
    exported = linesOf(join(root, 'good'));
    quick = [quicklyLocked(exported[0] ?? '')];
    backup = linesOf(join(root, 'backup'));
    await savePoint(region, 'import', join(root, 'good'), 'warm', ...withPhrase);
    await savePoint(region, 'remove', 'warm');
  });

  after(async () => {
    await region.stop();
    rmSync(root, { recursive: true, force: true });
  });

  // Of the running region, and by the command that asks it. The region continues, has the save points that it had, and
  // nothing has appeared next to its files.
  const refused = async (what: string, pattern: RegExp, invocation: Invocation, byCommand = false): Promise<void> => {
    const before = treeOf(region.data);
    const message = byCommand ? await refusedCommand(what, invocation) : await refusedCall(what, invocation);
    assert.match(message, pattern, what);
    assert.ok(message.length < 4000, `${what}: ${message.length} characters`);
    assert.ok(!message.includes('\u001b'), what);
    assert.deepEqual(treeOf(region.data), before, what);
    const { body } = await expect(region.call('GET', `${core}/datacenters?depth=1`), 200);
    assert.equal(body.items[0]?.properties.name, 'kept');
  };
  const refusedCommand = async (what: string, { command }: Invocation): Promise<string> => {
    const { code, stderr } = await cumulet([...command, '--data', region.data]);
    assert.equal(code, 2, `${what}: ${stderr}`);
    return stderr;
  };
  const refusedCall = async (what: string, { operation, body }: Invocation): Promise<string> => {
    const { status, messages } = await admin(region, operation, body);
    assert.equal(status, 400, `${what}: ${messages}`);
    return messages.join('\n');
  };

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
    for (const [at, name] of names.entries()) {
      const what = JSON.stringify(name).slice(0, 60);
      forge(file, [...(at === 0 ? exported : quick), piece(name, 'x')]);
      await refused(what, /a piece of an attached file is not valid/, importing, at === 0);
      if (!name.startsWith('.') && !name.startsWith('/')) continue; // the rest of the pattern is the same
      forge(file, [...backup, piece(name, 'x')]);
      await refused(what, /a piece of an attached file is not valid/, restoring, at === 0);
    }
    const unknown = /contains a file .*, which this version does not know/;
    const others = ['region.key', 'owner.json', 'state.db', 'savepoints/x', 'metrics', 'models.json/x', 'objects'];
    for (const [at, name] of others.entries()) {
      forge(file, [...quick, piece(name, 'x')]);
      await refused(name, unknown, importing, at === 0);
    }
    for (const [at, name] of ['region.key', 'owner.json', 'state.db', 'logs-x', 'objects'].entries()) {
      forge(file, [...backup, piece(name, 'x')]);
      await refused(name, unknown, restoring, at === 0);
    }
  });

  test('files that are there twice, and files where folders are', async () => {
    const [one, other] = [piece('objects/segments/x', 'x'), piece('objects/segments/y', 'y')];
    forge(file, [...quick, one, other, one]);
    await refused('twice', /it contains objects\/segments\/x twice/, importing);
    forge(file, [...quick, one, piece('objects/segments/x/z', 'z')]);
    await refused('a folder below a file', /can't be read|twice/, importing);
    forge(file, [...backup, piece('metrics.db', 'x'), piece('00000001.log', 'x'), piece('metrics.db', 'x')]);
    await refused('twice', /twice|does not know/, restoring);
  });

  test("header texts that aren't a version or a time, which lists and messages would show", async () => {
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
        const what = `${name} ${JSON.stringify(text).slice(0, 30)}`;
        const byCommand = text === escapes && !newest; // which would write them to a terminal
        await refused(what, /is damaged|neither a backup of Cumulet|newer version of Cumulet, 0/, importing, byCommand);
        if (name === 'regionTime') continue;
        forge(file, changedHeader(backup, name, text, newest));
        await refused(name, /is damaged|neither a backup of Cumulet/, restoring, byCommand);
      }
    const unnamed: Invocation = {
      command: ['savepoint', 'import', file, ...withPhrase],
      operation: 'savepoint/import',
      body: { file, passphrase },
    };
    for (const name of ['../x', '..', '.x', '/etc/x', 'a/b', 'a\0', escapes, 'x'.repeat(65), '']) {
      forge(file, changedHeader(exported, 'name', name));
      await refused(name, /name of a save point/, unnamed, name === escapes);
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
      const what = JSON.stringify(change).slice(0, 40);
      await refused(what, /the check of its passphrase can not be read/, importing);
    }
  });

  test('bombs: a small file that is gigabytes of one line, of lists or of rows', async () => {
    const bombs: [string, () => Buffer, RegExp][] = [
      ['1 GB of zeros', () => repeated('', '0', 1024, ''), /neither a backup of Cumulet/],
      ['a header of 1 GB', () => repeated('{"kind":"', 'x', 1024, ''), /neither a backup of Cumulet/],
      ['a page of 1 GB', () => repeated(`${quick[0]}\n["resource",[["`, 'x', 1024, ''), /a line has more than/],
      ['30 MB of open lists', () => repeated(`${quick[0]}\n`, '[', 30, '\n'), /one of its lines can not be read/],
      ['30 MB of lists', () => repeated(`${quick[0]}\n[0`, ',[]', 10, ']\n'), /one of its lines can not be read/],
    ];
    for (const [what, make, pattern] of bombs) {
      const bytes = make();
      assert.ok(bytes.length < 3 * megabyte, `${what}: ${bytes.length} bytes`);
      writeFileSync(file, bytes);
      await assertYields(metered, what, () => refused(what, pattern, importing));
      await refused(what, pattern, importing, true);
    }
    assert.ok(peakMegabytes(region) < 700, `the region took ${peakMegabytes(region)} MB`);
  });

  test('thousands of small files let other calls have their turn', async () => {
    const files = Array.from({ length: 3000 }, (_, at) => piece(`objects/segments/f${at}`, ''));
    forge(file, [...quick, ...files, piece('elsewhere/x', '')]);
    await assertYields(metered, 'many files', () => refused('many files', /does not know/, importing));
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
      for (const verb of ['create', 'restore', 'remove']) {
        const { status } = await admin(region, `savepoint/${verb}`, { name, infrastructure: false });
        assert.equal(status, 400, `${verb} ${JSON.stringify(name)}`);
        if (name !== '../one') continue;
        const { code } = await cumulet(['savepoint', verb, '--data', region.data, '--', name]);
        assert.equal(code, 2, `${verb} ${JSON.stringify(name)}`);
      }
    }
    assert.deepEqual(treeOf(region.data), before);
  });
});

// A command, and what it asks a running region for on its admin socket.
interface Invocation {
  command: string[];
  operation: string;
  body: object;
}

async function admin(
  { data }: Region,
  operation: string,
  body: object,
): Promise<{ status: number; messages: string[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request({ socketPath: join(data, 'admin.sock'), method: 'POST', path: `/${operation}`, agent: false }, resolve)
    .on('error', reject)
    .end(JSON.stringify(body));
  const answer = await promise;
  const { messages = [] } = (await json(answer)) as { messages?: string[] };
  return { status: answer.statusCode ?? 0, messages };
}

// The same header with a lock that takes the least work to open. Rows would have to be sealed again.
function quicklyLocked(header: string): string {
  const [salt, cost, nonce] = ['0'.repeat(32), 2, Buffer.alloc(12)];
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, { N: cost, r: 8 }), nonce);
  const sealed = Buffer.concat([cipher.update('cumulet portable backup'), cipher.final()]);
  const check = Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  return JSON.stringify({ ...(JSON.parse(header) as object), lock: { salt, cost, check } });
}

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

// Dumps as files, and the comparing of dumps.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Fault } from '../../../base/fault.ts';
import { pagesOf } from '../contract/dumps.ts';
import type { DumpPage, DumpRow } from '../engine.ts';
import { firstDifference } from './dump.ts';
import { writeDump } from './dump-file.ts';
import { checkDump, readDump } from './dump-reader.ts';

const row = (contract: number, id: string, body = ''): DumpRow => [contract, 'p', id, '', '', 1, 1, '', '', body, ''];
const header = { program: '1.2.3', time: '2026-01-01T00:00:00.000Z' };
const pages: DumpPage[] = [
  { table: 'resource', rows: [row(1, 'a', 'für 東京 😀\n\u2028'), row(1, 'b', 'x'.repeat(100_000))] },
  { table: 'resource', rows: [row(2, 'a')] },
  { table: 'link', rows: [row(1, 'a')] },
  { table: 'counter', rows: [[1, 'cores', 5]] },
  { table: 'sequence', rows: [['activity', 1, 'log', 7, 1000]] },
];

async function fileFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dump-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'file');
}

async function written(t: TestContext): Promise<string> {
  const file = await fileFor(t);
  await writeDump(file, { pages: pagesOf(pages), header }, false);
  return file;
}

const linesOf = (file: string): string[] => gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -1);
const write = (file: string, lines: string[]): void =>
  writeFileSync(file, gzipSync(lines.map((line) => `${line}\n`).join('')));
const isFault = (kind: string, message: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === kind && message.test(error.message);

describe('a dump as a file', () => {
  it('is read as it was written, readable by its owner alone', async (t) => {
    const file = await written(t);
    const found: DumpPage[] = [];
    const checked = await checkDump(file, (page) => found.push(page));
    assert.deepEqual(found, pages);
    const { rows, ...rest } = checked;
    assert.deepEqual(rest, { ...header, attachedBytes: 0 });
    assert.deepEqual([rows.resource, rows.request, rows.link, rows.counter, rows.sequence], [3, 0, 1, 1, 1]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(file, '..')), ['file']);
  });

  it('that is there already is overwritten only when requested', async (t) => {
    const file = await written(t);
    const before = readFileSync(file);
    await assert.rejects(
      writeDump(file, { pages: pagesOf([]), header }, false),
      isFault('conflict', /is there already/),
    );
    assert.deepEqual(readFileSync(file), before);
    await writeDump(file, { pages: pagesOf([]), header }, true);
    assert.equal((await checkDump(file)).rows.resource, 0);
  });

  it('never replaces anything but a regular file', async (t) => {
    const file = await fileFor(t);
    const [folder, pipe, link, looped] = ['folder', 'pipe', 'link', 'looped'].map((name) => `${file}-${name}`);
    mkdirSync(String(folder));
    execFileSync('mkfifo', [String(pipe)]);
    symlinkSync('nowhere', String(link));
    symlinkSync(String(looped), String(looped));
    const cases = [
      [folder, /-folder is a folder, not a file: name another file\.$/],
      [pipe, /-pipe is not a regular file: name another file\.$/],
      ['/dev/null', /is not a regular file/],
      [link, /-link is a link that leads to nothing: name another file\.$/],
      [looped, /-looped is a link that leads to nothing/],
    ] as const;
    for (const [name, message] of cases)
      for (const overwrite of [false, true])
        await assert.rejects(
          writeDump(String(name), { pages: pagesOf(pages), header }, overwrite),
          isFault('refused', message),
          `${name} ${overwrite}`,
        );
    assert.ok(statSync(String(pipe)).isFIFO());
    assert.equal(readlinkSync(String(link)), 'nowhere');
    assert.equal(readdirSync(join(file, '..')).length, 4);
    for (const [name, message] of [
      [folder, /-folder is a folder, not a file: name a backup\.$/],
      [pipe, /-pipe is not a regular file/],
      [link, /^There is no file .*-link\.$/],
    ] as const)
      await assert.rejects(checkDump(String(name)), (error: Error) => message.test(error.message), String(name));
  });

  it('by the name of a link is written to where that leads, and the link stays', async (t) => {
    const file = await fileFor(t);
    mkdirSync(`${file}-elsewhere`);
    const target = join(`${file}-elsewhere`, 'old');
    writeFileSync(target, 'before');
    symlinkSync('file-elsewhere/old', file);
    await assert.rejects(
      writeDump(file, { pages: pagesOf(pages), header }, false),
      isFault('conflict', /is there already/),
    );
    await writeDump(file, { pages: pagesOf(pages), header }, true);
    assert.ok(lstatSync(file).isSymbolicLink());
    assert.ok(lstatSync(target).isFile());
    assert.equal((await checkDump(target)).rows.resource, 3);
    assert.deepEqual(readdirSync(`${file}-elsewhere`), ['old']);
  });

  it('is not written if its pages end with an error, and the previous file stays', async (t) => {
    const file = await written(t);
    const before = readFileSync(file);
    const broken = async function* (): AsyncGenerator<DumpPage> {
      yield* pages;
      throw new Fault('unavailable', 'the store is gone');
    };
    await assert.rejects(writeDump(file, { pages: broken(), header }, true), /the store is gone/);
    assert.deepEqual(readFileSync(file), before);
    const other = `${file}2`;
    await assert.rejects(writeDump(other, { pages: broken(), header }, false), /the store is gone/);
    assert.ok(!existsSync(other) && !existsSync(`${other}.part`));
    writeFileSync(`${other}.part`, 'left by one that was killed');
    await writeDump(other, { pages: pagesOf(pages), header }, false);
    assert.ok(!existsSync(`${other}.part`));
    const nowhere = join(file, 'x', 'y');
    await assert.rejects(
      writeDump(nowhere, { pages: pagesOf(pages), header }, false),
      isFault('unavailable', /can't be written/),
    );
  });

  it('that is cut off anywhere is refused', async (t) => {
    const file = await written(t);
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length += Math.max(1, Math.floor(whole.length / 60))) {
      writeFileSync(file, whole.subarray(0, length));
      await assert.rejects(checkDump(file), isFault('refused', /damaged|neither a backup of Cumulet/), `at ${length}`);
    }
    writeFileSync(file, whole.subarray(0, -1));
    await assert.rejects(checkDump(file), isFault('refused', /its end is missing/));
    writeFileSync(file, whole);
    const lines = linesOf(file);
    for (let kept = 1; kept < lines.length; kept++) {
      write(file, lines.slice(0, kept));
      await assert.rejects(checkDump(file), isFault('refused', /its end is missing/), `${kept} lines`);
    }
  });

  it('that was altered is refused, wherever it was', async (t) => {
    const file = await written(t);
    const lines = linesOf(file);
    const altered = (change: (lines: string[]) => void, message: RegExp) => async () => {
      const copy = [...lines];
      change(copy);
      write(file, copy);
      await assert.rejects(checkDump(file), isFault('refused', message), copy.join('\n').slice(0, 200));
    };
    const replace = (at: number, from: string, to: string) => (copy: string[]) => {
      assert.ok(copy[at]?.includes(from));
      copy[at] = (copy[at] ?? '').replace(from, to);
    };
    await altered(replace(1, '東京', '東東'), /it was altered/)();
    await altered(replace(0, '1.2.3', '1.2.4'), /it was altered/)();
    await altered(replace(lines.length - 1, '"resource":3', '"resource":4'), /rows of resource are missing/)();
    await altered((copy) => copy.splice(2, 1), /it was altered/)();
    await altered((copy) => copy.push('[]'), /something follows/)();
    await altered((copy) => copy.reverse(), /neither a backup/)();
    await altered(replace(4, '5', '"5"'), /a row of counter is not valid/)();
    await altered(replace(4, '5', '5.5'), /a row of counter is not valid/)();
    await altered(replace(3, 'link', 'lynk'), /a page of it is not valid/)();
    await altered((copy) => copy.splice(1, 3, lines[3] ?? '', lines[1] ?? ''), /in disorder/)();
    const bytes = readFileSync(await written(t));
    for (let at = 20; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 40))) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      writeFileSync(file, flipped);
      const found: DumpPage[] = [];
      const error = await checkDump(file, (page) => found.push(page)).catch((one: unknown) => one);
      // Some bits of a compressed file say nothing, or the same in another way.
      if (error instanceof Error)
        assert.ok(isFault('refused', /damaged|neither a backup/)(error), `byte ${at}: ${error}`);
      else assert.deepEqual(found, pages, `byte ${at}`);
    }
  });

  it('of another program, or of a newer version, is refused before a page of it is seen', async (t) => {
    const file = await written(t);
    const lines = linesOf(file);
    const refused = async (message: RegExp): Promise<void> => {
      let seen = 0;
      await assert.rejects(
        checkDump(file, () => {
          seen += 1;
        }),
        isFault('refused', message),
      );
      assert.equal(seen, 0);
    };
    for (const text of ['', 'plain text', 'SQLite format 3\0']) {
      writeFileSync(file, text);
      await refused(/neither a backup of Cumulet/);
    }
    for (const line of ['{"a":1}', '[]', 'text', '{"kind":"cumulet state"}']) {
      write(file, [line, ...lines.slice(1)]);
      await refused(/neither a backup of Cumulet/);
    }
    for (const [from, to] of [
      ['"format":1', '"format":99'],
      ['"shape":1', '"shape":9'],
    ] as const) {
      write(file, [lines[0]?.replace(from, to) ?? '', ...lines.slice(1)]);
      await refused(/was written by a newer version of Cumulet, 1\.2\.3 \(format/);
    }
    await rm(file);
    await assert.rejects(checkDump(file), isFault('missing', /There is no file/));
    await assert.rejects(checkDump(join(file, '..')), isFault('refused', /is a folder, not a file: name a backup/));
  });

  it('is not read further when the reader stops', async (t) => {
    const file = await written(t);
    for await (const page of readDump(file)) {
      assert.deepEqual(page, pages[0]);
      break;
    }
  });
});

describe('two dumps', () => {
  const without = (at: number) => pagesOf(pages.filter((_, index) => index !== at));

  it('are the same, however they are cut into pages', async () => {
    const single = pages.flatMap(({ table, rows }) => rows.map((one) => ({ table, rows: [one] })));
    assert.equal(await firstDifference(pagesOf(pages), pagesOf(single)), undefined);
    assert.equal(await firstDifference(pagesOf([]), pagesOf([])), undefined);
  });

  it('that differ are reported by the first differing key, without its content', async () => {
    const missing = { table: 'resource', key: '2 p a' };
    assert.deepEqual(await firstDifference(pagesOf(pages), without(1)), missing);
    assert.deepEqual(await firstDifference(without(1), pagesOf(pages)), missing);
    assert.deepEqual(await firstDifference(pagesOf(pages), without(4)), { table: 'sequence', key: 'activity 1 log' });
    assert.deepEqual(await firstDifference(pagesOf([]), pagesOf(pages)), { table: 'resource', key: '1 p a' });
    const other = [{ table: 'resource', rows: [row(1, 'a', 'secret')] }, ...pages.slice(1)] as DumpPage[];
    assert.deepEqual(await firstDifference(pagesOf(pages), pagesOf(other)), { table: 'resource', key: '1 p a' });
    const [high, low] = [row(1, '😀'), row(1, '\uffff')]; // by bytes, not by UTF-16 units
    const [one, two] = [high, low].map((only) => pagesOf([{ table: 'resource', rows: [only] }]));
    assert.deepEqual(await firstDifference(one ?? pagesOf([]), two ?? pagesOf([])), {
      table: 'resource',
      key: '1 p \uffff',
    });
  });
});

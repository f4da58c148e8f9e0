// The log of a running region.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silent } from '../../base/log.ts';
import { bufferedLog, openLogFile, screenLog } from './log-file.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-log-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('lines are written once per turn of the event loop, errors at once', async () => {
  const file = join(root, 'a.log');
  const sink = openLogFile(file);
  const log = bufferedLog(sink, () => 0);
  log.info('one');
  log.info('two');
  assert.ok(!readdirSync(root).includes('a.log'), 'nothing is written amid a turn');
  await new Promise(setImmediate);
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 3);
  log.error('three', { error: new Error('why') });
  assert.match(readFileSync(file, 'utf8'), /"message":"three".*"message":"why"/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('files are rotated by size, and only `kept` files remain', () => {
  const file = join(root, 'b.log');
  const sink = openLogFile(file, { mostBytes: 100, kept: 2 });
  for (let at = 0; at < 50; at++) {
    sink.write(`${'x'.repeat(40)} ${at}\n`);
    sink.flush();
  }
  const files = readdirSync(root).filter((name) => name.startsWith('b.log'));
  assert.deepEqual(files.sort(), ['b.log', 'b.log.1', 'b.log.2']);
  for (const name of files) assert.ok(statSync(join(root, name)).size <= 100, name);
  assert.match(readFileSync(file, 'utf8'), / 49\n$/);
});

test('an unwritable log loses lines and nothing else', () => {
  const sink = openLogFile(join(root, 'missing/folder.log'));
  sink.write('x\n');
  assert.doesNotThrow(sink.flush);
});

test('a full disk loses whole lines: the next one starts on a new line', () => {
  const file = join(root, 'c.log');
  let room = Number.POSITIVE_INFINITY;
  const write = (handle: number, bytes: Uint8Array, from: number): number => {
    if (room === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const taken = writeSync(handle, bytes, from, Math.min(room, bytes.length - from));
    room -= taken;
    return taken;
  };
  const sink = openLogFile(file, { write });
  const put = (...names: string[]): void => {
    for (const name of names) sink.write(`${JSON.stringify({ name })}\n`);
    sink.flush();
  };
  const line = '{"name":"a"}\n'.length;
  put('a');
  room = line + 5;
  put('b', 'c', 'd'); // c half, then nothing
  put('e');
  room = 3; // less than a line, as if another process used the rest
  put('f');
  room = line * 2;
  put('g', 'h', 'i');
  room = Number.POSITIVE_INFINITY;
  put('j');
  const names = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text).name);
  assert.deepEqual(names, ['a', 'b', 'g', 'h', 'j']);
});

test('a line that an earlier process did not end stays on its own line', () => {
  const file = join(root, 'd.log');
  writeFileSync(file, '{"a":1}\n{"b"');
  const sink = openLogFile(file);
  for (const text of ['{"c":3}\n', '{"d":4}\n']) {
    sink.write(text);
    sink.flush();
  }
  assert.equal(readFileSync(file, 'utf8'), '{"a":1}\n{"b"\n{"c":3}\n{"d":4}\n');
});

test('the screen shows warnings and errors, but does not repeat them all the time', () => {
  const lines: string[] = [];
  let now = 1_000_000;
  const log = screenLog(
    silent,
    (line) => lines.push(line),
    () => now,
  );
  log.info('quiet');
  for (let at = 0; at < 10; at++) log.warn('unavailable', { error: new Error('the disk is full\nmore') });
  log.error('bug');
  assert.deepEqual(lines, ['cumulet: warning: unavailable (the disk is full)\n', 'cumulet: error: bug\n']);
  now += 6000;
  log.warn('unavailable', { error: new Error('the disk is full') });
  assert.equal(lines.length, 3);
});

// Blobs survive kill -9, a power failure and a full disk.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chanceOf, isFull } from '../../../testing/seed.ts';
import { bytesOf, piecesOf, read } from '../contract/bodies.ts';
import { openEmbeddedBlobs } from './engine.ts';
import { filesIn, folderFor } from './testing.ts';
import { type PutterOptions, sizeOf } from './testing-putter.ts';

const putter = fileURLToPath(new URL('./testing-putter.ts', import.meta.url));
const putting = (options: PutterOptions): string[] => [putter, 'put', JSON.stringify(options)];

test('[OBJ-01] every acknowledged blob is complete after kill -9, and a sweep removes everything else', async (t) => {
  const chance = chanceOf(t);
  const folder = folderFor(t);
  const answered = new Map<string, number>();
  for (let round = 0; round < (isFull ? 40 : 4); round++) {
    const segmentBytes = chance.one([50_000, 1_000_000, 64_000_000]);
    const options = { folder, from: round * 100_000, most: 100_000, lanes: 8, segmentBytes };
    const child = spawn(process.execPath, putting(options), { stdio: ['ignore', 'pipe', 'inherit'] });
    const enough = 20 + chance.below(200);
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text;
      if (said.split('\n').length > enough) child.kill('SIGKILL');
    });
    await once(child, 'close');
    assert.equal(child.signalCode, 'SIGKILL');
    for (const line of said.split('\n').slice(0, -1)) {
      const [number, handle = ''] = line.split(' ');
      answered.set(handle, Number(number));
    }
    const engine = await openEmbeddedBlobs({ folder, segmentBytes, graceMs: 0 });
    for (const [handle, number] of answered)
      assert.ok((await read(engine, handle)).equals(bytesOf(number, sizeOf(number))), `blob ${number} is incomplete`);
    await engine.close();
  }

  const engine = await openEmbeddedBlobs({ folder, graceMs: 0 });
  const unanswered = await engine.sweep(
    Number.MAX_VALUE,
    async (all) => new Set(all.filter((one) => answered.has(one))),
  );
  t.diagnostic(`${answered.size} blobs were acknowledged, ${unanswered} were not`);
  for (const [handle, number] of answered)
    assert.ok((await read(engine, handle)).equals(bytesOf(number, sizeOf(number))));
  await engine.remove([...answered.keys()]);
  while (await engine.compact(Number.MAX_VALUE, async () => false));
  await engine.close();
  assert.equal(
    (await filesIn(folder)).reduce((sum, { bytes }) => sum + bytes, 0),
    0,
  );
});

// kill -9 keeps data in the system's memory, so it proves nothing about the disk: this test watches system calls.
test('[OBJ-01] a blob is synced before it is acknowledged', (t) => {
  if (spawnSync('strace', ['-V']).status !== 0) return t.skip('strace is not installed');
  const folder = folderFor(t);
  const calls = join(folder, 'calls');
  const options = { folder: join(folder, 'data'), from: 0, most: 30, lanes: 1, segmentBytes: 50_000 };
  const watching = [
    '-f',
    '-o',
    calls,
    '-e',
    'trace=fsync,fdatasync,write,rename',
    process.execPath,
    ...putting(options),
  ];
  const { status, stderr } = spawnSync('strace', watching, { encoding: 'utf8' });
  if (status !== 0 && /ptrace/.test(stderr)) return t.skip('strace lacks the permission to trace');
  assert.equal(status, 0, stderr);
  let order = '';
  let answers = 0;
  for (const line of readFileSync(calls, 'utf8').split('\n')) {
    if (/fdatasync(?:\(\d+| resumed>)\)\s+= 0$/.test(line)) order += 'data ';
    if (/fsync(?:\(\d+| resumed>)\)\s+= 0$/.test(line)) order += 'folder ';
    if (/\brename\(/.test(line)) order += 'rename ';
    const [, kind] = / write\(1, "\d+ (small|summed)/.exec(line) ?? [];
    if (kind === undefined) continue;
    // A file is synced before it gets its name, and its folder after that.
    if (kind === 'summed') assert.match(order, /data .*rename .*folder $/);
    else assert.match(order, /data (folder )?$/); // a new segment's folder is synced at the same time
    order = '';
    answers++;
  }
  assert.equal(answers, 30);
});

test('[OBJ-01] small blobs that are put concurrently share a sync', async (t) => {
  const engine = await openEmbeddedBlobs({ folder: folderFor(t) });
  await Promise.all(Array.from({ length: 400 }, (_, number) => engine.put(piecesOf(bytesOf(number, 4096)))));
  const { groupCommits = 0, puts } = await engine.figures();
  assert.equal(puts, 400);
  assert.ok(groupCommits >= 1 && groupCommits <= 20, `${groupCommits} syncs`);
  await engine.close();
});

test('[OBJ-01] on a full disk puts are unavailable and leave nothing behind, and work again with room', async (t) => {
  const folder = folderFor(t);
  const why = mounted(folder);
  if (why !== undefined) return t.skip(`a small disk cannot be mounted: ${why}`);
  const filler = join(folder, 'filler');
  try {
    const engine = await openEmbeddedBlobs({ folder: join(folder, 'data'), graceMs: 0 });
    const kept: [string, Buffer][] = [];
    const put = async (number: number, size: number): Promise<void> => {
      const { handle } = await engine.put(piecesOf(bytesOf(number, size)));
      kept.push([handle, bytesOf(number, size)]);
    };
    await put(1, 5000);
    await put(2, 100_000);
    for (let round = 0; round < 2; round++) {
      fill(filler);
      const before = (await filesIn(join(folder, 'data'))).length;
      await assert.rejects(put(3, 300_000), { kind: 'unavailable', message: /disk is full/ });
      const together = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => put(100 + at, 16_000)));
      for (const outcome of together)
        if (outcome.status === 'rejected') assert.match(String(outcome.reason), /disk is full/);
      assert.ok(together.some(({ status }) => status === 'rejected'));
      assert.equal((await filesIn(join(folder, 'data'))).length, before);
      for (const [handle, bytes] of kept) assert.ok((await read(engine, handle)).equals(bytes));
      rmSync(filler);
      await put(4, 300_000);
      await Promise.all(Array.from({ length: 20 }, (_, at) => put(200 + at, 16_000)));
    }
    await engine.close();
    const again = await openEmbeddedBlobs({ folder: join(folder, 'data') });
    for (const [handle, bytes] of kept) assert.ok((await read(again, handle)).equals(bytes));
    await again.close();
  } finally {
    execFileSync('umount', [folder]);
  }
});

function mounted(folder: string): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may';
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'cumulet-test', folder]);
  return status === 0 ? undefined : String(stderr);
}

function fill(file: string): void {
  const handle = openSync(file, 'a');
  try {
    for (;;) writeSync(handle, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(handle);
  }
}

// What makes a dump portable: the passphrase's lock, secrets that change their seal, and attached files.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeal, newSealKey } from '../../../base/seal.ts';
import { pagesOf } from '../contract/dumps.ts';
import type { DumpPage, DumpRow } from '../engine.ts';
import { type Piece, writeDump } from './dump-file.ts';
import { checkDump, readDump, readHeader } from './dump-reader.ts';
import { isLock, newLock, openLock } from './passphrase.ts';
import { resealed, resealedPage } from './reseal.ts';

const [ours, theirs] = [createSeal(newSealKey()), createSeal(newSealKey())];
const row = (hidden: string, body = ''): DumpRow => [1, 'p', 'a', '', '', 1, 1, '', '{}', body, hidden];

test('a lock opens with its passphrase alone, however its letters are composed', async () => {
  const { lock, seal } = await newLock('für Elise');
  assert.ok(isLock({ ...lock }));
  const again = await openLock(lock, 'fu\u0308r Elise');
  assert.equal(again?.open(seal.close('secret')), 'secret');
  assert.equal(await openLock(lock, 'für Elisa'), undefined);
  await assert.rejects(newLock('short'), /8 characters at least/);
  for (const wrong of [null, {}, { ...lock, cost: 2 ** 30 }, { ...lock, cost: 1000 }, { ...lock, salt: 1 }])
    assert.ok(!isLock(wrong), JSON.stringify(wrong));
});

test('every sealed value of a dump changes its seal, wherever it is, and nothing else changes', async () => {
  const sealed = ours.close('top secret');
  const other = Buffer.alloc(60, 7).toString('base64');
  const inner = JSON.stringify({ holds: { secret: sealed } });
  const hidden = JSON.stringify({ sealed, hash: other, id: 'x', deep: [{ text: inner }] });
  const page: DumpPage = { table: 'resource', rows: [row(hidden, JSON.stringify({ secret: sealed, n: 1 })), row('')] };
  const counters: DumpPage = { table: 'counter', rows: [[1, 'cores', 5]] };
  const [moved] = resealedPage(page, ours, theirs).rows;
  const found = JSON.parse(String(moved?.[10])) as { sealed: string; hash: string; deep: { text: string }[] };
  assert.equal(theirs.open(found.sealed), 'top secret');
  assert.equal(found.hash, other);
  const deep = JSON.parse(found.deep[0]?.text ?? '') as { holds: { secret: string } };
  assert.equal(theirs.open(deep.holds.secret), 'top secret');
  assert.equal(theirs.open((JSON.parse(String(moved?.[9])) as { secret: string }).secret), 'top secret');
  assert.ok(!JSON.stringify(moved).includes(sealed));
  const back: DumpPage[] = [];
  const there = resealed(pagesOf([page, counters]), ours, theirs);
  for await (const one of resealed(there, theirs, ours)) back.push(one);
  const withoutSeal = (pages: DumpPage[]): string =>
    JSON.stringify(pages).replaceAll(/[A-Za-z0-9+/]{38,}={0,2}/g, (text) => (text === other ? text : 'SEALED'));
  assert.equal(withoutSeal(back), withoutSeal([page, counters]));
});

test('attached files come back byte by byte, after the pages', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'portable-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  const pieces: Piece[] = [
    { name: 'a-1.log', bytes: Buffer.from([0, 10, 255]) },
    { name: 'b.db', bytes: Buffer.alloc(100_000, 3) },
    { name: 'b.db', bytes: Buffer.from('end') },
  ];
  const pages: DumpPage[] = [{ table: 'resource', rows: [row('')] }];
  const { lock } = await newLock('a passphrase');
  const header = { program: '1.2.3', time: '2026-01-01T00:00:00.000Z', lock };
  const attached = async function* (all: readonly Piece[]): AsyncGenerator<Piece> {
    yield* all;
  };
  await writeDump(file, { header, pages: pagesOf(pages), attached: attached(pieces) }, false);
  assert.deepEqual(await readHeader(file), header);
  assert.equal((await checkDump(file)).attachedBytes, 100_006);
  const found: Piece[] = [];
  for await (const page of readDump(file, { piece: (piece) => found.push(piece) })) {
    assert.deepEqual(page, pages[0]);
    assert.equal(found.length, 0);
  }
  assert.deepEqual(found, pieces);
  for (const name of ['../up', 'a/b', '', '.hidden']) {
    const content = { header, pages: pagesOf(pages), attached: attached([{ name, bytes: Buffer.from('x') }]) };
    await writeDump(file, content, true);
    await assert.rejects(checkDump(file), /a piece of an attached file is not valid/, name);
  }
});

// The write-ahead log of SQLite after a process was killed: damage that SQLite itself would take for its end.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sqliteLogDamage } from './log-check.ts';

// The files as they are while a connection is open, which is how kill -9 leaves them.
function killed(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'state.db');
  using db = new DatabaseSync(join(folder, 'open.db'));
  db.exec('PRAGMA journal_mode=WAL; CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)');
  for (let id = 1; id <= 5; id++) db.prepare('INSERT INTO row (text) VALUES (?)').run('x'.repeat(id * 1000));
  for (const end of ['', '-wal', '-shm']) copyFileSync(join(folder, `open.db${end}`), `${file}${end}`);
  return file;
}

test('a wrong byte anywhere in the log is damage, also in the last commit', (t) => {
  const file = killed(t);
  assert.equal(sqliteLogDamage(file), undefined);
  const log = readFileSync(`${file}-wal`);
  for (let at = 0; at < log.length; at += 53) {
    writeFileSync(`${file}-wal`, log.with(at, (log[at] as number) ^ 1));
    assert.match(String(sqliteLogDamage(file)), /state\.db-wal is damaged at byte \d+/, `byte ${at}`);
  }
});

test('without the shared memory, damage is found up to the last commit, which a crash may have cut short', (t) => {
  const file = killed(t);
  rmSync(`${file}-shm`);
  assert.equal(sqliteLogDamage(file), undefined);
  const log = readFileSync(`${file}-wal`);
  writeFileSync(`${file}-wal`, log.with(5000, (log[5000] as number) ^ 1));
  assert.match(String(sqliteLogDamage(file)), /damaged at byte 4152/);
  writeFileSync(`${file}-wal`, log.with(log.length - 1, 1));
  assert.equal(sqliteLogDamage(file), undefined);
  for (const less of [1, 4000, 5000]) {
    writeFileSync(`${file}-wal`, log.subarray(0, log.length - less));
    assert.equal(sqliteLogDamage(file), undefined, `${less} bytes are missing`);
  }
});

test('a log that is missing or cut off is damage, unless all of it is in the file', (t) => {
  const file = killed(t);
  truncateSync(`${file}-wal`, 32 + 4120);
  assert.match(String(sqliteLogDamage(file)), /damaged/);
  truncateSync(`${file}-wal`, 0);
  assert.match(String(sqliteLogDamage(file)), /state\.db-wal is empty/);
  rmSync(`${file}-wal`);
  assert.match(String(sqliteLogDamage(file)), /state\.db-wal is missing/);
  {
    using db = new DatabaseSync(file);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  }
  assert.ok(!existsSync(`${file}-shm`));
  assert.equal(sqliteLogDamage(file), undefined);
});

// New, older and newer files, and the files that are not ours and must stay as they are.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { isUnavailable, put, row } from '../contract/samples.ts';
import { appendedId, type Row, tables } from '../engine.ts';
import { openSqlite } from './engine.ts';
import { applicationId, migrate, migrations, prepareFile } from './migrations.ts';

async function fileFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'state.db');
}

const open = (file: string) => openSqlite({ folder: join(file, '..'), now: () => 0 });
const ask = (file: string, pragma: string): unknown => {
  using db = new DatabaseSync(file);
  return Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
};

async function filled(file: string): Promise<void> {
  const state = await open(file);
  for (let at = 0; at < 50; at++) await put(state, 'resource', row(1, 'p', `r${at}`, { body: 'x'.repeat(2000) }));
  await state.close();
}

async function staysRefused(file: string, reason: RegExp): Promise<void> {
  const folder = join(file, '..');
  const look = () => readdirSync(folder).map((name) => [name, hash('sha1', readFileSync(join(folder, name)))]);
  const before = look();
  await assert.rejects(open(file), (error) => {
    assert.ok(isUnavailable(error), String(error));
    const { message } = error as Error;
    assert.match(message, reason);
    assert.ok(message.startsWith(file) && !message.includes('\n'), message);
    return true;
  });
  assert.deepEqual(look(), before);
}

describe('sqlite: its file', () => {
  it('a new file carries our mark and the newest version, and is private', async (t) => {
    const file = await fileFor(t);
    writeFileSync(`${file}.new`, 'what a crash amid the creation has left');
    await filled(file);
    assert.equal(ask(file, 'application_id'), applicationId);
    assert.equal(ask(file, 'user_version'), migrations.length);
    assert.equal(ask(file, 'journal_mode'), 'wal');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(file, '..')), ['state.db']);
  });

  it('an older file is brought forward and keeps its rows', async (t) => {
    const file = await fileFor(t);
    await filled(file);
    prepareFile(file, 4096, [
      ...migrations,
      'CREATE TABLE later (a TEXT)',
      'INSERT INTO later SELECT id FROM resource',
    ]);
    using db = new DatabaseSync(file);
    assert.equal(db.prepare('SELECT count(*) AS n FROM later').get()?.n, 50);
    assert.equal(ask(file, 'user_version'), migrations.length + 2);
  });

  it('of links that rows hold, an older file keeps the end that is read', async (t) => {
    const file = await fileFor(t);
    prepareFile(file, 4096, migrations.slice(0, 1));
    {
      using db = new DatabaseSync(file);
      const link = db.prepare("INSERT INTO link VALUES (1, ?, 'um/users/U', '', '', 1, 0, '', '', '', '')");
      for (const place of ['d/D/servers/S > lan', 'd/D/lans/1 < lan', 'um/groups/G > member', 'um/users/U < member'])
        link.run(place);
    }
    prepareFile(file, 4096);
    using db = new DatabaseSync(file);
    assert.deepEqual(
      db
        .prepare('SELECT place FROM link ORDER BY place')
        .all()
        .map(({ place }) => place),
      ['d/D/lans/1 < lan', 'um/groups/G > member', 'um/users/U < member'],
    );
  });

  it('rows of an older file, whose parts had columns, are whole in all tables, whatever they hold', async (t) => {
    const file = await fileFor(t);
    prepareFile(file, 4096, migrations.slice(0, 2));
    const older = tables.filter((table) => table !== 'object');
    const odd = ['', '{}', '[', '[1]', 'a\x7fb', '\x7f', '\x1f', '"\\\n', 'für 東京 😀', '\u2028', 'x'.repeat(9000)];
    const wanted = odd.map((text, at) => {
      const other = odd[(at * 7 + 3) % odd.length] ?? '';
      return row(at % 2, 'p', `r${text}`, {
        kind: text,
        state: other,
        owner: text,
        meta: other,
        body: text,
        hidden: other,
      });
    });
    {
      using db = new DatabaseSync(file);
      for (const table of older)
        for (const { contract, place, id, kind, state, version, time, owner, meta, body, hidden } of wanted)
          db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
            ...[contract, place, id, kind, state, version + 8, time, owner, meta, body, hidden],
          );
    }
    const state = await open(file);
    for (const table of older) {
      const all = await state.range(table, { below: '', limit: 99 });
      assert.equal(all.length, wanted.length);
      for (const one of wanted) {
        assert.deepEqual(await state.get(table, one.contract, one.place, one.id), { ...one, version: 9 });
        const next = { ...one, id: `${one.id}+` };
        await put(state, table, next);
        assert.deepEqual(await state.get(table, next.contract, next.place, next.id), next);
      }
    }
    await state.close();
    assert.equal(ask(file, 'integrity_check'), 'ok');
  });

  it('audit entries that shared a row get separate rows, in their order, and the next follows them', async (t) => {
    const file = await fileFor(t);
    prepareFile(file, 4096, migrations.slice(0, 5));
    const run = (first: number, count: number): [string, number, string] => [
      appendedId(first + count - 1),
      -count,
      ['\x01kind', 'state', 'owner', ...Array.from({ length: count }, (_, at) => `${at * 7} ${first + at}`)].join(
        '\x7f',
      ),
    ];
    {
      using db = new DatabaseSync(file);
      const insert = db.prepare('INSERT INTO activity VALUES (?, ?, ?, ?, 1000, ?)');
      for (const contract of [1, 2]) {
        insert.run(contract, 'log', ...run(1, 3));
        insert.run(contract, 'log', appendedId(4), 2, 'kind\x7fstate\x7fowner\x7fhidden\x7fmeta\x7fbody');
        for (let first = 5; first < 5 + 1500 * 2; first += 2) insert.run(contract, 'log', ...run(first, 2));
        db.prepare("INSERT INTO sequence VALUES ('activity', ?, 'log', 3004, 1007)").run(contract);
      }
    }
    const state = await open(file);
    const all = await state.range('activity', { below: '', limit: 1e6 });
    const entry = { place: 'log', kind: 'kind', state: 'state', owner: 'owner', body: '', hidden: '' };
    const wanted = [1, 2].flatMap((contract) =>
      Array.from({ length: 3004 }, (_, at) => {
        const number = at + 1;
        const time = 1000 + 7 * (number < 4 ? number - 1 : 1 - (number % 2));
        return row(contract, 'log', appendedId(number), { ...entry, version: 1, time, meta: String(number) });
      }),
    );
    for (const at of [3, 3007])
      Object.assign(wanted[at] as Row, { version: 2, time: 1000, meta: 'meta', body: 'body', hidden: 'hidden' });
    assert.deepEqual(all, wanted);
    const next = await state.apply([{ op: 'append', table: 'activity', row: row(1, 'log', '') }]);
    assert.deepEqual(next, { ok: true, appended: [appendedId(3005)] });
    await state.close();
    assert.equal(ask(file, 'integrity_check'), 'ok');
  });

  it('a run that can not be read is damage, and the file is not changed', async (t) => {
    const file = await fileFor(t);
    for (const rest of [
      '\x01kind\x7fstate\x7fowner\x7f0 a',
      '\x01k\x7fs\x7fo\x7f0 a\x7fx b',
      'k\x7fs\x7fo\x7f0 a\x7f1 b',
    ]) {
      rmSync(file, { force: true });
      prepareFile(file, 4096, migrations.slice(0, 5));
      {
        using db = new DatabaseSync(file);
        db.prepare("INSERT INTO activity VALUES (1, 'log', ?, -2, 0, ?)").run(appendedId(2), rest);
      }
      await assert.rejects(open(file), { kind: 'unavailable', message: /the state is damaged/ });
      assert.equal(ask(file, 'user_version'), 5);
    }
  });

  it('a migration that fails leaves nothing of itself and all of those before it', async (t) => {
    const file = await fileFor(t);
    using db = new DatabaseSync(file);
    const list = ['CREATE TABLE a (x)', 'CREATE TABLE b (x)', 'CREATE TABLE c (x); INSERT INTO nowhere VALUES (1)'];
    assert.throws(() => migrate(db, list));
    assert.equal(ask(file, 'user_version'), 2);
    const names = db.prepare('SELECT name FROM sqlite_schema ORDER BY name').all();
    assert.deepEqual(
      names.map((one) => one.name),
      ['a', 'b'],
    );
    migrate(db, [...list.slice(0, 2), 'CREATE TABLE c (x)']);
    assert.equal(ask(file, 'user_version'), 3);
  });

  it('an empty file counts as none', async (t) => {
    const file = await fileFor(t);
    writeFileSync(file, '');
    await filled(file);
  });
});

describe('sqlite: files that are refused stay as they are', () => {
  it('of a newer version', async (t) => {
    const file = await fileFor(t);
    await filled(file);
    ask(file, 'user_version=99');
    await staysRefused(file, /newer version of Cumulet \(99, /);
  });

  it('of a newer version, which only the log knows of', async (t) => {
    const file = await fileFor(t);
    await filled(file);
    using db = new DatabaseSync(file);
    db.exec('PRAGMA wal_autocheckpoint=0; PRAGMA user_version=99');
    const before = hash('sha1', readFileSync(file));
    await assert.rejects(open(file), /newer version/);
    assert.equal(hash('sha1', readFileSync(file)), before);
  });

  it('of another program', async (t) => {
    const file = await fileFor(t);
    {
      using db = new DatabaseSync(file);
      db.exec('PRAGMA journal_mode=WAL; CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
    }
    await staysRefused(file, /another program/);
  });

  it('not a database', async (t) => {
    const file = await fileFor(t);
    writeFileSync(file, 'just some notes, long enough to have a header: '.repeat(9));
    await staysRefused(file, /not a database/);
    writeFileSync(file, 'SQL?');
    await staysRefused(file, /not a database/);
  });

  it('truncated', async (t) => {
    const file = await fileFor(t);
    await filled(file);
    const { size } = statSync(file);
    for (const rest of [size - 1, Math.floor(size / 2), 4096, 100, 60, 10]) {
      truncateSync(file, rest);
      await staysRefused(file, /its end is missing/);
    }
  });

  it('truncated to nothing, with its log still there', async (t) => {
    const file = await fileFor(t);
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, 'something');
    await staysRefused(file, /its end is missing/);
  });

  it('a folder where the file should be', async (t) => {
    const file = await fileFor(t);
    await assert.rejects(openSqlite({ folder: join(file, '..', '\0'), now: () => 0 }), isUnavailable);
    writeFileSync(file, 'x');
    await assert.rejects(openSqlite({ folder: file, now: () => 0 }), isUnavailable);
  });
});

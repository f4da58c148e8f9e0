// When the log is measured: rarely, and in time all the same.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { until } from '../../../testing/waiting.ts';
import { rowOf } from '../engine.ts';
import { Checkpointer } from './checkpoint.ts';
import { migrate, migrations, prepareFile } from './migrations.ts';
import { cachedPrepare } from './table.ts';
import { Writer } from './writer.ts';

describe('how long the log is', () => {
  it('is asked when a good part of the limit may have been written, not after each commit', () => {
    let measures = 0;
    const checkpointer = new Checkpointer({
      file: '',
      frameBytes: 1000,
      softBytes: 400_000,
      hardBytes: 4_000_000,
      measure: () => ({ frames: ++measures, copied: 0 }),
      resume() {},
      isCopied: () => false,
    });
    checkpointer.committed(1); // a process before may have left a long one
    assert.equal(measures, 1);
    for (let commits = 0; commits < 10; commits++) checkpointer.committed(1);
    assert.equal(measures, 1);
    for (let commits = 0; commits < 10; commits++) checkpointer.committed(1);
    assert.equal(measures, 2);
    checkpointer.committed(100);
    assert.equal(measures, 3);
  });

  it('is asked again after a checkpoint, because the size is not read during one', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-checkpoint-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'state.db');
    prepareFile(file, 4096);
    let measures = 0;
    const checkpointer = new Checkpointer({
      file,
      frameBytes: 1000,
      softBytes: 400_000,
      hardBytes: 4_000_000,
      measure: () => ({ frames: ++measures === 1 ? 1000 : 10, copied: 0 }),
      resume() {},
      isCopied: () => false,
    });
    t.after(() => checkpointer.close());
    checkpointer.committed(1);
    checkpointer.committed(10_000);
    assert.equal(measures, 1);
    await until('a checkpoint', () => (checkpointer.figures().checkpoints ?? 0) > 0);
    const before = measures;
    checkpointer.committed(1);
    assert.equal(measures, before + 1);
  });

  it('is guessed from the size of rows, too', () => {
    using db = new DatabaseSync(':memory:');
    migrate(db, migrations);
    const writer = new Writer(cachedPrepare(db));
    const write = (id: string, body: string): number => {
      writer.begin();
      writer.perform([{ op: 'insert', table: 'resource', row: rowOf({ contract: 1, place: 'p', id, body }) }]);
      return writer.pages();
    };
    assert.ok(write('small', '{}') < 2);
    assert.ok(write('large', JSON.stringify('x'.repeat(1024 * 1024))) > 256);
    assert.ok(write('next', '{}') < 2);
  });
});

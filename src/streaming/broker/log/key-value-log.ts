// The broker's own durable state (topics, committed offsets, transactions, quotas): keys and values in memory, and each
// change appended to one record log. `put` resolves when the change is written. The file is rewritten when most of it
// is outdated, after a failed write, and when it was damaged: then a copy of the damaged file is kept.
import { rmSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { damagedCopyOf, isDamagedCopy, keepDamagedCopy } from '../../../base/files/damaged-copy.ts';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import type { LogRecord } from '../../../core/record-log/record.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import type { LogDamage } from '../../../core/record-log/record-reader.ts';
import { type Change, changeFraming, readChanges, recordOf } from './key-value-records.ts';

export const brokerFile = 'broker.log'; // its name in the folder of a cluster
const rewriteBytes = 4 * 1024 * 1024;
const countKey = 'changes';

export interface KeptDamage extends LogDamage {
  file: string;
  copy: string; // path of the copy of the damaged file
}

export class KeyValueLog {
  readonly damage: KeptDamage | undefined; // found when the log was opened: the changes there are lost
  readonly wasDamaged: boolean; // now or earlier: a copy still exists
  changeCount: number; // all changes so far, including those that are no longer in the file
  readonly #values: Map<string, unknown>;
  readonly #path: string;
  readonly #isSynced: boolean;
  #log: RecordLog<LogRecord>;
  #replaced: Promise<void> = Promise.resolve(); // resolved when the file of `#log` has its final name
  #isBehind = false; // a write failed: memory has changes that the file may lack
  #liveBytes: number; // after the last rewrite

  // `flush`: when changes are synced; 'always' syncs each change before `put` resolves.
  static async open(path: string, flush: 'always' | 'interval'): Promise<KeyValueLog> {
    const bytes = await readFile(path).catch(noneIfMissing);
    const { changes, end, damage, isEarlier } = readChanges(bytes ?? Buffer.alloc(0));
    const values = new Map<string, unknown>();
    let count = 0;
    for (const [key, value] of changes) {
      count = key === countKey ? Number(value) : count + 1;
      if (key === countKey) continue;
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    const kept = damage && { ...damage, file: path, copy: damagedCopyOf(path, damage.at) };
    if (kept) keepDamagedCopy(path, kept.at);
    const wasDamaged = (await damagedCopies(path)).length > 0;
    const isRewritten = isEarlier || kept !== undefined;
    const isSynced = flush === 'always';
    const continueAt = isRewritten ? bytes?.length : bytes && end; // otherwise a torn end is truncated
    const log = new RecordLog({
      path,
      framing: changeFraming,
      isSynced,
      ...(bytes && { continueAt: continueAt ?? 0 }),
    });
    await syncFolder(dirname(path));
    const state = new KeyValueLog({ path, values, log, count, isSynced, damage: kept, wasDamaged });
    if (isRewritten) await state.#rewrite();
    return state;
  }

  private constructor(given: {
    path: string;
    values: Map<string, unknown>;
    log: RecordLog<LogRecord>;
    count: number;
    isSynced: boolean;
    damage: KeptDamage | undefined;
    wasDamaged: boolean;
  }) {
    this.#path = given.path;
    this.#values = given.values;
    this.#log = given.log;
    this.#liveBytes = given.log.bytes;
    this.changeCount = given.count;
    this.#isSynced = given.isSynced;
    this.damage = given.damage;
    this.wasDamaged = given.wasDamaged;
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  // Yields all entries whose keys begin with the prefix.
  *entries(prefix: string): Generator<[key: string, value: unknown]> {
    for (const [key, value] of this.#values) if (key.startsWith(prefix)) yield [key.slice(prefix.length), value];
  }

  // Writes several changes together; null deletes a key. Readers see them at once; the promise waits for the write.
  async put(changes: Change[]): Promise<void> {
    this.changeCount += changes.length;
    for (const [key, value] of changes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
    }
    if (this.#isBehind) return this.#catchUp();
    try {
      await Promise.all([this.#log.append(changes.map(recordOf)), this.#replaced]);
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
    const { bytes } = this.#log;
    if (bytes > rewriteBytes && bytes > this.#liveBytes * 2) await this.#rewrite();
  }

  // Writes everything that is in memory, including changes whose write failed.
  async #catchUp(): Promise<void> {
    await this.#replaced.catch(() => {});
    await (this.#isBehind ? this.#rewrite() : this.#replaced);
  }

  #rewrite(): Promise<void> {
    const draft = `${this.#path}.new`;
    rmSync(draft, { force: true }); // one that failed may still be open
    const old = this.#log;
    this.#log = new RecordLog({ path: draft, framing: changeFraming, isSynced: this.#isSynced });
    this.#isBehind = false;
    this.#replaced = this.#replace(old, draft);
    return this.#replaced;
  }

  // Changes that arrive in the meantime are appended to the new file.
  async #replace(old: RecordLog<LogRecord>, draft: string): Promise<void> {
    const log = this.#log;
    try {
      await log.append(([...this.#values, [countKey, this.changeCount]] satisfies Change[]).map(recordOf));
      this.#liveBytes = log.bytes;
      await log.sync();
      await rename(draft, this.#path);
      await syncFolder(dirname(this.#path));
    } catch (error) {
      this.#isBehind = true;
      throw error;
    } finally {
      await old.settled();
      old.release();
    }
  }

  async sync(): Promise<void> {
    if (this.#isBehind) return this.#catchUp();
    await this.#replaced;
    await this.#log.sync();
  }

  async close(): Promise<void> {
    try {
      await this.#log.settled();
      await this.sync();
    } finally {
      this.#log.release();
    }
  }
}

// Returns the copies of a damaged file.
export async function damagedCopies(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names.filter((name) => name.startsWith(`${basename(path)}.`) && isDamagedCopy(name));
}

// The broker's own durable state (topics, committed offsets, transactions, quotas): keys and values in memory, each
// change appended to one file. A change is told to the caller after it is written; changes of one turn share a write.
// The file is rewritten when most of it is out of date, and when it was damaged: then a copy of it is kept aside.
import { type FileHandle, open, readdir, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { damagedCopyOf, isDamagedCopy, keepDamagedCopy } from '../../../base/damaged-copy.ts';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { type Change, type Damage, readChanges, writeChange } from './key-value-records.ts';

export const brokerFile = 'broker.log'; // its name in the folder of a cluster
const rewriteBytes = 4 * 1024 * 1024;

export interface KeptDamage extends Damage {
  file: string;
  copy: string; // of the file as it was found
}

export class KeyValueLog {
  readonly damage: KeptDamage | undefined; // that was found when it was opened: the changes there are lost
  readonly wasDamaged: boolean; // now or earlier: a copy is still there
  readonly #values: Map<string, unknown>;
  readonly #path: string;
  readonly #isFlushed: boolean;
  #file: FileHandle;
  #queue: Buffer[] = [];
  #batch: Promise<void> | undefined; // takes what is queued, after the write before it
  #writing: Promise<void> = Promise.resolve(); // the last write that was begun or planned
  #size: number;
  #liveSize: number; // after the last rewrite
  #isTorn = false; // a write failed, so where the file ends is unknown

  // `flush`: each change is synced before it is told.
  static async open(path: string, flush: 'always' | 'interval'): Promise<KeyValueLog> {
    const bytes = (await readFile(path).catch(noneIfMissing)) ?? Buffer.alloc(0);
    const { changes, end, damage } = readChanges(bytes);
    const values = new Map<string, unknown>();
    for (const [key, value] of changes) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    const kept = damage && { ...damage, file: path, copy: damagedCopyOf(path, damage.at) };
    if (kept) keepDamagedCopy(path, kept.at);
    const wasDamaged = (await damagedCopies(path)).length > 0;
    const file = await open(path, 'a');
    if (end < bytes.length) await file.truncate(end); // a torn end
    await syncFolder(dirname(path));
    const log = new KeyValueLog({
      path,
      values,
      file,
      size: end,
      isFlushed: flush === 'always',
      damage: kept,
      wasDamaged,
    });
    if (kept) await log.#rewrite();
    return log;
  }

  private constructor(given: {
    path: string;
    values: Map<string, unknown>;
    file: FileHandle;
    size: number;
    isFlushed: boolean;
    damage: KeptDamage | undefined;
    wasDamaged: boolean;
  }) {
    this.#path = given.path;
    this.#values = given.values;
    this.#file = given.file;
    this.#size = given.size;
    this.#liveSize = given.size;
    this.#isFlushed = given.isFlushed;
    this.damage = given.damage;
    this.wasDamaged = given.wasDamaged;
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  // All keys that begin with the prefix.
  *entries(prefix: string): Generator<[key: string, value: unknown]> {
    for (const [key, value] of this.#values) if (key.startsWith(prefix)) yield [key.slice(prefix.length), value];
  }

  // Several changes are written together; null deletes. Readers see them at once, the promise waits for the write.
  async put(changes: Change[]): Promise<void> {
    for (const [key, value] of changes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
      this.#queue.push(writeChange([key, value]));
    }
    this.#batch ??= this.#writing.then(() => this.#write());
    this.#writing = this.#batch.catch(() => {});
    await this.#batch;
  }

  // Everything that is queued now; what comes later is the next write. After one that failed the file is written anew:
  // what was refused is in memory too, and so may be kept after all.
  async #write(): Promise<void> {
    this.#batch = undefined;
    const bytes = Buffer.concat(this.#queue.splice(0));
    if (this.#isTorn) return this.#rewrite();
    this.#isTorn = true;
    await this.#file.appendFile(bytes);
    if (this.#isFlushed) await this.#file.datasync();
    this.#isTorn = false;
    this.#size += bytes.length;
    if (this.#size > rewriteBytes && this.#size > this.#liveSize * 2) await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    const bytes = Buffer.concat([...this.#values].map(writeChange));
    this.#queue = []; // they are in the new file
    this.#isTorn = true;
    const file = await open(`${this.#path}.new`, 'w');
    try {
      await file.writeFile(bytes);
      await file.datasync();
      await rename(`${this.#path}.new`, this.#path);
      await syncFolder(dirname(this.#path));
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#isTorn = false;
    await this.#file.close();
    this.#file = file;
    this.#size = bytes.length;
    this.#liveSize = bytes.length;
  }

  async sync(): Promise<void> {
    await this.#writing;
    if (this.#isTorn) await this.put([]);
    else await this.#file.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#file.close();
    }
  }
}

// The copies of a file that were kept because it was damaged.
export async function damagedCopies(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names.filter((name) => name.startsWith(`${basename(path)}.`) && isDamagedCopy(name));
}

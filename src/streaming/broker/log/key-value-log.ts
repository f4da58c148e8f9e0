// The broker's own durable state (topics, committed offsets, transactions, quotas): keys and values in memory, each
// change appended to one file as length, CRC and JSON. A change is told to the caller after it is written; changes of
// one turn share a write. The file is rewritten when most of it is out of date.
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32c } from '../../../base/crc32c.ts';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { syncFolder } from '../../../base/sync-folder.ts';

const headerBytes = 8;
const rewriteBytes = 4 * 1024 * 1024;

export class KeyValueLog {
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
    const values = new Map<string, unknown>();
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      const end = at + headerBytes + bytes.readUInt32BE(at);
      const line = bytes.subarray(at + headerBytes, end);
      if (end > bytes.length || crc32c(line) !== bytes.readUInt32BE(at + 4)) break;
      const [key, value] = JSON.parse(line.toString()) as [string, unknown];
      if (value === null) values.delete(key);
      else values.set(key, value);
      at = end;
    }
    const file = await open(path, 'a');
    if (at < bytes.length) await file.truncate(at); // a torn end
    await syncFolder(dirname(path));
    return new KeyValueLog({ path, values, file, size: at, isFlushed: flush === 'always' });
  }

  private constructor(given: {
    path: string;
    values: Map<string, unknown>;
    file: FileHandle;
    size: number;
    isFlushed: boolean;
  }) {
    this.#path = given.path;
    this.#values = given.values;
    this.#file = given.file;
    this.#size = given.size;
    this.#liveSize = given.size;
    this.#isFlushed = given.isFlushed;
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  // All keys that begin with the prefix.
  *entries(prefix: string): Generator<[key: string, value: unknown]> {
    for (const [key, value] of this.#values) if (key.startsWith(prefix)) yield [key.slice(prefix.length), value];
  }

  // Several changes are written together; null deletes. Readers see them at once, the promise waits for the write.
  async put(changes: [key: string, value: unknown][]): Promise<void> {
    for (const [key, value] of changes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
      this.#queue.push(encode(key, value));
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
    const bytes = Buffer.concat([...this.#values].map(([key, value]) => encode(key, value)));
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

function encode(key: string, value: unknown): Buffer {
  const line = Buffer.from(JSON.stringify([key, value]));
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(line.length);
  header.writeUInt32BE(crc32c(line), 4);
  return Buffer.concat([header, line]);
}

// A cache of files that are open for reading: the most recently used ones, up to a limit, so that reading a small blob
// is one system call. A file is closed when no reader uses it any more.
import { type FileHandle, open } from 'node:fs/promises';

interface Entry {
  file: Promise<FileHandle>;
  users: number;
  isForgotten: boolean;
}

export class OpenFiles {
  readonly #most: number;
  readonly #entries = new Map<string, Entry>(); // by path; the one used longest ago first

  constructor(most: number) {
    this.#most = most;
  }

  async use<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(path) ?? { file: open(path, 'r'), users: 0, isForgotten: false };
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    entry.users += 1;
    try {
      return await read(await entry.file);
    } catch (error) {
      if (await isNotOpen(entry)) await this.forget(path);
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.isForgotten) await closeUnused(entry);
      else await this.#trim();
    }
  }

  // Called when a file is removed.
  async forget(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#entries.delete(path);
    entry.isForgotten = true;
    await closeUnused(entry);
  }

  async close(): Promise<void> {
    for (const path of [...this.#entries.keys()]) await this.forget(path);
  }

  async #trim(): Promise<void> {
    if (this.#entries.size <= this.#most) return;
    for (const [path, { users }] of this.#entries)
      if (users === 0) {
        await this.forget(path);
        return;
      }
  }
}

const isNotOpen = ({ file }: Entry): Promise<boolean> =>
  file.then(
    () => false,
    () => true,
  );

async function closeUnused(entry: Entry): Promise<void> {
  if (entry.users > 0) return;
  const file = await entry.file.catch(() => undefined);
  await file?.close();
}

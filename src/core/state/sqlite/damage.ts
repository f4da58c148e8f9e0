// Remembers that some page of the file can't be read: from then on nothing is written, which might make it worse. A
// marker file next to the state outlives the process, so that the next one knows before it reads that page.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage } from './faults.ts';

export class Damage {
  readonly #marker: string;
  #isKnown: boolean;

  // A marker is removed when the file has been repaired or replaced: when its integrity check passes.
  constructor(file: string, db: DatabaseSync) {
    this.#marker = `${file}-damaged`;
    this.#isKnown = existsSync(this.#marker) && !isIntact(db);
    if (!this.#isKnown) this.forget();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  note(error: unknown): void {
    if (this.#isKnown || !isDamage(error)) return;
    this.#isKnown = true;
    try {
      writeFileSync(this.#marker, 'A part of the state can not be read. Restore a backup.\n', { mode: 0o600 });
    } catch {
      // the disk itself may be broken
    }
  }

  // The state was replaced.
  forget(): void {
    this.#isKnown = false;
    rmSync(this.#marker, { force: true });
  }
}

function isIntact(db: DatabaseSync): boolean {
  try {
    return Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0] === 'ok';
  } catch {
    return false;
  }
}

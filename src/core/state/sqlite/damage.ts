// What is known of a file of which some page can't be read: from then on nothing is written, which might make it worse.
// A mark beside the file outlasts the process, so that the next one does not have to meet the page again first.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage } from './faults.ts';

export class Damage {
  readonly #mark: string;
  #isKnown: boolean;

  // Whoever has mended the file, or put another in its place, is believed as soon as it reads well.
  constructor(file: string, db: DatabaseSync) {
    this.#mark = `${file}-damaged`;
    this.#isKnown = existsSync(this.#mark) && !readsWell(db);
    if (!this.#isKnown) this.forget();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  judge(error: unknown): void {
    if (this.#isKnown || !isDamage(error)) return;
    this.#isKnown = true;
    try {
      writeFileSync(this.#mark, 'A part of the state can not be read: restore a copy.\n', { mode: 0o600 });
    } catch {
      // the disk may be what is broken
    }
  }

  // Another state was put in its place.
  forget(): void {
    this.#isKnown = false;
    rmSync(this.#mark, { force: true });
  }
}

function readsWell(db: DatabaseSync): boolean {
  try {
    return Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0] === 'ok';
  } catch {
    return false;
  }
}

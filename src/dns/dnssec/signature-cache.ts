// Signatures of all zones, by zone, owner and type. The least recently used ones are dropped first.
import type { RecordSet } from '../server/zone-data.ts';

export interface Signature {
  set: RecordSet;
  data: Buffer; // of its RRSIG record
  untilS: number;
}

type Entry = Signature & { bytes: number };

const entryBytes = 300; // about, in addition to the data

export class SignatureCache {
  readonly #mostBytes: number;
  readonly #entries = new Map<string, Entry>(); // the least recently used first
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: string): Signature | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  keep(key: string, signature: Signature): void {
    this.remove(key);
    const bytes = sizeOf(key, signature);
    this.#entries.set(key, { ...signature, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.remove(oldest);
    }
  }

  remove(key: string): void {
    const found = this.#entries.get(key);
    if (!found) return;
    this.#entries.delete(key);
    this.#bytes -= found.bytes;
  }
}

// Compares the set, which may have been replaced in its zone.
const sizeOf = (key: string, { set, data }: Signature): number =>
  set.data.reduce((sum, one) => sum + one.length, entryBytes + key.length + data.length);

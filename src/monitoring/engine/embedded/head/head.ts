// The head: the arena that receives samples, and full ones that wait for their flush. Each has a write-ahead log of the
// same number, its segment; both are created and removed together.
import { globSync, rmSync } from 'node:fs';
import { randomHex } from '../../../../base/ids.ts';
import { logName, logNumber, openLog, removeLog, type WriteAheadLog } from '../write-ahead-log.ts';
import { Arena, type ArenaShape } from './arena.ts';

// Messages to readers, which see only announced arenas.
export type HeadMessage = { arena: ArenaShape } | { gone: number } | { reset: true };

export interface HeadOptions {
  folder: string;
  now: () => number;
  arenaSamples: number;
  mostAheadBytes: number;
  tell: (message: HeadMessage) => void;
  begun: (log: string, seed: number) => void; // stores the seed, and that the log must exist
}

export interface Segment {
  arena: Arena;
  ahead: WriteAheadLog | undefined; // undefined: of an earlier process, read only
  begunAt: number;
}

const mostSpare = 2;

export class Head {
  readonly #options: HeadOptions;
  readonly #memory: SharedArrayBuffer[] = []; // of released arenas
  readonly #files: string[] = []; // of released logs
  readonly sealed: Segment[] = [];
  #current: Segment | undefined;
  #number: number; // of the latest segment

  constructor(options: HeadOptions, flushed: number) {
    this.#options = options;
    this.#number = flushed;
  }

  // Returns the segments that an earlier process left.
  static leftBehind(folder: string): number[] {
    const numbers = globSync('ahead-*.log', { cwd: folder }).map(logNumber);
    return numbers.filter(Number.isSafeInteger).sort((a, b) => a - b);
  }

  // Creates an arena for such a segment, invisible to readers until it is sealed.
  restored(number: number, capacity: number): Arena {
    this.#number = Math.max(this.#number, number);
    return Arena.create(number, capacity, capacity === this.#options.arenaSamples ? this.#memory.pop() : undefined);
  }

  addRestored(arena: Arena): void {
    this.sealed.push({ arena, ahead: undefined, begunAt: this.#options.now() });
    this.#options.tell({ arena: arena.shape });
  }

  get current(): Segment | undefined {
    return this.#current;
  }

  get segments(): Segment[] {
    return this.#current ? [...this.sealed, this.#current] : this.sealed;
  }

  // Returns the messages that a new reader needs.
  messages(): HeadMessage[] {
    return this.segments.map(({ arena }) => ({ arena: arena.shape }));
  }

  // Returns a segment with space for this many samples and series: a push is never split between two.
  take(samples: number, series: number): Segment {
    if (this.#current && !this.#hasRoom(this.#current, samples, series)) this.seal();
    this.#current ??= this.#begin(samples, series);
    return this.#current;
  }

  #hasRoom({ arena, ahead }: Segment, samples: number, series: number): boolean {
    return arena.hasRoom(samples, series) && (ahead?.bytes ?? 0) < this.#options.mostAheadBytes;
  }

  #begin(samples: number, series: number): Segment {
    const { arenaSamples, now, tell } = this.#options;
    const capacity = Math.max(arenaSamples, samples, series * 4);
    const spare = this.#files.pop();
    const ahead = this.#beginLog(this.#number + 1, spare);
    this.#number += 1;
    const memory = capacity === arenaSamples ? this.#memory.pop() : undefined;
    const arena = Arena.create(this.#number, capacity, memory);
    tell({ arena: arena.shape });
    return { arena, ahead, begunAt: now() };
  }

  #beginLog(number: number, spare: string | undefined): WriteAheadLog {
    const { folder, begun } = this.#options;
    const seed = Number.parseInt(randomHex(4), 16);
    const ahead = openLog(folder, number, seed, spare);
    try {
      begun(logName(number), seed);
      return ahead;
    } catch (error) {
      ahead.remove();
      throw error;
    }
  }

  // Seals the current segment.
  seal(): void {
    if (this.#current) this.sealed.push(this.#current);
    this.#current = undefined;
  }

  // Releases the first sealed segment after its flush.
  finish(): void {
    const { folder, arenaSamples, tell } = this.#options;
    const done = this.sealed.shift();
    if (!done) return;
    const { segment, capacity, memory } = done.arena.shape;
    tell({ gone: segment });
    if (!done.ahead) removeLog(folder, segment);
    else if (this.#files.length < mostSpare) this.#files.push(done.ahead.release());
    else done.ahead.remove();
    if (capacity === arenaSamples && this.#memory.length < mostSpare) this.#memory.push(memory);
  }

  // Removes spare files on close, because the next process does not use them.
  close(): void {
    for (const file of this.#files.splice(0)) rmSync(file, { force: true });
    for (const { ahead } of this.segments) ahead?.release();
  }
}

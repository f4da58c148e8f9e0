// Damage of the write-ahead log of an SQLite file that no process has open. SQLite itself reports none: it takes a log
// up to the first frame with a wrong checksum, as after a crash, and drops the rest. The file of shared memory, which a
// process that was killed leaves behind, says how many frames were committed.
import { readFileSync } from 'node:fs';

const headBytes = 32;
const frameHeadBytes = 24;
const bigEndianMagic = 0x377f0683;
const shownBytes = 48; // of the index in the shared memory; it is there twice

// Undefined: there is none.
export function sqliteLogDamage(file: string): string | undefined {
  const path = `${file}-wal`;
  const log = bytesOf(path);
  const shown = indexOf(bytesOf(`${file}-shm`));
  const lost = 'what was written after it is lost when the file is opened';
  if (!log || log.length === 0) {
    if (!shown || shown.frames <= shown.copied) return undefined;
    return `${path} is ${log ? 'empty' : 'missing'}, with the last changes of ${file}`;
  }
  if (log.length <= headBytes) return undefined;
  const frames = new Frames(log);
  if (!frames.hasRightHead) return `${path} is damaged at byte 0: ${lost}`;
  const whole = frames.countWhole();
  const isShort = shown !== undefined && frames.hasSalts(shown.salts) && whole < shown.frames;
  return isShort || frames.goesOnBehind(whole)
    ? `${path} is damaged at byte ${frames.startOf(whole)}: ${lost}`
    : undefined;
}

class Frames {
  readonly hasRightHead: boolean;
  readonly #log: Buffer;
  readonly #pageBytes: number;
  readonly #read: (bytes: Buffer, at: number) => number;

  constructor(log: Buffer) {
    const isBig = log.readUInt32BE(0) === bigEndianMagic;
    this.#log = log;
    this.#pageBytes = log.readUInt32BE(8);
    this.#read = isBig ? (bytes, at) => bytes.readUInt32BE(at) : (bytes, at) => bytes.readUInt32LE(at);
    const isLog = isBig || log.readUInt32BE(0) === bigEndianMagic - 1;
    this.hasRightHead = isLog && this.#sum([0, 0], 0, 24).every((sum, at) => sum === log.readUInt32BE(24 + 4 * at));
  }

  startOf(frame: number): number {
    return headBytes + frame * (frameHeadBytes + this.#pageBytes);
  }

  hasSalts(salts: Buffer): boolean {
    return salts.equals(this.#log.subarray(16, 24));
  }

  // Frames from the beginning on that are as they were written. Each checksum continues the one before.
  countWhole(): number {
    let before: Sums = [this.#log.readUInt32BE(24), this.#log.readUInt32BE(28)];
    for (let frame = 0; ; frame++) {
      const at = this.startOf(frame);
      if (this.startOf(frame + 1) > this.#log.length || this.#saltsOf(frame) !== 2) return frame;
      const sums = this.#sum(this.#sum(before, at, 8), at + frameHeadBytes, this.#pageBytes);
      if (sums.some((sum, index) => sum !== this.#log.readUInt32BE(at + 16 + 4 * index))) return frame;
      before = sums;
    }
  }

  // Whether frames of later commits follow a frame that is not whole. A crash may leave the commit that it cut short;
  // no other is begun before that one is synced.
  goesOnBehind(broken: number): boolean {
    if (this.startOf(broken + 1) <= this.#log.length && this.#saltsOf(broken) === 1) return true;
    let isBehindCommit = false;
    for (let frame = broken; this.startOf(frame + 1) <= this.#log.length; frame++) {
      if (this.#saltsOf(frame) < 2) continue; // left over from an earlier use of the file
      if (isBehindCommit) return true;
      isBehindCommit = this.#log.readUInt32BE(this.startOf(frame) + 4) > 0;
    }
    return false;
  }

  // How many of the two salts of a frame are those of the file.
  #saltsOf(frame: number): number {
    const at = this.startOf(frame) + 8;
    const same = (index: number): number =>
      this.#log.readUInt32BE(at + index) === this.#log.readUInt32BE(16 + index) ? 1 : 0;
    return same(0) + same(4);
  }

  #sum([first, second]: Sums, from: number, length: number): Sums {
    for (let at = from; at < from + length; at += 8) {
      first = (first + this.#read(this.#log, at) + second) >>> 0;
      second = (second + this.#read(this.#log, at + 4) + first) >>> 0;
    }
    return [first, second];
  }
}

type Sums = [first: number, second: number];

interface LogIndex {
  frames: number; // that were committed
  copied: number; // of them into the file
  salts: Buffer;
}

// Undefined: it is not there, or a crash cut it short.
function indexOf(shared: Buffer | undefined): LogIndex | undefined {
  if (!shared || shared.length < 2 * shownBytes + 4) return undefined;
  const [shown, again] = [shared.subarray(0, shownBytes), shared.subarray(shownBytes, 2 * shownBytes)];
  if (!shown.equals(again) || shown[12] !== 1) return undefined;
  return { frames: shown.readUInt32LE(16), copied: shared.readUInt32LE(2 * shownBytes), salts: shown.subarray(32, 40) };
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

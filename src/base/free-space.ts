// Whether a disk has room. File systems that don't know their size are taken as if they had.
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from './fault.ts';

export const leastRoom = 1 << 20; // what a region writes down when it stops, and needs to start again
const cachedMs = 1000;

export function hasRoom(folder: string, bytes: number): boolean {
  const { blocks, bavail, bsize, files, ffree } = statfsSync(folder);
  const hasBytes = blocks === 0 || bavail * bsize >= bytes;
  return hasBytes && (files === 0 || ffree > 0); // a disk can also have no room for another file
}

// Zeros where the file system doesn't know its size.
export function spaceOf(folder: string): { freeBytes: number; bytes: number } {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}

// Returns which of the folders is on a full disk; it looks at most once a second.
export function watchRoom(folders: readonly string[]): () => string | undefined {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let full: string | undefined;
  return () => {
    if (performance.now() - lookedAt >= cachedMs) {
      full = folders.find((folder) => !hasRoom(folder, leastRoom));
      lookedAt = performance.now();
    }
    return full;
  };
}

const mostReserve = 1_000_000_000;
const reserveShare = 0.05; // of a small disk
const lineCost = 512; // an empty file takes space too

// Watches the disk while a file is unpacked that may hold any amount: some space is kept free for whatever else writes
// there, such as the running region.
export function spaceGuard(target: string): (bytes: number) => void {
  let folder = target;
  while (!existsSync(folder)) folder = dirname(folder); // it may be created with the first file
  const { blocks, bsize } = statfsSync(folder);
  const reserve = Math.min(mostReserve, blocks * bsize * reserveShare);
  const step = Math.min(16 * 1024 * 1024, reserve / 2);
  const check = (needed: number): void => {
    if (!hasRoom(folder, needed)) throw new Fault('unavailable', 'The disk is full: there is no room to unpack it.');
  };
  let unchecked: number | undefined;
  return (bytes) => {
    if (unchecked === undefined) check(leastRoom + step); // a small file needs no more
    unchecked = (unchecked ?? 0) + bytes + lineCost;
    if (unchecked < step) return;
    unchecked = 0;
    check(reserve);
  };
}

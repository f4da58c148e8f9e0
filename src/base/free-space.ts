// Whether a disk has room. File systems that don't know their size are taken as if they had.
import { statfsSync } from 'node:fs';

export const leastRoom = 1 << 20; // what a region writes down when it stops, and needs to start again
const cachedMs = 1000;

export function hasRoom(folder: string, bytes: number): boolean {
  const { blocks, bavail, bsize, files, ffree } = statfsSync(folder);
  const hasBytes = blocks === 0 || bavail * bsize >= bytes;
  return hasBytes && (files === 0 || ffree > 0); // a disk can also have no room for another file
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

// Whether a disk has room. File systems that don't know their size are taken as if they had.
import { statfsSync } from 'node:fs';

export function hasRoom(folder: string, bytes: number): boolean {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 || bavail * bsize >= bytes;
}

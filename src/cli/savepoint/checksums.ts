// Checksums of the state in a save point. A region does not start on a damaged state, and by then the state that it had
// would be gone: so they are compared before anything is replaced.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type SavedPart, writeWhole } from './restore-files.ts';

const checked: readonly SavedPart[] = ['state.db', 'state.db-wal'];
const fileName = 'checksums.json';
const chunkBytes = 1 << 20;

type Checksums = Partial<Record<SavedPart, number>>;

export async function writeChecksums(savePoint: string, data: string): Promise<void> {
  const sums: Checksums = {};
  for (const part of checked) {
    const sum = await checksumOf(join(data, part));
    if (sum !== undefined) sums[part] = sum;
  }
  await writeWhole(join(savePoint, fileName), sums);
}

// The first one that is not as it was when the save point was made.
export async function damagedPart(savePoint: string, data: string): Promise<SavedPart | undefined> {
  const sums = JSON.parse(readFileSync(join(savePoint, fileName), 'utf8')) as Checksums;
  for (const part of checked) if ((await checksumOf(join(data, part))) !== sums[part]) return part;
  return undefined;
}

async function checksumOf(file: string): Promise<number | undefined> {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  let sum = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) sum = crc32(chunk as Buffer, sum);
  return sum;
}

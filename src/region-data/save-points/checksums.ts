// Checksums of the state in a save point. A region does not start on a damaged state, and its previous state would be
// lost by then, so the checksums are compared before anything is replaced.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { stateFiles } from '../parts.ts';
import { writeWhole } from './restore-files.ts';

const fileName = 'checksums.json';
const chunkBytes = 1 << 20;

type Checksums = Partial<Record<(typeof stateFiles)[number], number>>;

export async function writeChecksums(savePoint: string, data: string): Promise<void> {
  const sums: Checksums = {};
  for (const part of stateFiles) {
    const sum = await checksumOf(join(data, part));
    if (sum !== undefined) sums[part] = sum;
  }
  await writeWhole(join(savePoint, fileName), sums);
}

// The first file that differs from the time of the save point. Save points of earlier versions have no checksums.
export async function damagedPart(savePoint: string, data: string): Promise<string | undefined> {
  if (!existsSync(join(savePoint, fileName))) return undefined;
  const sums = readChecksums(savePoint);
  if (!sums) return fileName;
  for (const part of stateFiles) if ((await checksumOf(join(data, part))) !== sums[part]) return part;
  return undefined;
}

function readChecksums(savePoint: string): Checksums | undefined {
  try {
    return JSON.parse(readFileSync(join(savePoint, fileName), 'utf8')) as Checksums;
  } catch {
    return undefined;
  }
}

async function checksumOf(file: string): Promise<number | undefined> {
  if (!existsSync(file)) return undefined;
  let sum = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) sum = crc32(chunk as Buffer, sum);
  return sum;
}

// Reads all segments and write-ahead logs of an engine, running or not, and reports damaged ones, including damage
// found when it was opened. It changes nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseCheckedJson } from '../../../base/checked-json.ts';
import { isDamagedCopy } from '../../../base/files/damaged-copy.ts';
import { damageOfLog } from '../../../core/record-log/record-reader.ts';
import { type BlockEntry, blockBytes, bodyBytes } from './block/block.ts';
import { chunksFile, type Manifest, manifestFile, readManifest } from './manifest.ts';
import { readDirectory, segmentName } from './segment.ts';
import { entryReader, logName, logNumber } from './write-ahead-log.ts';

export interface LogsCheck {
  segments: number; // number of segments read
  damage: string[];
}

type Listed = Manifest['segments'][number];

export async function checkSegments(folder: string): Promise<LogsCheck> {
  const damage = listDamage(folder);
  const manifest = manifestOf(folder);
  if (!manifest || !existsSync(join(folder, manifestFile))) return { segments: 0, damage };
  for (const segment of manifest.segments) {
    const found = await damageOf(folder, segment);
    // A running engine may have merged it into another one since.
    if (found !== undefined && isListed(folder, segment)) damage.push(found);
  }
  damage.push(...damageOfLogs(folder, manifest), ...damageOfChunks(folder, manifest));
  return { segments: manifest.segments.length, damage };
}

// Damage that is visible without reading the lines: of the file list, and of listed files that are missing.
export function listDamage(folder: string): string[] {
  const manifest = manifestOf(folder);
  const list = join(folder, manifestFile);
  if (!manifest) return [`${list} is damaged: all lines of this folder are lost`];
  const names = readdirSync(folder);
  if (names.length > 0 && !names.includes(manifestFile)) return [`${list} is missing: it is the list of all log files`];
  const isMissing = (name: string): boolean => !existsSync(join(folder, name));
  const missing = filesOf(manifest).filter(isMissing);
  if (missing.length === 0) return [];
  const now = new Set(filesOf(readManifest(folder))); // a running engine may have removed some since
  return missing
    .filter((name) => now.has(name) && isMissing(name))
    .map((name) => `${join(folder, name)} is missing, with all of its lines`);
}

const filesOf = ({ segments, logs = [] }: Manifest): string[] => [
  ...segments.map(({ number }) => segmentName(number)),
  ...logs.map(({ number }) => logName(number)),
];

// Undefined if it is damaged.
function manifestOf(folder: string): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    return undefined;
  }
}

function damageOfChunks(folder: string, { chunks }: Manifest): string[] {
  const path = join(folder, chunksFile);
  const then = 'a chunk that a sender repeats may be stored twice';
  if (!existsSync(path)) return chunks ? [`${path} is missing: ${then}`] : [];
  try {
    parseCheckedJson(readFileSync(path, 'utf8'));
    return [];
  } catch {
    return [`${path} is damaged: ${then}`];
  }
}

function damageOfLogs(folder: string, { logs }: Manifest): string[] {
  const found: string[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (isDamagedCopy(name)) found.push(`${path} is a copy of a damaged log. Delete it when you no longer need it`);
    const number = logNumber(name);
    const log = logs ? logs.find((one) => one.number === number) : { number };
    if (Number.isNaN(number) || !log) continue;
    // Undefined: the log was sealed in the meantime.
    for (const { at, bytes } of damageOfLog(path, entryReader(log)) ?? [])
      found.push(`${path} is damaged at byte ${at}: ${bytes} bytes of lines are lost`);
  }
  return found;
}

const isListed = (folder: string, { number }: Listed): boolean =>
  readManifest(folder).segments.some((one) => one.number === number);

async function damageOf(folder: string, { number, dropped }: Listed): Promise<string | undefined> {
  const path = join(folder, segmentName(number));
  if (!existsSync(path)) return undefined; // reported by listDamage
  const file = await open(path, 'r');
  try {
    const streams = readDirectory(folder, number, (await file.stat()).size);
    if (!streams) return `the directory of ${path} is damaged: all of its lines are missing`;
    const gone = new Set(dropped);
    const blocks = streams.flatMap((stream) => stream.blocks).filter(({ at }) => !gone.has(at));
    let lines = 0;
    for (const block of blocks) if (!(await isWhole(file, block))) lines += block.count;
    return lines === 0 ? undefined : `blocks of ${path} are damaged: ${lines} lines can't be read`;
  } finally {
    await file.close();
  }
}

async function isWhole(file: FileHandle, block: BlockEntry): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes(block)), 0, blockBytes(block), block.at);
  const body = bodyBytes(block);
  const sums = [crc32(buffer.subarray(0, body)), crc32(buffer.subarray(body))];
  return bytesRead === buffer.length && sums.every((sum, index) => sum === block.sums[index]);
}

// The files of the engine for a backup, whether it runs or not. The logs are read first, then the segments, and their
// list last: lines of a log that was sealed and removed during the copy are in a segment. So the copy equals the files
// after a crash, and opening it recovers all lines that were confirmed before it began.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkedJson } from '../../../base/checked-json.ts';
import { Fault } from '../../../base/fault.ts';
import type { Piece } from '../../../core/state/dump/dump-file.ts';
import { openIfThere, piecesIfThere, piecesIn } from '../../../core/state/dump/file-pieces.ts';
import { logFault } from './faults.ts';
import { chunksFile, type Manifest, manifestFile, readManifest } from './manifest.ts';
import { segmentName, segmentNumber } from './segment.ts';
import { logName, logNumber } from './write-ahead-log.ts';

const prefix = 'logs-'; // prefix of their names in a backup, which also has files of other engines
const isLog = (name: string): boolean => !Number.isNaN(logNumber(name));
const isSegment = (name: string): boolean => !Number.isNaN(segmentNumber(name));

// Returns the engine's file name of a backup piece; undefined: the piece belongs to another engine.
export function logFileOf(piece: string): string | undefined {
  if (!piece.startsWith(prefix)) return undefined;
  const name = piece.slice(prefix.length);
  return isLog(name) || isSegment(name) || name === manifestFile || name === chunksFile ? name : undefined;
}

// Yields the files, the pieces of each one in a row. Yields nothing if no lines were ever stored.
export async function* logPieces(folder: string): AsyncGenerator<Piece> {
  if (!existsSync(folder)) return;
  try {
    const logs = readdirSync(folder).filter(isLog);
    for (const name of logs) yield* piecesIfThere(prefix + name, join(folder, name));
    const manifest = yield* segmentPieces(folder);
    demandLogs(folder, manifest);
    yield* piecesIfThere(prefix + chunksFile, join(folder, chunksFile));
    const listed = manifest.logs && { logs: manifest.logs.filter(({ number }) => logs.includes(logName(number))) };
    yield { name: prefix + manifestFile, bytes: Buffer.from(checkedJson({ ...manifest, ...listed })) };
  } catch (error) {
    throw logFault(error, 'the log lines cannot be copied') ?? error;
  }
}

// A log that was created during the copy is omitted: nothing in it was confirmed before the backup began.
function demandLogs(folder: string, manifest: Manifest): void {
  const isMissing = ({ logs = [] }: Manifest): number | undefined =>
    logs.find(({ number }) => !existsSync(join(folder, logName(number))))?.number;
  const missing = isMissing(manifest) === undefined ? undefined : isMissing(readManifest(folder)); // sealed since
  if (missing !== undefined)
    throw new Fault(
      'refused',
      `${join(folder, logName(missing))} is missing: its lines are lost, and can't be backed up.`,
    );
}

// Yields the segments of one manifest. A missing segment was merged into others, which the next manifest lists.
async function* segmentPieces(folder: string): AsyncGenerator<Piece, Manifest> {
  const copied = new Set<number>();
  for (let before = ''; ; ) {
    const manifest = readManifest(folder);
    const missing = yield* listedPieces(folder, manifest, copied);
    if (missing === undefined) return manifest;
    const text = JSON.stringify(manifest);
    if (text === before)
      throw new Fault('refused', `${join(folder, missing)} is missing: its lines are lost, and can't be backed up.`);
    before = text;
  }
}

// Returns the name of the first missing file.
async function* listedPieces(
  folder: string,
  { segments }: Manifest,
  copied: Set<number>,
): AsyncGenerator<Piece, string | undefined> {
  for (const { number } of segments) {
    if (copied.has(number)) continue;
    const name = segmentName(number);
    const file = await openIfThere(join(folder, name));
    if (!file) return name;
    yield* piecesIn(prefix + name, file);
    copied.add(number);
  }
  return undefined;
}

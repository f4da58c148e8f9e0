// Writes a dump to a file: gzip of JSON lines. The first line is a header, then come the pages, then the pieces of
// attached files, and the last line has the row counts of the tables and the SHA-256 of all lines before it. The file
// gets its name only when it is complete and on disk. It is read by dump-reader.ts.
import { createHash } from 'node:crypto';
import { createWriteStream, lstatSync, realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Fault } from '../../../base/fault.ts';
import { fileError } from '../../../base/file-error.ts';
import { syncFolderNow } from '../../../base/sync-folder.ts';
import type { Dump } from '../engine.ts';
import { type Counts, emptyCounts, shapeVersion } from './dump.ts';
import type { Lock } from './passphrase.ts';

// A backup replaces the state of a region; the export of a save point becomes a save point.
export type DumpKind = 'cumulet state' | 'cumulet savepoint';
// 1 has neither a lock nor attached files, 2 has no bytes of objects, 3 no log lines: versions that know no more read
// these.
export const dumpFormat = 4;
const gzipLevel = 3; // 6 takes twice the time for a tenth less

export interface DumpHeader {
  program: string; // the version that wrote it
  time: string;
  lock?: Lock; // portable: its passphrase opens the secrets
  savePoint?: ExportedSavePoint; // of an export
}

export interface ExportedSavePoint {
  name: string;
  regionTime: string;
  infrastructure?: true; // without data
}

// A piece of a file that is stored next to the state, such as metrics. The pieces of a file follow each other.
export interface Piece {
  name: string; // of the file, without a folder; in an export, below the data folder
  bytes: Buffer;
}

export interface DumpContent {
  header: DumpHeader;
  pages: Dump;
  format?: number; // the lowest that describes its content; absent: that of no or any attached files
  attached?: AsyncIterable<Piece>;
}

export async function writeDump(file: string, content: DumpContent, overwrite: boolean): Promise<Counts> {
  const target = targetOf(file, overwrite);
  const part = `${target}.part`;
  const counts = emptyCounts();
  try {
    rmSync(part, { force: true }); // left by an interrupted dump
    const sink = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(linesOf(content, counts), createGzip({ level: gzipLevel }), sink);
    targetOf(file, overwrite); // it may have been created by another process
    renameSync(part, target);
    syncFolderNow(dirname(target));
    return counts;
  } catch (error) {
    discard(part);
    throw unwritable(file, error);
  }
}

function discard(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // The error that prevented writing it is reported already.
  }
}

// The file that is written or replaced. For a symbolic link that is its target, and the link stays.
export function targetOf(file: string, overwrite: boolean): string {
  const found = foundAt(file);
  if (!found) return file;
  if (!found.isFile()) throw new Fault('refused', `${file} ${otherThanFile(found)}: name another file.`);
  if (overwrite) return realpathSync(file);
  throw new Fault('conflict', `${file} is there already: name another file, or overwrite it with --force.`);
}

function foundAt(file: string): Stats | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
    return statSync(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ELOOP') throw unwritable(file, error);
    throw new Fault('refused', `${file} is a link that leads to nothing: name another file.`);
  }
}

export const otherThanFile = (found: Stats): string =>
  found.isDirectory() ? 'is a folder, not a file' : 'is not a regular file';

async function* linesOf({ header, pages, attached, ...more }: DumpContent, counts: Counts): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const line = (value: unknown): Buffer => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    hash.update(bytes);
    return bytes;
  };
  const { format = header.lock || attached ? 2 : 1 } = more;
  const kind: DumpKind = header.savePoint ? 'cumulet savepoint' : 'cumulet state';
  yield line({ kind, format, shape: shapeVersion, ...header });
  for await (const { table, rows } of pages) {
    counts[table] += rows.length;
    yield line([table, rows]);
  }
  for await (const { name, bytes } of attached ?? []) yield line({ file: name, bytes: bytes.toString('base64') });
  yield Buffer.from(`${JSON.stringify({ rows: counts, sha256: hash.digest('hex') })}\n`);
}

function unwritable(file: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!/^E[A-Z]+$/.test(code) || code.startsWith('ECONN')) return error; // not the file's fault
  const why =
    code === 'ENOSPC'
      ? 'the disk is full'
      : code === 'ENOENT' || code === 'ENOTDIR'
        ? 'there is no such folder'
        : fileError(error);
  return new Fault('unavailable', `${file} can't be written: ${why}.`, { cause: error });
}

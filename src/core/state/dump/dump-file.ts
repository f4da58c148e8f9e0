// A dump as a file: gzip of JSON lines. The first line is a header, then come the pages, and the last line has the row
// counts of the tables and the SHA-256 of all lines before it: a truncated or altered file is detected by reading it to
// its end, and nothing may be changed before that. The file gets its name only when it is complete and on disk.
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Fault } from '../../../base/fault.ts';
import { isObject, type Json } from '../../../base/json.ts';
import type { Dump, DumpPage, DumpRow, DumpTable } from '../engine.ts';
import { type Counts, dumpTables, emptyCounts, shapeOf, shapeVersion } from './dump.ts';

const kind = 'cumulet state';
const format = 1;
const maxLineBytes = 256 * 1024 * 1024; // a longer line is no page of ours
const gzipLevel = 3; // 6 takes twice the time for a tenth less

export interface DumpHeader {
  program: string; // the version that wrote it
  time: string;
}

export interface DumpSummary extends DumpHeader {
  rows: Counts;
}

export async function writeDump(file: string, pages: Dump, header: DumpHeader, overwrite: boolean): Promise<Counts> {
  const target = targetOf(file, overwrite);
  const part = `${target}.part`;
  const counts = emptyCounts();
  try {
    rmSync(part, { force: true }); // left by an interrupted dump
    const sink = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(linesOf(pages, header, counts), createGzip({ level: gzipLevel }), sink);
    targetOf(file, overwrite); // it may have been created meanwhile
    renameSync(part, target);
    sync(dirname(target));
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

const otherThanFile = (found: Stats): string => (found.isDirectory() ? 'is a folder, no file' : 'is no ordinary file');

async function* linesOf(pages: Dump, { program, time }: DumpHeader, counts: Counts): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const line = (value: unknown): Buffer => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    hash.update(bytes);
    return bytes;
  };
  yield line({ kind, format, shape: shapeVersion, program, time });
  for await (const { table, rows } of pages) {
    counts[table] += rows.length;
    yield line([table, rows]);
  }
  yield Buffer.from(`${JSON.stringify({ rows: counts, sha256: hash.digest('hex') })}\n`);
}

// Reads it to its end and gives what it holds, or throws. `look` sees the pages before it is known that they are good.
export async function checkDump(file: string, look: (page: DumpPage) => void = () => {}): Promise<DumpSummary> {
  const rows = emptyCounts();
  let header: DumpHeader = { program: '', time: '' };
  const told = (found: DumpHeader): void => {
    header = found;
  };
  for await (const page of readDump(file, told)) {
    rows[page.table] += page.rows.length;
    look(page);
  }
  return { ...header, rows };
}

export async function* readDump(
  file: string,
  onHeader: (header: DumpHeader) => void = () => {},
): AsyncGenerator<DumpPage> {
  const hash = createHash('sha256');
  const counts = emptyCounts();
  let isBegun = false;
  let isEnded = false;
  let newest = 0; // index of the current table: tables come in a fixed order
  try {
    for await (const line of linesIn(file)) {
      const value = parsed(line);
      if (!isBegun) onHeader(headerOf(file, value));
      else if (isEnded) throw damaged(file, 'something follows its end');
      else if (Array.isArray(value)) {
        const page = pageOf(file, value);
        const at = dumpTables.indexOf(page.table);
        if (at < newest) throw damaged(file, 'its tables are in disorder');
        newest = at;
        counts[page.table] += page.rows.length;
        yield page;
      } else {
        demandSame(file, value, counts, hash.copy().digest('hex'));
        isEnded = true;
      }
      isBegun = true;
      hash.update(line).update('\n');
    }
  } catch (error) {
    throw unreadable(file, error, isBegun);
  }
  if (!isBegun) throw foreign(file);
  if (!isEnded) throw damaged(file, 'its end is missing');
}

async function* linesIn(file: string): AsyncGenerator<Buffer> {
  const found = statSync(file);
  // It is read twice, which only a regular file allows.
  if (!found.isFile()) throw new Fault('refused', `${file} ${otherThanFile(found)}: name a backup.`);
  const source = createReadStream(file);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  let pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let begin = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
        pieces.push(chunk.subarray(begin, end));
        yield pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        pieces = [];
        length = 0;
        begin = end + 1;
      }
      pieces.push(chunk.subarray(begin));
      length += chunk.length - begin;
      if (length > maxLineBytes) throw foreign(file);
    }
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (length > 0) throw damaged(file, 'its end is missing');
}

function parsed(line: Buffer): Json {
  try {
    return JSON.parse(line.toString()) as Json;
  } catch {
    return null;
  }
}

function headerOf(file: string, value: Json): DumpHeader {
  if (!isObject(value) || value.kind !== kind) throw foreign(file);
  const { format: found, shape, program, time } = value;
  if (typeof found !== 'number' || typeof shape !== 'number' || typeof program !== 'string' || typeof time !== 'string')
    throw foreign(file);
  if (found > format || shape > shapeVersion) {
    const known = `(format ${found}.${shape}, this one knows ${format}.${shapeVersion})`;
    throw new Fault('refused', `${file} was written by a newer version of Cumulet, ${program} ${known}: use that one.`);
  }
  return { program, time };
}

function pageOf(file: string, [table, rows]: readonly Json[]): DumpPage {
  const known = dumpTables.find((one) => one === table);
  if (known === undefined || !Array.isArray(rows)) throw damaged(file, 'a page of it is none');
  for (const row of rows) if (!fits(known, row)) throw damaged(file, `a row of ${known} is none`);
  return { table: known, rows: rows as unknown as DumpRow[] };
}

function fits(table: DumpTable, row: Json): boolean {
  const { whole } = shapeOf(table);
  if (!Array.isArray(row) || row.length !== whole.length) return false;
  return whole.every((isNumber, at) => (isNumber ? Number.isSafeInteger(row[at]) : typeof row[at] === 'string'));
}

function demandSame(file: string, value: Json, counts: Counts, sha256: string): void {
  if (!isObject(value) || !isObject(value.rows)) throw damaged(file, 'one of its lines can not be read');
  const { rows } = value;
  if (value.sha256 !== sha256) throw damaged(file, 'it was altered');
  for (const table of dumpTables)
    if (rows[table] !== counts[table]) throw damaged(file, `rows of ${table} are missing`);
}

const foreign = (file: string): Fault =>
  new Fault('refused', `${file} is no backup of Cumulet, or its beginning is damaged.`);

const damaged = (file: string, how: string): Fault => new Fault('refused', `${file} is damaged: ${how}.`);

function unreadable(file: string, error: unknown, isBegun: boolean): unknown {
  if (error instanceof Fault) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new Fault('missing', `There is no file ${file}.`);
  if (code === 'Z_BUF_ERROR') return isBegun ? damaged(file, 'its end is missing') : foreign(file);
  if (code.startsWith('Z_')) return isBegun ? damaged(file, 'it was altered') : foreign(file);
  return code.startsWith('E') ? new Fault('unavailable', `${file} can't be read (${code}).`, { cause: error }) : error;
}

function unwritable(file: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!/^E[A-Z]+$/.test(code) || code.startsWith('ECONN')) return error; // not the file's fault
  const why =
    code === 'ENOSPC' ? 'the disk is full' : code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such folder' : code;
  return new Fault('unavailable', `${file} can't be written: ${why}.`, { cause: error });
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

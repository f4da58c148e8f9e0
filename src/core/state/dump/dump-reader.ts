// Reads the file of a dump. A truncated or altered file is detected by reading it to its end, and nothing may be
// changed before that. The file may come from anyone: every line has limits, and its texts are checked before they are
// shown.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { Fault } from '../../../base/fault.ts';
import { fileError } from '../../../base/file-error.ts';
import { isObject, type Json, type JsonLimits, parseJson, type Values } from '../../../base/json.ts';
import { TimeSlice } from '../../threads/time-slice.ts';
import type { DumpPage, DumpRow, DumpTable } from '../engine.ts';
import { type Counts, dumpTables, emptyCounts, shapeOf, shapeVersion } from './dump.ts';
import {
  type DumpHeader,
  type DumpKind,
  dumpFormat,
  type ExportedSavePoint,
  otherThanFile,
  type Piece,
} from './dump-file.ts';
import { isLock } from './passphrase.ts';

const maxLineBytes = 32 * 1024 * 1024; // a page has 1 MB, and one row more at most
const maxHeaderBytes = 64 * 1024;
const maxNameCharacters = 512; // of an attached file
const lineLimits: JsonLimits = { keys: 100, objects: 10_000 }; // a page has 500 rows
const versionForm = /^\d+(\.\d+){1,3}([-+][\w.+-]{1,64})?$/;
const timeForm = /^\+?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const fileName: Record<DumpKind, RegExp> = {
  'cumulet state': /^\w[\w.-]*$/, // without a folder
  'cumulet savepoint': /^\w[\w.-]*(\/\w[\w.-]*)*$/,
};

export interface DumpSummary extends DumpHeader {
  rows: Counts;
  attachedBytes: number;
}

export interface DumpListener {
  header?(header: DumpHeader): void;
  bytes?(count: number): void; // of each line
  piece?(piece: Piece): void; // of an attached file
}

// The header alone; whether the rest of the file is good is not known.
export async function readHeader(file: string, kind: DumpKind = 'cumulet state'): Promise<DumpHeader> {
  try {
    for await (const line of linesIn(file)) return headerOf(file, parsed(line), kind);
  } catch (error) {
    throw unreadable(file, error, false);
  }
  throw foreign(file);
}

// Reads it to its end and returns its content, or throws. `look` sees the pages before the checksum is checked.
export async function checkDump(
  file: string,
  look: (page: DumpPage) => void = () => {},
  lookAt: (piece: Piece) => void = () => {},
): Promise<DumpSummary> {
  const rows = emptyCounts();
  let header: DumpHeader = { program: '', time: '' };
  let attachedBytes = 0;
  const listener: DumpListener = {
    header(found) {
      header = found;
    },
    piece(piece) {
      attachedBytes += piece.bytes.length;
      lookAt(piece);
    },
  };
  for await (const page of readDump(file, listener)) {
    rows[page.table] += page.rows.length;
    look(page);
  }
  return { ...header, rows, attachedBytes };
}

// Attached files come after the pages, before the generator ends.
export async function* readDump(
  file: string,
  listener: DumpListener = {},
  kind: DumpKind = 'cumulet state',
): AsyncGenerator<DumpPage> {
  const hash = createHash('sha256');
  const counts = emptyCounts();
  let isBegun = false;
  let isEnded = false;
  let newest = 0; // index of the current table: tables come in a fixed order
  const slice = new TimeSlice(); // other calls get their turn, however short the lines are
  try {
    for await (const line of linesIn(file)) {
      await slice.pause();
      listener.bytes?.(line.length);
      const value = parsed(line);
      if (!isBegun) listener.header?.(headerOf(file, value, kind));
      else if (isEnded) throw damaged(file, 'something follows its end');
      else if (Array.isArray(value)) {
        const page = pageOf(file, value);
        const at = dumpTables.indexOf(page.table);
        if (at < newest) throw damaged(file, 'its tables are in disorder');
        newest = at;
        counts[page.table] += page.rows.length;
        yield page;
      } else if (isObject(value) && 'file' in value) {
        newest = dumpTables.length;
        listener.piece?.(pieceOf(file, value, kind));
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
  let mostBytes = maxHeaderBytes;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let begin = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
        pieces.push(chunk.subarray(begin, end));
        yield pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        mostBytes = maxLineBytes;
        pieces = [];
        length = 0;
        begin = end + 1;
      }
      pieces.push(chunk.subarray(begin));
      length += chunk.length - begin;
      if (length > mostBytes)
        throw mostBytes === maxLineBytes ? damaged(file, `a line has more than ${maxLineBytes} bytes`) : foreign(file);
    }
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (length > 0) throw damaged(file, 'its end is missing');
}

function parsed(line: Buffer): Json {
  try {
    return parseJson(line, lineLimits);
  } catch {
    return null;
  }
}

function headerOf(file: string, value: Json, kind: DumpKind): DumpHeader {
  if (!isObject(value)) throw foreign(file);
  if (value.kind !== kind) throw otherKind(file, value.kind);
  const { format: found, shape, program, time, lock, savePoint } = value;
  if (typeof found !== 'number' || typeof shape !== 'number' || typeof program !== 'string' || typeof time !== 'string')
    throw foreign(file);
  // They are shown in lists and messages.
  if (!versionForm.test(program) || !timeForm.test(time)) throw damaged(file, 'its version or its time is not valid');
  if (found > dumpFormat || shape > shapeVersion) {
    const known = `(format ${found}.${shape}, this one knows ${dumpFormat}.${shapeVersion})`;
    throw new Fault('refused', `${file} was written by a newer version of Cumulet, ${program} ${known}: use that one.`);
  }
  if (lock !== undefined && !isLock(lock)) throw damaged(file, 'the check of its passphrase can not be read');
  const of = kind === 'cumulet savepoint' ? { savePoint: savePointOf(file, savePoint) } : {};
  return { program, time, ...(lock === undefined ? {} : { lock }), ...of };
}

function savePointOf(file: string, value: Json | undefined): ExportedSavePoint {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.regionTime !== 'string')
    throw damaged(file, 'the description of its save point can not be read');
  if (!timeForm.test(value.regionTime)) throw damaged(file, "the region's time is not valid");
  const { name, regionTime, infrastructure } = value;
  return { name, regionTime, ...(infrastructure === true && { infrastructure }) };
}

function pieceOf(file: string, { file: name, bytes }: Values, kind: DumpKind): Piece {
  const isName = typeof name === 'string' && name.length <= maxNameCharacters && fileName[kind].test(name);
  if (!isName || typeof bytes !== 'string') throw damaged(file, 'a piece of an attached file is not valid');
  return { name, bytes: Buffer.from(bytes, 'base64') };
}

function pageOf(file: string, [table, rows]: readonly Json[]): DumpPage {
  const known = dumpTables.find((one) => one === table);
  if (known === undefined || !Array.isArray(rows)) throw damaged(file, 'a page of it is not valid');
  for (const row of rows) if (!fits(known, row)) throw damaged(file, `a row of ${known} is not valid`);
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

const otherKinds: Readonly<Record<DumpKind, string>> = {
  'cumulet state': 'is a backup: use state restore',
  'cumulet savepoint': 'is an export of a save point: use savepoint import',
};

function otherKind(file: string, kind: Json | undefined): Fault {
  const known = typeof kind === 'string' && Object.hasOwn(otherKinds, kind) ? otherKinds[kind as DumpKind] : undefined;
  return known === undefined ? foreign(file) : new Fault('refused', `${file} ${known}.`);
}

const foreign = (file: string): Fault =>
  new Fault(
    'refused',
    `${file} is neither a backup of Cumulet nor an export of a save point, or its beginning is damaged.`,
  );

const damaged = (file: string, how: string): Fault => new Fault('refused', `${file} is damaged: ${how}.`);

function unreadable(file: string, error: unknown, isBegun: boolean): unknown {
  if (error instanceof Fault) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new Fault('missing', `There is no file ${file}.`);
  if (code === 'Z_BUF_ERROR') return isBegun ? damaged(file, 'its end is missing') : foreign(file);
  if (code.startsWith('Z_')) return isBegun ? damaged(file, 'it was altered') : foreign(file);
  return code.startsWith('E')
    ? new Fault('unavailable', `${file} can't be read: ${fileError(error)}.`, { cause: error })
    : error;
}

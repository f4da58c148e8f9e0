// The lock of a data folder: one process per folder. The lock is an SQLite transaction on a separate file, because that
// is the only lock in Node that the kernel releases however the process dies. Nothing else in this process may open
// that file: closing it anywhere would release the lock.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../base/fault.ts';
import { isObject, parseJson } from '../base/json.ts';
import { parts } from './parts.ts';
import { recoverRestore } from './save-points/restore-files.ts';

export interface LockedFolder {
  path: string;
  release(): void;
}

const format = 1; // of the folder as a whole; the state in it has its own version
const timeoutMs = 150; // a process that only checks the lock has it for a moment
const busy = 5; // SQLITE_BUSY
const full = 13; // SQLITE_FULL

// References to open locks: a lock that is garbage collected is released.
const locks = new Set<DatabaseSync>();

// Where the region's state is expected: in this folder, elsewhere, or either.
export type StateSite = 'here' | 'elsewhere' | 'any';

// `home`: the data folder of the region, if this folder only has its state.
export function lockFolder(path: string, state: StateSite = 'here', home = path): LockedFolder {
  try {
    makeFolder(path);
    demandOurs(path);
    closeSync(openSync(lockFile(path), 'a', 0o600));
  } catch (error) {
    throw error instanceof Fault ? error : unusable(path, error);
  }
  const lock = acquireLock(path, home === path);
  try {
    checkFormat(path);
    recoverRestore(path);
    removeUnfinished(path);
    if (state === 'here') checkWhole(path);
    if (state === 'elsewhere') demandNoState(path);
    writeFileSync(pidFile(path), `${process.pid}\n${home === path ? '' : `${home}\n`}`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error instanceof Fault ? error : unusable(path, error);
  }
  locks.add(lock);
  return {
    path,
    release() {
      rmSync(pidFile(path), { force: true });
      lock.close();
      locks.delete(lock);
    },
  };
}

// Not mkdir's `recursive`: that loops forever below folders such as /proc, where no folder can be created.
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

function acquireLock(path: string, isHome: boolean): DatabaseSync {
  const lock = new DatabaseSync(lockFile(path), { timeout: timeoutMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (codeOf(error) !== busy) throw unusable(path, error);
    const pid = lockHolder(path);
    const who = pid === undefined ? 'another process' : `another process (pid ${pid})`;
    const [what, option] = isHome ? ['data folder ', '--data'] : ['state sqlite:', '--state'];
    throw new Fault('conflict', `The ${what}${path} is in use by ${who}: stop that one, or name another ${option}.`);
  }
}

export function isLocked(path: string): boolean {
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(lockFile(path), { readOnly: true, timeout: 0 });
  } catch {
    return false; // it was never locked
  }
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return codeOf(error) === busy;
  } finally {
    lock.close();
  }
}

// The pid of the holder, for messages only: it may be stale.
export function lockHolder(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile(path), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

// The data folder of the region that holds the lock, which has its socket: another one if only its state is here.
export function homeOf(path: string): string {
  try {
    return readFileSync(pidFile(path), 'utf8').split('\n')[1] || path;
  } catch {
    return path;
  }
}

function checkFormat(path: string): void {
  const file = join(path, 'folder.json');
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    writeFileSync(file, `${JSON.stringify({ format })}\n`, { mode: 0o600, flush: true });
    return;
  }
  const found = formatOf(bytes);
  if (found === undefined) {
    throw new Fault(
      'unavailable',
      `${file} is damaged or belongs to another program. Name another data folder with --data.`,
    );
  }
  if (found > format) {
    const message = `The data folder ${path} was written by a newer version of Cumulet (format ${found}, `;
    throw new Fault('unavailable', `${message}this one knows ${format}): start that version, or name another --data.`);
  }
}

const ourFiles =
  /^(folder\.json|lock.*|region\.(key.*|pid)|owner\.json|ca\.pem|admin\.sock|node|state\.db.*|models\.json|cumulet\.log.*)$/;

// Refuses folders of other programs, and leaves them unchanged.
function demandOurs(path: string): void {
  const names = readdirSync(path);
  if (names.includes('folder.json') || names.every((name) => ourFiles.test(name) || name === 'lost+found')) return;
  if (names.includes('state.db') && names.includes('region.key'))
    throw new Fault(
      'refused',
      `${join(path, 'folder.json')} is missing: put it back, with the content {"format":${format}}, if this folder is Cumulet's.`,
    );
  throw new Fault(
    'refused',
    `The folder ${path} is not empty and is not a data folder of Cumulet. Name another --data.`,
  );
}

// A region here would be hidden by one whose state is elsewhere, and its owner.json overwritten.
function demandNoState(path: string): void {
  if (!hasState(path)) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} already contains a region. Name another --data, or move that region first with ` +
      '`state copy`, and then move its state.db away.',
  );
}

const sizeOf = (path: string, name: string): number => statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0;

export const hasState = (path: string): boolean => sizeOf(path, 'state.db') > 0 || sizeOf(path, 'state.db-wal') > 0;

export function demandNoNode(path: string): void {
  if (!existsSync(join(path, 'node'))) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} belongs to a node whose state is in PostgreSQL. Pass that --state, or name another --data.`,
  );
}

// The first start writes and syncs the state before any other file. So other files without a state mean that the state
// was lost, not that a first start was interrupted.
function checkWhole(path: string): void {
  if (hasState(path)) return;
  demandNoNode(path);
  const rest = ['region.key', 'owner.json', 'ca.pem'].filter((name) => existsSync(join(path, name)));
  if (rest.length === 0) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} has ${rest.join(', ')} but no state.db, as after an incomplete restore. Put state.db back, ` +
      'name its location with --state, or name another --data. To start over, move the folder away.',
  );
}

function formatOf(bytes: Buffer): number | undefined {
  try {
    const value = parseJson(bytes);
    return isObject(value) && typeof value.format === 'number' ? value.format : undefined;
  } catch {
    return undefined;
  }
}

// Leftovers of a killed backup or restore may be as large as all data. Where the old files of a part were set aside,
// the state is the restored one, and the new files belong to it.
function removeUnfinished(path: string): void {
  for (const part of parts.map(({ name }) => join(path, name)))
    if (existsSync(`${part}.replaced`) && !existsSync(part)) renameSync(`${part}.restoring`, part);
  const isUnfinished = (name: string): boolean =>
    parts.some((part) => name.startsWith(`${part.name}.`)) && /\.(restoring|replaced|copy)(-\w+)?$/.test(name);
  for (const name of readdirSync(path))
    if (isUnfinished(name)) rmSync(join(path, name), { recursive: true, force: true });
}

// The keys of pipelines that a seed created.
export const keysFile = 'seed-keys.json';

export const authorityFile = (data: string): string => join(data, 'ca.pem');

// Writes a file that others may read, atomically.
export function writePublic(file: string, text: string): void {
  if (textOf(file) === text) return;
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, file);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

export const lockFile = (path: string): string => join(path, 'lock');
const pidFile = (path: string): string => join(path, 'pid');

const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;

function unusable(path: string, error: unknown): Fault {
  const { code, message } = error as NodeJS.ErrnoException;
  if (codeOf(error) === full || code === 'ENOSPC')
    return new Fault('unavailable', `The disk that holds ${path} is full: make room on it first.`, { cause: error });
  const denied = ': you may not write there. Name another --data, or run this as the owner of the folder';
  const reasons: Record<string, string> = {
    EEXIST: ': it is a file. Name another --data',
    ENOTDIR: ': it lies below a file. Name another --data',
    EACCES: denied,
    EPERM: denied,
    EROFS: ': the file system is read-only. Name another --data',
    ENOENT: ": it can't be created there. Name another --data",
  };
  const why = reasons[code ?? ''] ?? ` (${code?.startsWith('E') ? code : message})`;
  return new Fault('unavailable', `The data folder ${path} can't be used${why}.`, { cause: error });
}

// One data folder, one process. The lock is an SQLite transaction on a file of its own, because that is the one lock
// Node has that the kernel takes back however the process dies. Nothing else in this process may ever open that file:
// closing it anywhere would let the lock go.
import {
  closeSync,
  constants,
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
import { Fault } from '../../base/fault.ts';
import { isObject, parseJson } from '../../base/json.ts';

export interface HeldFolder {
  path: string;
  release(): void;
}

const format = 1; // of the folder as a whole; the state in it has a version of its own
const patienceMs = 150; // whoever only looks whether it is held has it for a moment
const busy = 5; // SQLITE_BUSY
const mostSocketBytes = 100; // the kernel takes 107

// A lock that nothing refers to would be collected, and with it let go.
const locks = new Set<DatabaseSync>();

// Where the region's state is expected: in the folder, somewhere else, or whoever holds it does not care.
export type StateSeat = 'here' | 'elsewhere' | 'any';

// `home`: the data folder of the region, where this is another one that only has its state.
export function holdFolder(path: string, state: StateSeat = 'here', home = path): HeldFolder {
  try {
    makeFolder(path);
    demandOurs(path);
    closeSync(openSync(lockIn(path), 'a', 0o600));
  } catch (error) {
    throw error instanceof Fault ? error : unusable(path, error);
  }
  const lock = takeLock(path, home === path);
  try {
    checkFormat(path);
    if (state === 'here') checkWhole(path);
    if (state === 'elsewhere') demandNoState(path);
    writeFileSync(pidIn(path), `${process.pid}\n${home === path ? '' : `${home}\n`}`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error instanceof Fault ? error : unusable(path, error);
  }
  locks.add(lock);
  return {
    path,
    release() {
      rmSync(pidIn(path), { force: true });
      lock.close();
      locks.delete(lock);
    },
  };
}

// Not Node's own recursive way: that never ends where a folder exists and takes no other, as /proc does.
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

function takeLock(path: string, isHome: boolean): DatabaseSync {
  const lock = new DatabaseSync(lockIn(path), { timeout: patienceMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (codeOf(error) !== busy) throw unusable(path, error);
    const pid = holderOf(path);
    const who = pid === undefined ? 'another process' : `another process (pid ${pid})`;
    const [what, option] = isHome ? ['data folder ', '--data'] : ['state sqlite:', '--state'];
    throw new Fault('conflict', `The ${what}${path} is in use by ${who}: stop that one, or name another ${option}.`);
  }
}

export function isHeld(path: string): boolean {
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(lockIn(path), { readOnly: true, timeout: 0 });
  } catch {
    return false; // nobody ever had it
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

// Who has the folder, for a message: the number may be of a process that is gone.
export function holderOf(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidIn(path), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

// Where the region that holds the folder has its socket: mostly there; elsewhere where it only has its state there.
export function homeOf(path: string): string {
  try {
    return readFileSync(pidIn(path), 'utf8').split('\n')[1] || path;
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
    throw new Fault('unavailable', `${file} is damaged or of another program: name another data folder with --data.`);
  }
  if (found > format) {
    const message = `The data folder ${path} was written by a newer version of Cumulet (format ${found}, `;
    throw new Fault('unavailable', `${message}this one knows ${format}): start that version, or name another --data.`);
  }
}

const ourFiles =
  /^(folder\.json|lock.*|region\.(key.*|pid)|owner\.json|ca\.pem|admin\.sock|node|state\.db.*|cumulet\.log.*)$/;

// A folder of somebody else's stays as it is.
function demandOurs(path: string): void {
  const names = readdirSync(path);
  if (names.includes('folder.json') || names.every((name) => ourFiles.test(name) || name === 'lost+found')) return;
  throw new Fault('refused', `The folder ${path} is not empty and none of Cumulet's: name another --data.`);
}

// A region that is already here would be hidden by another one elsewhere, and its owner's account overwritten.
function demandNoState(path: string): void {
  if (!hasState(path)) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} holds a region of its own: name another --data, or move that region first with ` +
      '`state copy`, and its state.db away.',
  );
}

const sizeOf = (path: string, name: string): number => statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0;

export const hasState = (path: string): boolean => sizeOf(path, 'state.db') > 0 || sizeOf(path, 'state.db-wal') > 0;

export function demandNoNode(path: string): void {
  if (!existsSync(join(path, 'node'))) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} is that of a node, whose state is in PostgreSQL: name it by --state, or name another --data.`,
  );
}

// The state comes first in the life of a folder, whole and synced before anything else of the region is written: a
// first start that died leaves none of the rest without it.
function checkWhole(path: string): void {
  if (hasState(path)) return;
  demandNoNode(path);
  const rest = ['region.key', 'owner.json', 'ca.pem'].filter((name) => existsSync(join(path, name)));
  if (rest.length === 0) return;
  throw new Fault(
    'unavailable',
    `The data folder ${path} has ${rest.join(', ')} but no state.db, as after half a restore: put state.db back, ` +
      'name where it is by --state, or name another --data; to begin anew, move the folder away.',
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

// The path of a socket in the folder, however deep that lies: past what the kernel takes, by way of the folder's
// own descriptor.
export function socketIn(path: string, name: string): { path: string; close(): void } {
  const plain = join(path, name);
  if (Buffer.byteLength(plain) <= mostSocketBytes) return { path: plain, close() {} };
  const handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${handle}/${name}`, close: () => closeSync(handle) };
}

// For what others may read, whole or not at all.
export function keepPublic(file: string, text: string): void {
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

export const lockIn = (path: string): string => join(path, 'lock');
const pidIn = (path: string): string => join(path, 'pid');

const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;

function unusable(path: string, error: unknown): Fault {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = { EEXIST: ': it is a file', ENOTDIR: ': it lies below a file' };
  const why = reasons[code ?? ''] ?? ` (${code?.startsWith('E') ? code : message})`;
  return new Fault('unavailable', `The data folder ${path} can't be used${why}.`, { cause: error });
}

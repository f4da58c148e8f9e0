// The path of a socket in a data folder. Windows has named pipes instead, which only the user who opened them (and
// administrators) can write to. A path that is longer than the kernel allows is opened via the folder's descriptor on
// Linux; on other systems such a socket is in the user's temporary folder.
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface SocketPlace {
  path: string; // to listen on and to connect to
  file: string | undefined; // in the file system; undefined for a pipe
  close(): void;
}

const mostBytes = 100; // Linux takes 107, macOS 103

export function socketPlace(folder: string, name: string, system: NodeJS.Platform = process.platform): SocketPlace {
  const plain = join(folder, name);
  if (system === 'win32') return { path: `\\\\.\\pipe\\cumulet-${tagOf(folder)}-${name}`, file: undefined, close() {} };
  if (Buffer.byteLength(plain) <= mostBytes) return { path: plain, file: plain, close() {} };
  if (system !== 'linux') {
    const path = join(tmpdir(), `cumulet-${tagOf(folder)}-${name}`);
    return { path, file: path, close() {} };
  }
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${handle}/${name}`, file: plain, close: () => closeSync(handle) };
}

const tagOf = (folder: string): string =>
  createHash('sha256').update(resolve(folder).toLowerCase()).digest('hex').slice(0, 16);

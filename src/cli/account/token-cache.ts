// Caches one token per data folder in the user's configuration directory, readable by that user alone. Without it
// every new shell would create another token, and a user has a hundred at most. Tokens of deleted data folders are
// removed when a new one is cached.
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileError } from '../../base/file-error.ts';
import { environment } from '../../config/environment.ts';
import { askRegion } from '../admin/operations.ts';

export async function cachedToken(data: string): Promise<string> {
  const file = join(privateFolder(data), 'token.json');
  const old = tokenIn(file);
  const { token, id, kept } = await askRegion(data, 'token/keep', old === undefined ? {} : { token: old });
  if (kept) return token;
  removeStale();
  writePrivate(file, `${JSON.stringify({ data, id, token }, null, 2)}\n`);
  return token;
}

function removeStale(): void {
  const cwd = environment.configFolder();
  for (const file of globSync('*/token.json', { cwd })) {
    const data = readCache(join(cwd, file))?.data;
    if (typeof data === 'string' && !existsSync(data)) rmSync(join(cwd, file, '..'), { recursive: true, force: true });
  }
}

// When the cached token expires, by the platform's clock; undefined if there is none.
export function cachedTokenExpiry(data: string): number | undefined {
  const claims = tokenIn(join(privateFolder(data), 'token.json'))?.split('.')[1];
  if (claims === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

// The private folder of one region, keyed by the real path of its data folder.
export function privateFolder(data: string): string {
  return join(environment.configFolder(), hash('sha256', realpathSync(data)).slice(0, 16));
}

// A failure is only a warning: the next call creates another token.
export function writePrivate(file: string, text: string): boolean {
  const folder = join(file, '..');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
    return true;
  } catch (error) {
    process.stderr.write(`cumulet: warning: ${file} can't be written: ${fileError(error)}\n`);
    return false;
  }
}

function tokenIn(file: string): string | undefined {
  const token = readCache(file)?.token;
  return typeof token === 'string' ? token : undefined;
}

function readCache(file: string): { data?: unknown; token?: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { data?: unknown; token?: unknown };
  } catch {
    return undefined;
  }
}

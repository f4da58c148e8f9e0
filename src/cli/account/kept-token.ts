// One token per data folder, in the user's configuration directory and readable by them alone, so that every new
// shell does not make another one: a user has a hundred at most. Those of data folders that are gone go with the next.
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
import { environment } from '../../config.ts';
import { askRegion } from '../region/operations.ts';

export async function keptToken(data: string): Promise<string> {
  const file = join(privateFolder(data), 'token.json');
  const old = tokenIn(file);
  const { token, id, kept } = await askRegion(data, 'token/keep', old === undefined ? {} : { token: old });
  if (kept) return token;
  forgetGone();
  keepPrivate(file, `${JSON.stringify({ data, id, token }, null, 2)}\n`);
  return token;
}

function forgetGone(): void {
  const cwd = environment.configFolder();
  for (const file of globSync('*/token.json', { cwd })) {
    const data = keptIn(join(cwd, file))?.data;
    if (typeof data === 'string' && !existsSync(data)) rmSync(join(cwd, file, '..'), { recursive: true, force: true });
  }
}

// When the kept token ends, by the platform's clock; undefined where there is none.
export function keptTokenEnd(data: string): number | undefined {
  const claims = tokenIn(join(privateFolder(data), 'token.json'))?.split('.')[1];
  if (claims === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

// Where what belongs to one region lies: by the folder's real path, however it was named.
export function privateFolder(data: string): string {
  return join(environment.configFolder(), hash('sha256', realpathSync(data)).slice(0, 16));
}

// Without it the next call makes another token, so that is a warning, not an end.
export function keepPrivate(file: string, text: string): boolean {
  const folder = join(file, '..');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
    return true;
  } catch (error) {
    process.stderr.write(`cumulet: warning: ${file} can't be kept (${(error as NodeJS.ErrnoException).code})\n`);
    return false;
  }
}

function tokenIn(file: string): string | undefined {
  const token = keptIn(file)?.token;
  return typeof token === 'string' ? token : undefined;
}

function keptIn(file: string): { data?: unknown; token?: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { data?: unknown; token?: unknown };
  } catch {
    return undefined;
  }
}

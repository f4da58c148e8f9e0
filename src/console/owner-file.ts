// The file with the generated password of the first owner, for the sign-in page. Only a client on this machine may
// learn its path, so a region that others can reach does not show it.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../surface/product.ts';

const loopback = ['127.0.0.1', '::1', 'localhost'];

export async function localOwnerFile({
  addresses: { host, publicUrl },
  dataFolder,
}: Pick<Context, 'addresses' | 'dataFolder'>): Promise<string | undefined> {
  if (!loopback.includes(host) || publicUrl !== undefined) return undefined;
  const file = resolve(join(dataFolder, 'owner.json'));
  try {
    const { password } = JSON.parse(await readFile(file, 'utf8')) as { password?: string };
    return password === undefined ? undefined : file;
  } catch {
    return undefined; // the first start was elsewhere, or the user has deleted it
  }
}

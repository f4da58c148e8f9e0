// The files of every page: the tokens, the frame, the theme. Files are read when a page is opened; only their hashes
// are kept in memory. Browsers cache them by an address that changes with the content. The files of the console's web
// app, which API pages load too, are served in the same way.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '../../base/fault.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { compressedReply } from './compression.ts';

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  map: 'application/json', // source maps of the console
  svg: 'image/svg+xml',
};

const names = ['tokens.css', 'page.css', 'reference.css', 'theme.js', 'icon.svg'];

const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const typeOf = (name: string): string => types[endingOf(name)] as string;

export const assetTypes = [...new Set(names.map((name) => typeOf(name).split(';')[0] as string))];

// The version in an asset's address: 96 bits of the content's SHA-256.
export const hashed = (...parts: (string | Buffer)[]): string => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest('base64url').slice(0, 16);
};

const hashes = new Map<string, Promise<string>>();

function hashOf(name: string): Promise<string> {
  const known = hashes.get(name);
  if (known) return known;
  const made = read(name).then((bytes) => hashed(bytes));
  hashes.set(name, made);
  made.catch(() => hashes.delete(name));
  return made;
}

const read = (name: string): Promise<Buffer> => readFile(new URL(`./pages/${name}`, import.meta.url));

// The address of a file as pages name it.
export const assetPath = async (name: string): Promise<string> => `/docs/assets/${name}?v=${await hashOf(name)}`;

export async function assetReply(x: Exchange, name: string, version: string | null): Promise<Reply> {
  if (!names.includes(name)) throw new Fault('missing', `There is no such file. Known: ${names.join(', ')}`);
  const bytes = await read(name);
  return compressedReply(x, fileReply(name, bytes, version !== null && version === (await hashOf(name))));
}

// Cached for good where the address has the version of this content.
export const fileReply = (name: string, body: Buffer, isCurrent: boolean): Reply => ({
  status: 200,
  type: typeOf(name),
  body,
  headers: [
    'Cache-Control',
    isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options',
    'nosniff',
  ],
});

// The files of the API pages: ours, and those of the library, from its npm package or, in a build, from beside ours
// (that package depends on one that reports installations to its maker). Files are read when a page is opened; only
// their hashes are kept in memory. Browsers cache them by an address that changes with the content. The console's files
// are served in the same way.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Fault } from '../../base/fault.ts';
import type { Reply } from '../http/exchange.ts';

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  map: 'application/json', // source maps of the console
  svg: 'image/svg+xml',
};

const own = (name: string): (() => URL) => {
  return () => new URL(`./pages/${name}`, import.meta.url);
};
const library = (name: string): (() => URL) => {
  return () => {
    const built = new URL(`./pages/library/${name}`, import.meta.url);
    return existsSync(built) ? built : new URL(name, import.meta.resolve('swagger-ui-dist/package.json'));
  };
};

const files: Record<string, () => URL> = {
  'page.css': own('page.css'),
  'reference.css': own('reference.css'),
  'index.js': own('index.js'),
  'reference.js': own('reference.js'),
  'icon.svg': own('icon.svg'),
  'swagger-ui.css': library('swagger-ui.css'),
  'swagger-ui-bundle.js': library('swagger-ui-bundle.js'),
};

const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const typeOf = (name: string): string => types[endingOf(name)] as string;

export const assetTypes = [...new Set(Object.keys(files).map((name) => typeOf(name).split(';')[0] as string))];

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

const read = (name: string): Promise<Buffer> => readFile((files[name] as () => URL)());

// The address of a file as pages name it.
export const assetPath = async (name: string): Promise<string> => `/docs/assets/${name}?v=${await hashOf(name)}`;

export async function assetReply(name: string, version: string | null): Promise<Reply> {
  if (!Object.hasOwn(files, name))
    throw new Fault('missing', `There is no such file. Known: ${Object.keys(files).join(', ')}`);
  const bytes = await read(name);
  return fileReply(name, bytes, version !== null && version === (await hashOf(name)));
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

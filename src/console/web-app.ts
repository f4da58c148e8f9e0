// The files of the web app, as browsers get them. The npm package has them in one file beside this one (bin/build.ts).
// In a checkout they are bundled when the first page is opened, and kept in a cache folder until their sources change.
// The address of each file begins with a hash of them all, so a browser may keep them for good and never mixes two
// versions.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { hashed } from '../surface/docs/page-assets.ts';
import type { WebFiles } from './bundle.ts';

export interface WebApp {
  version: string;
  file(name: string): Buffer;
}

// Beside this file where it runs as plain JavaScript.
export const builtName = 'web-app.json';
const isBuilt = import.meta.filename.endsWith('.js');

const root = join(import.meta.dirname, '../..');
const cacheFile = join(root, 'node_modules/.cache/cumulet-console/web-app.json');

interface Cached {
  sources: string; // their hash
  shared: string[]; // those that are not in the folder
  files: WebFiles;
}

let app: Promise<WebApp> | undefined;

export function webApp(): Promise<WebApp> {
  app ??= load().catch((error: unknown) => {
    app = undefined;
    throw error;
  });
  return app;
}

export const filesAddress = ({ version }: WebApp, name: string): string => `/console/assets/${version}/${name}`;

async function load(): Promise<WebApp> {
  const all = isBuilt ? await readBuilt() : await readCheckout(join(root, 'console'), cacheFile);
  const files = new Map(all.map(([name, text]) => [name, Buffer.from(text)]));
  return {
    version: hashed(...all.flat()),
    file(name) {
      const found = files.get(name);
      if (!found) throw new Fault('missing', `The console has no file ${name.slice(0, 100)}.`);
      return found;
    },
  };
}

const readBuilt = async (): Promise<WebFiles> =>
  JSON.parse(await readFile(join(import.meta.dirname, builtName), 'utf8')) as WebFiles;

export async function readCheckout(folder: string, cache: string): Promise<WebFiles> {
  const cached = await readCache(cache);
  if (cached && cached.sources === (await hashOf(folder, cached.shared))) return cached.files;
  const { bundle } = await import('./bundle.ts');
  const { files, shared } = await bundle(folder, true);
  // A checkout that can't be written to is bundled at each start.
  await writeCache(cache, { sources: await hashOf(folder, shared), shared, files }).catch(() => undefined);
  return files;
}

// Of all sources, the way they are bundled, and the versions of libraries and of esbuild.
async function hashOf(folder: string, shared: readonly string[] = []): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const paths = [...sources.sort(), ...shared, join(root, 'package-lock.json'), join(import.meta.dirname, 'bundle.ts')];
  const texts = await Promise.all(paths.map((path) => readFile(path).catch(() => Buffer.from('gone'))));
  return hashed(...paths.flatMap((path, at) => [path, texts[at] as Buffer]));
}

async function readCache(path: string): Promise<Cached | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Cached;
  } catch {
    return undefined;
  }
}

// Whole or not at all: another process may read it meanwhile.
async function writeCache(path: string, cached: Cached): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, JSON.stringify(cached));
  await rename(draft, path);
}

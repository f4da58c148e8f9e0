// Installs node-llama-cpp, the binding of llama.cpp that loads GGUF files. It takes 85 MB, so it is installed with the
// first model, into the user's cache folder, at the versions of the lockfile in this folder. Nothing is compiled: its
// binary for this processor is a package.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { isWindows } from '../../../base/operating-system.ts';

interface Lock {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const lockfile = './packages-lock.json';
const binary = `node_modules/@node-llama-cpp/linux-${process.arch}`;

function libraryFolder(cacheFolder: string): string {
  const { packages } = readJson(lockfile) as Lock;
  return join(cacheFolder, 'llama', `${packages['node_modules/node-llama-cpp']?.version}-${process.arch}`);
}

const isInstalled = (folder: string): boolean => existsSync(join(folder, binary, 'package.json'));

// Returns the folder. It contains the whole library or does not exist.
export async function installLibrary(cacheFolder: string, tell: (text: string) => void): Promise<string> {
  const folder = libraryFolder(cacheFolder);
  if (isInstalled(folder)) return folder;
  tell('Installing llama.cpp for Node with npm (85 MB, once for all regions) …');
  const fresh = `${folder}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    await writeFile(join(fresh, 'package.json'), JSON.stringify(ownArchitecture(readJson('./packages.json') as Root)));
    await writeFile(join(fresh, 'package-lock.json'), JSON.stringify(lockOfOwnArchitecture()));
    await runNpm(fresh);
    if (!isInstalled(fresh)) throw new Fault('refused', `npm has installed no llama.cpp for ${process.arch}.`);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder).catch((error: unknown) => {
      if (!isInstalled(folder)) throw error; // otherwise another process was faster
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

interface Root {
  optionalDependencies?: Record<string, string>;
}

// npm would install the binaries of both architectures, because the packages refer to each other.
const isOther = (name: string): boolean => name.includes('@node-llama-cpp/') && !name.endsWith(`linux-${process.arch}`);

function ownArchitecture<T extends Root>(root: T): T {
  const own = Object.entries(root.optionalDependencies ?? {}).filter(([name]) => !isOther(name));
  return { ...root, optionalDependencies: Object.fromEntries(own) };
}

function lockOfOwnArchitecture(): Lock {
  const lock = readJson(lockfile) as Lock;
  const kept = Object.entries(lock.packages).filter(([path]) => !isOther(path));
  const packages = Object.fromEntries(kept.map(([path, one]) => [path, path === '' ? ownArchitecture(one) : one]));
  return { ...lock, packages };
}

function runNpm(folder: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--include=optional'];
  const child = spawn('npm', [...words, '--prefer-offline'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: isWindows, // npm is a batch file there
  });
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-2000);
  });
  child.on('error', (cause) => reject(new Fault('refused', `npm can't be started: ${cause.message}`)));
  child.on('close', (code) => {
    if (code === 0) resolve();
    else reject(new Fault('refused', `npm ended with ${code}: ${errorOutput.trim()}`));
  });
  return promise;
}

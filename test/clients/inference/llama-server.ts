// llama.cpp's own server. It is built from the source of the release that node-llama-cpp contains, and linked to the
// libraries that it ships, which select the processor's instructions at run time, so a measurement compares programs
// that compute with the same code. A program that is built for the exact processor crashes on virtual machines.

import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { ModelRegistry, type Weights } from '../../../src/testing/black-box/inference.ts';
import { limits } from '../../../src/testing/limits.ts';
import { chatModel } from '../../inference/client.ts';
import { type Absent, cache, type Found, find, once } from '../install.ts';
import { mustRun } from '../run.ts';
import { smollm2 } from './weights.ts';

export interface Peer extends Found {
  weights: Weights;
}

// The server, and SmolLM2 for it to answer with.
export async function llamaPeer(): Promise<Peer | Absent> {
  const pulled = await smollm2();
  if (pulled.path === undefined) return pulled;
  const weights = new ModelRegistry(pulled.path).find(chatModel, 'chat');
  if (!weights) throw new Error('SmolLM2 was not pulled');
  const server = await llamaServer(weights.library);
  return server.path === undefined ? server : { ...server, weights };
}

// `library` is the folder where node-llama-cpp is installed.
async function llamaServer(library: string): Promise<Found | Absent> {
  const given = find('CUMULET_LLAMA_SERVER', 'llama-server');
  if (given.path) return given;
  const [git, cmake] = [find('CUMULET_GIT', 'git'), find('CUMULET_CMAKE', 'cmake')];
  const compiler = find('CUMULET_CXX', 'g++', 'clang++');
  if (!git.path || !cmake.path || !compiler.path) return { skip: git.skip ?? cmake.skip ?? compiler.skip ?? '' };
  const tools = { git: git.path, cmake: cmake.path };
  const folder = join(cache, `llama-server-${basename(library)}`);
  await once(folder, async () => {
    const run = (command: string[]) => mustRun(command, { cwd: folder, limitMs: limits.build });
    const bundle = join(library, 'node_modules/node-llama-cpp/llama/gitRelease.bundle');
    const source = join(folder, 'source');
    rmSync(source, { recursive: true, force: true });
    await run([tools.git, 'clone', '--quiet', bundle, source]);
    const platform = `linux-${process.arch}`;
    const libraries = join(library, 'node_modules/@node-llama-cpp', platform, 'bins', platform);
    const options = ['-DCMAKE_BUILD_TYPE=Release', `-DSOURCE=${source}`, `-DLIBRARIES=${libraries}`];
    await run([tools.cmake, '-S', join(import.meta.dirname, 'llama-server'), '-B', 'build', ...options]);
    await run([tools.cmake, '--build', 'build', '-j', String(availableParallelism())]);
  });
  return { path: join(folder, 'build/llama-server') };
}

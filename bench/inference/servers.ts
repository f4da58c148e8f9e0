// The two sides: a region in which SmolLM2 answers, and llama.cpp's own server on the same file with the same number of
// threads, texts at once, context and priority.
import { cpSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ModelRegistry, type Weights } from '../../src/inference/models/registry.ts';
import { smollm2 } from '../../test/clients/inference/weights.ts';
import { cache, find, once } from '../../test/clients/install.ts';
import { mustRun } from '../../test/clients/run.ts';
import { end, family, freePort, pause, start } from '../harness/children.ts';
import { Skipped } from '../harness/figure.ts';
import { startRegion } from '../harness/region.ts';

export interface Server {
  url: string; // before /completions
  headers: Record<string, string>;
  pids(): number[];
  get(path: string): Promise<void>; // another call of the region
  stop(): Promise<void>;
}

const model = 'meta-llama/Llama-3.3-70B-Instruct';
export const modelOf = (): string => model;
const limitMs = 300_000;
const atOnce = 8;
const contextTokens = 8192;
const priority = 5; // as the region's models have it

export async function openOurs(folder: string): Promise<Server> {
  const weights = await smolLm();
  const data = join(folder, 'ours');
  new ModelRegistry(data).add(weights);
  const region = await startRegion({ data, core: 'any', more: ['--inference-rate', '1000000'] });
  return {
    url: `http://127.0.0.1:${region.port}/inference/v1`,
    headers: { authorization: region.authorization },
    pids: () => family(region.pid),
    get: async (path) => void (await region.expect(200, { path })),
    stop: region.stop,
  };
}

export async function openLlamaServer(): Promise<Server> {
  const weights = await smolLm();
  const program = await llamaServer(weights.library);
  const port = await freePort();
  const threads = String(Math.max(1, availableParallelism() - 1));
  const words = [
    '-m',
    weights.file,
    '-t',
    threads,
    '-tb',
    threads,
    '-np',
    String(atOnce),
    '-c',
    String(atOnce * contextTokens),
  ];
  const address = ['--host', '127.0.0.1', '--port', String(port)];
  const child = start('any', 'nice', ['-n', String(priority), program, ...words, ...address], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + limitMs;
  for (;;) {
    const isUp = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    const isGone = child.exitCode !== null || child.signalCode !== null;
    if (isGone) throw new Error(`llama.cpp's server ended: ${child.signalCode ?? child.exitCode}`);
    if (performance.now() > until) throw new Error("llama.cpp's server has not started");
    await pause(100);
  }
  const stop = (): Promise<void> => end(child);
  return { url: `${url}/v1`, headers: {}, pids: () => family(child.pid ?? 0), get: async () => {}, stop };
}

async function smolLm(): Promise<Weights> {
  const pulled = await smollm2();
  if (!pulled.path) throw new Skipped(pulled.skip);
  const weights = new ModelRegistry(pulled.path).find(model, 'chat');
  if (!weights) throw new Error('SmolLM2 was not pulled');
  return weights;
}

const source = 'llama-cpp-python==0.3.36';

// Built from its source package, but for the computing itself: that is done by the libraries that node-llama-cpp ships,
// which pick the processor's instructions at run time, so that both sides compute alike. Building them here is no
// option: for the very processor (GGML_NATIVE) the result dies on virtual machines, and so does what GCC 12 makes of
// AMX.
async function llamaServer(library: string): Promise<string> {
  const given = find('CUMULET_LLAMA_SERVER', 'llama-server');
  if (given.path) return given.path;
  const python = find('CUMULET_PYTHON', 'python3');
  const cmake = find('CUMULET_CMAKE', 'cmake');
  if (!python.path || !cmake.path) throw new Skipped(python.skip ?? cmake.skip ?? '');
  const tools = { python: python.path, cmake: cmake.path };
  const folder = join(cache, `${source.replace('==', '-')}-server`);
  await once(folder, async () => {
    const run = (command: string[]) => mustRun(command, { cwd: folder, limitMs: 3_600_000 });
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', 'llama-cpp-python', source];
    await run([tools.python, ...pip, '--dest', folder]);
    const archive = `${source.replaceAll('-', '_').replace('==', '-')}`;
    await run(['tar', '-xzf', `${archive}.tar.gz`]);
    const on = ['GGML_BACKEND_DL', 'BUILD_SHARED_LIBS'].map((name) => `-D${name}=ON`);
    const off = [
      'GGML_NATIVE',
      'GGML_CPU',
      'LLAMA_CURL',
      'LLAMA_OPENSSL',
      'LLAMA_BUILD_TESTS',
      'LLAMA_USE_PREBUILT_UI',
    ];
    const options = ['-DCMAKE_BUILD_TYPE=Release', ...on, ...off.map((name) => `-D${name}=OFF`)];
    await run([tools.cmake, '-S', `${archive}/vendor/llama.cpp`, '-B', 'build', ...options]);
    await run([tools.cmake, '--build', 'build', '--target', 'llama-server', '-j', String(availableParallelism())]);
    const platform = `linux-${process.arch}`;
    const shipped = join(library, 'node_modules/@node-llama-cpp', platform, 'bins', platform);
    for (const name of globSync('libggml-cpu-*.so', { cwd: shipped }))
      cpSync(join(shipped, name), join(folder, 'build/bin', name));
  });
  return join(folder, 'build/bin/llama-server');
}

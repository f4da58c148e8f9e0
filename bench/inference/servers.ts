// The two sides: a region in which SmolLM2 answers, and llama.cpp's own server on the same file with the same number of
// threads, texts at once, context and priority.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ModelRegistry, type Weights } from '../../src/inference/models/registry.ts';
import { llamaPeer } from '../../test/clients/inference/llama-server.ts';
import { smollm2 } from '../../test/clients/inference/weights.ts';
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
  const peer = await llamaPeer();
  if (!peer.path) throw new Skipped(peer.skip);
  const port = await freePort();
  const threads = String(Math.max(1, availableParallelism() - 1));
  const words = [
    '-m',
    peer.weights.file,
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
  const child = start('any', 'nice', ['-n', String(priority), peer.path, ...words, ...address], { stdio: 'ignore' });
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

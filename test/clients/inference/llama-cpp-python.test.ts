// llama-cpp-python's server, from PyPI, as the upstream of a region: the same contract as on every other engine, on
// SmolLM2 and MiniLM in somebody else's program. It is built from source, which takes minutes: only with CUMULET_LONG=1.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelRegistry } from '../../../src/inference/models/registry.ts';
import { isLong } from '../../../src/testing/seed.ts';
import { startRegion } from '../../harness/region.ts';
import { chatModel, embeddingModel } from '../../inference/client.ts';
import { apiContract } from '../../inference/contract.ts';
import { startAgent, until } from '../agents/process.ts';
import { find, pythonWith } from '../install.ts';
import { smollm2 } from './weights.ts';

const limitMs = 300_000;
const python = find('CUMULET_PYTHON', 'python3');
const compiler = find('CUMULET_CXX', 'g++', 'clang++');
const skip = isLong ? (python.skip ?? compiler.skip ?? false) : 'only with CUMULET_LONG=1: it is built from source';

apiContract(
  "llama-cpp-python's server",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-upstream-'));
    const server = await startServer(folder);
    const names = `${chatModel}=chat,${embeddingModel}=vectors`;
    const args = ['--inference', `openai+${server.url}`, '--inference-models', names, '--inference-rate', '10000'];
    const region = await startRegion({ args });
    return {
      region,
      async close() {
        await region.stop();
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  {
    skip,
    schemas: 'it leaves out what its grammar can not express, and says nothing',
    tools: 'it calls tools only with a chat format of its own, which SmolLM2 does not know',
    context: 'it tells its own context',
    longText: 'it cuts what is too long',
  },
);

async function startServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  // Not for the very processor: on virtual machines that picks instructions which they do not run.
  const program = await pythonWith(python.path ?? '', 'llama-cpp-python[server]', { CMAKE_ARGS: '-DGGML_NATIVE=OFF' });
  const pulled = await smollm2();
  assert.ok(pulled.path, pulled.skip ?? '');
  const weights = new ModelRegistry(pulled.path).all();
  const fileOf = (kind: string): string => weights.find((one) => one.kind === kind)?.file ?? '';
  const usual = { n_threads: 1, n_threads_batch: 1, verbose: false };
  const models = [
    { ...usual, model: fileOf('chat'), model_alias: 'chat', chat_format: 'chatml', n_ctx: 2048, logits_all: true },
    { ...usual, model: fileOf('embedding'), model_alias: 'vectors', embedding: true, n_ctx: 256 },
  ];
  const config = join(folder, 'server.json');
  // Interrupting is for one impatient user: a request would end the one before it.
  writeFileSync(config, JSON.stringify({ host: '127.0.0.1', port: 0, interrupt_requests: false, models }));
  const server = startAgent([program, '-m', 'llama_cpp.server', '--config_file', config]);
  const address = async () => /running on (http:\/\/127\.0\.0\.1:\d+)/.exec(server.log())?.[1];
  return { url: `${await until("llama-cpp-python's server", address, limitMs)}/v1`, stop: server.stop };
}

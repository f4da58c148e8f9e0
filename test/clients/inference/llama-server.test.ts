// llama.cpp's own server as the upstream of a region: the same contract as for every other engine, with SmolLM2 in
// another program. It is built from source, which takes minutes: only with --full.
import assert from 'node:assert/strict';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { startRegion } from '../../harness/region.ts';
import { chatModel } from '../../inference/client.ts';
import { apiContract } from '../../inference/contract.ts';
import { startAgent, untilAnswered } from '../agents/process.ts';
import { llamaPeer } from './llama-server.ts';

const key = 'a-key-of-the-upstream';
const peer = isFull ? await llamaPeer() : { skip: 'only with --full: llama.cpp is built from source' };

apiContract(
  "llama.cpp's own server",
  async () => {
    assert.ok(peer.path);
    const port = String(await freePort());
    const words = ['-m', peer.weights.file, '--alias', 'chat', '-t', '1', '-np', '4', '-c', '8192', '--jinja'];
    const upstream = startAgent([peer.path, ...words, '--port', port, '--api-key', key]);
    const url = `http://127.0.0.1:${port}`;
    await untilAnswered('llama-server', async () => (await fetch(`${url}/health`)).ok, limits.model).catch(
      (cause: unknown) => {
        assert.fail(`${cause}: ${upstream.log()}`);
      },
    );
    const args = ['--inference', `openai+${url}/v1`, '--inference-models', `${chatModel}=chat`];
    const env = { CUMULET_INFERENCE_KEY: key };
    const region = await startRegion({ args: [...args, '--inference-rate', '10000'], env });
    return {
      region,
      async close() {
        await region.stop();
        await upstream.stop();
      },
    };
  },
  {
    skip: peer.skip ?? false,
    schemas: 'a model of this size does not end what a schema leaves open',
    tools: 'a model of this size does not decide to call a tool',
    context: 'it reports its own context',
  },
);

// The Python clients, on the tiny model. LlamaIndex and litellm, which are large, only with --full.
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

const python = find('CUMULET_PYTHON', 'python3');
const clients = [
  ['openai', 'openai_client.py', false],
  ['langchain-openai', 'langchain_client.py', false],
  ['litellm', 'litellm_client.py', true],
  ['llama-index-llms-openai-like', 'llama_index_client.py', true],
] as const;

suite('Python clients of model inference', { skip: python.skip ?? false }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--inference-rate', '1000'] });
  });
  after(() => region.stop());

  for (const [name, script, isHeavy] of clients) {
    const skip = isHeavy && !isFull ? 'only with --full' : false;
    test(`[INFER-02] [INFER-03] [INFER-04] [INFER-05] ${name}`, { skip }, async () => {
      const program = await pythonWith(python.path ?? '', name);
      const env = { OPENAI_BASE_URL: `${region.url}/inference/v1`, OPENAI_API_KEY: region.token };
      await mustRun([program, join(import.meta.dirname, 'python', script)], { env, limitMs: limits.clientSuite });
    });
  }
});

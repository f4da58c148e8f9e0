// The models of a region before they are loaded, and when they can't be loaded.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { silent } from '../../../base/log.ts';
import { writeGguf } from '../../models/gguf.ts';
import { ModelRegistry, weightsOf } from '../../models/registry.ts';
import { EngineError } from '../engine.ts';
import { openLlama } from './source.ts';

const folder = mkdtempSync(join(tmpdir(), 'cumulet-llama-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'small.gguf');
writeGguf(
  file,
  [
    ['general.architecture', 'llama'],
    ['llama.context_length', { u32: 4096 }],
    ['llama.embedding_length', { u32: 64 }],
    ['llama.block_count', { u32: 2 }],
    ['llama.attention.head_count', { u32: 4 }],
  ],
  [{ name: 'a', shape: [4], type: 'f32', bytes: 16, data: () => new Uint8Array(16) }],
);
const registry = new ModelRegistry(folder);
registry.add(weightsOf(file, { library: join(folder, 'none'), serves: ['a/b'] }));
const limit = (): AbortSignal => AbortSignal.timeout(10_000); // deadline
const failsBy = (reason: EngineError['reason'], says: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.reason === reason && says.test(error.message);

suite('the models of a region as engines', () => {
  test('are those that serve an id, and report their limits', async (t) => {
    const source = openLlama({ dataFolder: folder, log: silent });
    t.after(() => source.close?.());
    const engine = source.text?.('a/b');
    assert.equal(source.text?.('a/b'), engine); // the source returns the same engine each time
    assert.deepEqual([engine?.contextTokens, engine?.servedBy], [4096, 'small on this machine']);
    assert.equal(source.text?.('c/d'), undefined);
    assert.equal(source.embedding?.('a/b'), undefined);
    assert.deepEqual(
      source.ownModels?.().map(({ id }) => id),
      ['local/small', 'a/b'],
    );
    assert.deepEqual(source.processes(), []);
  });

  test('are not loaded while memory is short', async (t) => {
    const source = openLlama({ dataFolder: folder, log: silent, availableBytes: () => 50_000_000 });
    t.after(() => source.close?.());
    const pending = source.text?.('a/b')?.countTokens({ prompt: 'hello' }, limit());
    await assert.rejects(
      pending ?? Promise.resolve(),
      failsBy('overloaded', /needs 0\.2 GB of memory, and 0\.1 GB are free/),
    );
  });

  test("report why they can't be loaded", async (t) => {
    const source = openLlama({ dataFolder: folder, log: silent });
    t.after(() => source.close?.());
    const pending = source.text?.('a/b')?.countTokens({ prompt: 'hello' }, limit());
    await assert.rejects(
      pending ?? Promise.resolve(),
      failsBy('crashed', /^The model small can't be loaded\. See the log of the region for the reason\.$/),
    );
    assert.deepEqual(source.processes(), []);
  });

  test('report that their file is missing, but not its path', async (t) => {
    renameSync(file, `${file}.away`);
    t.after(() => renameSync(`${file}.away`, file));
    const source = openLlama({ dataFolder: folder, log: silent });
    t.after(() => source.close?.());
    const pending = source.text?.('a/b')?.countTokens({ prompt: 'hello' }, limit());
    await assert.rejects(pending ?? Promise.resolve(), failsBy('crashed', /^[^/]+its file is missing\.$/));
  });
});

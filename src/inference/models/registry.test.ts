// GGUF files and the region's list of them.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { capacityOf } from '../engines/llama/capacity.ts';
import { readHeader, type Typed, writeGguf } from './gguf.ts';
import { ModelRegistry, weightsOf } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'cumulet-models-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const llama: [string, Typed][] = [
  ['general.architecture', 'llama'],
  ['llama.context_length', { u32: 8192 }],
  ['llama.embedding_length', { u32: 576 }],
  ['llama.block_count', { u32: 30 }],
  ['llama.attention.head_count', { u32: 9 }],
  ['llama.attention.head_count_kv', { u32: 3 }],
  ['tokenizer.ggml.tokens', { texts: Array.from({ length: 1000 }, (_, at) => `token ${at}`) }],
];

function fileOf(name: string, metadata: [string, Typed][]): string {
  const path = join(folder, name);
  writeGguf(path, metadata, [{ name: 'a', shape: [4], type: 'f32', bytes: 16, data: () => new Uint8Array(16) }]);
  return path;
}
const refused = (says: RegExp) => (error: unknown) => error instanceof Fault && says.test(error.message);

suite('a GGUF file', () => {
  test('describes itself', () => {
    const { tensors, metadata } = readHeader(fileOf('header.gguf', llama));
    assert.equal(tensors, 1);
    assert.equal(metadata.get('llama.context_length'), 8192);
    assert.deepEqual(metadata.get('tokenizer.ggml.tokens'), []); // long lists are skipped
    const weights = weightsOf(join(folder, 'header.gguf'), { library: 'x' });
    assert.equal(weights.kind, 'chat');
    assert.equal(weights.cacheBytesPerToken, 2 * 30 * 3 * 128);
  });

  test('in another format or truncated is refused', () => {
    writeFileSync(join(folder, 'none.gguf'), 'hello world, this is text');
    writeFileSync(join(folder, 'short.gguf'), 'GGUF\u0003\0\0\0');
    assert.throws(() => weightsOf(join(folder, 'none.gguf'), { library: 'x' }), refused(/is not a GGUF file/));
    assert.throws(() => weightsOf(join(folder, 'short.gguf'), { library: 'x' }), refused(/ends in the middle/));
    assert.throws(() => weightsOf(join(folder, 'gone.gguf'), { library: 'x' }), refused(/does not exist/));
    const other = fileOf('other.gguf', [['general.architecture', 'whisper']]);
    assert.throws(() => weightsOf(other, { library: 'x' }), refused(/is not a language model/));
    assert.throws(
      () => weightsOf(join(folder, 'header.gguf'), { library: 'x', name: 'a b' }),
      refused(/is not a valid model name/),
    );
    const cut = fileOf('cut.gguf', llama);
    truncateSync(cut, readHeader(cut).endsAt - 1);
    assert.throws(() => weightsOf(cut, { library: 'x' }), refused(/is incomplete/));
    writeGguf(join(folder, 'empty.gguf'), llama, []);
    assert.throws(() => weightsOf(join(folder, 'empty.gguf'), { library: 'x' }), refused(/has no weights/));
  });
});

suite('the models of a region', () => {
  const chat = (name: string, serves: string[] = []) =>
    weightsOf(fileOf(`${name}.gguf`, llama), { library: 'x', serves });
  const vectors = weightsOf(
    fileOf('vectors.gguf', [
      ['general.architecture', 'bert'],
      ['bert.context_length', { u32: 256 }],
      ['bert.embedding_length', { u32: 384 }],
      ['bert.pooling_type', { u32: 1 }],
    ]),
    { library: 'x' },
  );

  test('serve the ids that they are registered for, else all of their kind, the newest first', () => {
    const registry = new ModelRegistry(join(folder, 'region'));
    const found = (id: string) => registry.find(id, 'chat')?.name;
    assert.equal(found('a/b'), undefined);
    registry.add(chat('one'));
    registry.add(vectors);
    registry.add(chat('two'));
    registry.add(chat('three', ['a/b']));
    assert.deepEqual([found('a/b'), found('c/d'), found('local/one')], ['three', 'two', 'one']);
    assert.equal(registry.find('BAAI/bge-m3', 'embedding')?.name, 'vectors');
  });

  test('are updated in a running region as soon as they change', () => {
    const [region, command] = [new ModelRegistry(folder), new ModelRegistry(folder)];
    command.add(chat('one'));
    assert.equal(region.all().length, 1);
    command.add(chat('one', ['a/b']));
    assert.deepEqual(region.all()[0]?.serves, ['a/b']);
    command.remove('one');
    assert.deepEqual(region.all(), []);
    assert.throws(() => command.remove('one'), refused(/Model one is not registered/));
  });

  test('keep their names, unless another file replaces one', () => {
    const registry = new ModelRegistry(join(folder, 'named'));
    const first = chat('mine');
    const other = fileOf('other-mine.gguf', [...llama, ['general.name', 'other']]);
    const second = weightsOf(other, { library: 'x', name: 'mine' });
    registry.add(first);
    assert.throws(() => registry.add(second), refused(/already has another model mine/));
    copyFileSync(first.file, join(folder, 'copy.gguf'));
    registry.add(weightsOf(join(folder, 'copy.gguf'), { library: 'x', name: 'mine' })); // the same weights
    registry.add(second, true);
    assert.deepEqual([registry.all().length, registry.all()[0]?.file], [1, other]);
  });

  test('get as much context as memory allows', () => {
    const small = { contextTokens: 8192, cacheBytesPerToken: 23_040 };
    assert.deepEqual(capacityOf(small, 16e9), { contextTokens: 8192, sequences: 8 });
    assert.deepEqual(capacityOf(small, 2e9), { contextTokens: 8192, sequences: 2 });
    const large = capacityOf({ contextTokens: 131_072, cacheBytesPerToken: 131_072 }, 16e9);
    assert.ok(large.contextTokens > 4096 && large.sequences === 2, JSON.stringify(large));
  });
});

// `cumulet models add`: the files that it refuses before it installs anything.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelRegistry, readHeader, type Typed, weightsOf, writeGguf } from '../../src/testing/black-box/inference.ts';
import { cumulet } from '../harness/process.ts';

const llama: [string, Typed][] = [
  ['general.architecture', 'llama'],
  ['llama.context_length', { u32: 8192 }],
  ['llama.embedding_length', { u32: 576 }],
];

test("a model that can't be served as requested is refused with the reason", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-add-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (name: string, more: [string, Typed][] = []): string => {
    const path = join(folder, name);
    const tensor = { name: 'a', shape: [64], type: 'f32' as const, bytes: 256, data: () => new Uint8Array(256) };
    writeGguf(path, [...llama, ...more], [tensor]);
    return path;
  };
  const [good, cut, other] = [fileOf('good.gguf'), fileOf('cut.gguf'), fileOf('b.gguf', [['general.name', 'b']])];
  truncateSync(cut, readHeader(cut).endsAt - 1);
  new ModelRegistry(folder).add(weightsOf(good, { library: folder }));
  const refusals: [string[], RegExp][] = [
    [[cut], /cut\.gguf is incomplete/],
    [[good, '--serves', 'BAAI/bge-m3'], /BAAI\/bge-m3 is a model for embedding, but the file is a model for chat/],
    [
      [good, '--serves', 'openai/gpt-oss-120B'],
      /Model openai\/gpt-oss-120B is not in the catalogue.*Did you mean openai\/gpt-oss-120b\?/,
    ],
    [[other, '--name', 'good'], /already has another model good: .*good\.gguf.*--replace/],
  ];
  for (const [words, says] of refusals) {
    const { code, stderr } = await cumulet(['models', 'add', ...words, '--data', folder]);
    assert.notEqual(code, 0);
    assert.match(stderr.replaceAll('\n', ' '), says);
  }
  rmSync(good);
  const { stdout } = await cumulet(['models', 'list', '--data', folder]);
  assert.match(stdout, /good\.gguf \(missing\)/);
});

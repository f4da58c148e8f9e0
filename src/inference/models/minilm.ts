// all-MiniLM-L6-v2: reads the form of Python packages (safetensors and a vocabulary) and writes a GGUF file for
// llama.cpp. Matrices become half-precision numbers; small tensors stay unchanged.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Tensor, type Typed, writeGguf } from './gguf.ts';

interface Stored {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

interface BertConfig {
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  max_position_embeddings: number;
  layer_norm_eps: number;
}

const meanPooling = 1;
const trainedTokens = 256; // it has positions for 512, but was trained on texts up to here

export function convertMiniLm(folder: string, target: string): void {
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as BertConfig;
  const vocabulary = readFileSync(join(folder, 'vocab.txt'), 'utf8').trimEnd().split('\n');
  const file = openSync(join(folder, 'model.safetensors'), 'r');
  try {
    const tensors = tensorsOf(file, config.num_hidden_layers);
    writeGguf(target, [...shapeOf(config), ...tokenizerOf(vocabulary)], tensors);
  } finally {
    closeSync(file);
  }
}

function shapeOf(config: BertConfig): [string, Typed][] {
  return [
    ['general.architecture', 'bert'],
    ['general.name', 'all-MiniLM-L6-v2'],
    ['general.license', 'apache-2.0'],
    ['bert.context_length', { u32: Math.min(trainedTokens, config.max_position_embeddings) }],
    ['bert.embedding_length', { u32: config.hidden_size }],
    ['bert.feed_forward_length', { u32: config.intermediate_size }],
    ['bert.block_count', { u32: config.num_hidden_layers }],
    ['bert.attention.head_count', { u32: config.num_attention_heads }],
    ['bert.attention.layer_norm_epsilon', { f32: config.layer_norm_eps }],
    ['bert.attention.causal', false],
    ['bert.pooling_type', { u32: meanPooling }],
  ];
}

function tokenizerOf(vocabulary: string[]): [string, Typed][] {
  const id = (token: string): { u32: number } => ({ u32: vocabulary.indexOf(token) });
  const isSpecial = (token: string): boolean => /^\[.+\]$/.test(token);
  // llama.cpp marks the beginning of a word, BERT marks its continuation.
  const marked = (token: string): string => {
    if (isSpecial(token)) return token;
    return token.startsWith('##') ? token.slice(2) : `\u2581${token}`;
  };
  return [
    ['tokenizer.ggml.model', 'bert'],
    ['tokenizer.ggml.pre', 'jina-v2-en'],
    ['tokenizer.ggml.tokens', { texts: vocabulary.map(marked) }],
    ['tokenizer.ggml.token_type', { i32s: vocabulary.map((token) => (isSpecial(token) ? 3 : 1)) }],
    ['tokenizer.ggml.token_type_count', { u32: 2 }],
    ['tokenizer.ggml.bos_token_id', id('[CLS]')],
    ['tokenizer.ggml.eos_token_id', id('[SEP]')],
    ['tokenizer.ggml.cls_token_id', id('[CLS]')],
    ['tokenizer.ggml.seperator_token_id', id('[SEP]')],
    ['tokenizer.ggml.padding_token_id', id('[PAD]')],
    ['tokenizer.ggml.unknown_token_id', id('[UNK]')],
    ['tokenizer.ggml.mask_token_id', id('[MASK]')],
  ];
}

function tensorsOf(file: number, layers: number): Tensor[] {
  const { entries, begin } = entriesOf(file);
  const tensor = (source: string, name: string): Tensor => {
    const { dtype, shape, data_offsets } = entries[source] ?? missing(source);
    if (dtype !== 'F32') throw new Fault('refused', `${source} has the type ${dtype}; F32 is expected.`);
    const [from] = data_offsets;
    if (name.startsWith('position')) shape[0] = Math.min(trainedTokens, shape[0] ?? 0);
    const to = from + shape.reduce((product, size) => product * size, Float32Array.BYTES_PER_ELEMENT);
    const isMatrix = shape.length > 1 && !/position|token_types/.test(name);
    const data = (): Uint8Array => {
      const bytes = new Uint8Array(to - from);
      readSync(file, bytes, 0, bytes.length, begin + from);
      if (!isMatrix) return bytes;
      return new Uint8Array(Float16Array.from(new Float32Array(bytes.buffer)).buffer);
    };
    const bytes = isMatrix ? (to - from) / 2 : to - from;
    return { name, shape: shape.toReversed(), type: isMatrix ? 'f16' : 'f32', data, bytes };
  };
  const blocks = Array.from({ length: layers }, (_, layer) =>
    Object.entries(blockNames).flatMap(([source, name]) =>
      ['weight', 'bias'].map((part) =>
        tensor(`encoder.layer.${layer}.${source}.${part}`, `blk.${layer}.${name}.${part}`),
      ),
    ),
  );
  return [
    tensor('embeddings.word_embeddings.weight', 'token_embd.weight'),
    tensor('embeddings.token_type_embeddings.weight', 'token_types.weight'),
    tensor('embeddings.position_embeddings.weight', 'position_embd.weight'),
    tensor('embeddings.LayerNorm.weight', 'token_embd_norm.weight'),
    tensor('embeddings.LayerNorm.bias', 'token_embd_norm.bias'),
    ...blocks.flat(),
  ];
}

const blockNames = {
  'attention.self.query': 'attn_q',
  'attention.self.key': 'attn_k',
  'attention.self.value': 'attn_v',
  'attention.output.dense': 'attn_output',
  'attention.output.LayerNorm': 'attn_output_norm',
  'intermediate.dense': 'ffn_up',
  'output.dense': 'ffn_down',
  'output.LayerNorm': 'layer_output_norm',
};

// A safetensors file begins with the length of its JSON header and the header; the tensors follow.
function entriesOf(file: number): { entries: Record<string, Stored>; begin: number } {
  const length = Buffer.alloc(8);
  readSync(file, length, 0, 8, 0);
  const header = Buffer.alloc(Number(length.readBigUInt64LE()));
  readSync(file, header, 0, header.length, 8);
  return { entries: JSON.parse(header.toString('utf8')) as Record<string, Stored>, begin: 8 + header.length };
}

function missing(source: string): never {
  throw new Fault('refused', `The model has no tensor ${source}.`);
}

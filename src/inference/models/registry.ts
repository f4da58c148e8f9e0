// The registered GGUF files of a region: one JSON file in its data folder. `cumulet models` changes it, and a running
// region reads it again as soon as it changes. The weights themselves are elsewhere.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { matchesChecksum, withChecksum } from '../../base/checked-json.ts';
import { Fault } from '../../base/fault.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type Metadata, readHeader } from './gguf.ts';

export interface Weights {
  name: string;
  kind: 'chat' | 'embedding';
  file: string;
  library: string; // the folder of the engine that loads it
  serves: string[]; // ids of models; empty: all of its kind that no other file is registered for
  sizeBytes: number;
  fingerprint: string; // of the file's content
  contextTokens: number; // the length that it was trained with
  dimensions: number; // of its vectors
  cacheBytesPerToken: number; // memory per token of context
}

export const ownId = (name: string): string => `local/${name}`;

export const modelsFile = 'models.json';
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export class ModelRegistry {
  readonly #path: string;
  #read: { version: string; models: Weights[] } = { version: '', models: [] };

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, modelsFile);
  }

  // The newest comes first.
  all(): Weights[] {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (!stat) return [];
    const version = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (version !== this.#read.version) this.#read = { version, models: this.#parse() };
    return this.#read.models;
  }

  // What serves a model of this id: a file that is registered for it, else a file for the whole kind.
  find(id: string, kind: Weights['kind']): Weights | undefined {
    const models = this.all().filter((one) => one.kind === kind);
    return (
      models.find(({ serves, name }) => serves.includes(id) || ownId(name) === id) ??
      models.find(({ serves }) => serves.length === 0)
    );
  }

  // The same file may be added again with other settings. Another file of the same name needs --replace.
  demandFree({ name, file, fingerprint }: Weights, replaces: boolean): void {
    const known = this.all().find((one) => one.name === name);
    if (!known || known.file === file || known.fingerprint === fingerprint || replaces) return;
    const choice = 'Give the file another name with --name, or replace the model with --replace.';
    throw new Fault('refused', `The region already has another model ${name}: ${known.file}. ${choice}`);
  }

  add(weights: Weights, replaces = false): void {
    this.demandFree(weights, replaces);
    this.#write([weights, ...this.all().filter(({ name }) => name !== weights.name)]);
  }

  remove(name: string): Weights {
    const found = this.all().find((one) => one.name === name);
    if (!found)
      throw new Fault('refused', `Model ${name} is not registered in this region. List them with: models list`);
    this.#write(this.all().filter((one) => one !== found));
    return found;
  }

  #parse(): Weights[] {
    try {
      return (JSON.parse(readFileSync(this.#path, 'utf8')) as { models: Weights[] }).models;
    } catch (cause) {
      throw new Fault('unavailable', `${this.#path} is damaged: ${(cause as Error).message}`, { cause });
    }
  }

  #write(models: Weights[]): void {
    mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 });
    const fresh = `${this.#path}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify(withChecksum({ models }), null, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, this.#path);
  }
}

export function modelsDamage(dataFolder: string): string[] {
  const path = join(dataFolder, modelsFile);
  if (!existsSync(path) || matchesChecksum(readFileSync(path, 'utf8'))) return [];
  return [`${path} is damaged: delete it and add the models again with \`models add\``];
}

// The file's own metadata. Refuses files that can't be served.
export function weightsOf(file: string, given: { name?: string; library: string; serves?: string[] }): Weights {
  const path = resolve(file);
  if (!existsSync(path)) throw new Fault('refused', `${file} does not exist.`);
  const { metadata, tensors, endsAt } = readHeader(path);
  const { size } = statSync(path);
  if (tensors === 0) throw new Fault('refused', `${file} has no weights.`);
  if (size < endsAt)
    throw new Fault('refused', `${file} is incomplete: it has ${size} bytes, but its last tensor ends at ${endsAt}.`);
  const name = given.name ?? basename(path).replace(/\.gguf$/i, '');
  if (!nameForm.test(name))
    throw new Fault(
      'refused',
      `'${name}' is not a valid model name. Use letters, digits, dots, dashes and underscores.`,
    );
  const architecture = String(metadata.get('general.architecture') ?? '');
  const fact = (key: string): number => Math.max(0, ...[numbersOf(metadata, `${architecture}.${key}`)].flat());
  if (fact('context_length') === 0)
    throw new Fault('refused', `${file} does not state the length of its context, so it is not a language model.`);
  return {
    name,
    kind: isEmbedding(architecture, metadata) ? 'embedding' : 'chat',
    file: path,
    library: given.library,
    serves: given.serves ?? [],
    sizeBytes: size,
    fingerprint: fingerprintOf(path),
    contextTokens: fact('context_length'),
    dimensions: fact('embedding_length'),
    cacheBytesPerToken: cacheBytesOf(fact),
  };
}

const isEmbedding = (architecture: string, metadata: Metadata): boolean =>
  /bert/.test(architecture) || metadata.has(`${architecture}.pooling_type`);

// Keys and values of each layer, two bytes each.
function cacheBytesOf(fact: (key: string) => number): number {
  const heads = fact('attention.head_count') || 1;
  const headSize = fact('embedding_length') / heads;
  const keys = fact('attention.key_length') || headSize;
  const values = fact('attention.value_length') || headSize;
  return 2 * fact('block_count') * (fact('attention.head_count_kv') || heads) * (keys + values);
}

function numbersOf(metadata: Metadata, key: string): number[] {
  const value = metadata.get(key);
  return (Array.isArray(value) ? value : [value]).map((one) => Number(one ?? 0)).filter(Number.isFinite);
}

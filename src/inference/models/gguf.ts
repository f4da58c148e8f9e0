// GGUF, the file format of llama.cpp's models (version 3): reads the metadata of a file, and writes files.
// Numbers are little-endian; tensors begin at multiples of 32 bytes.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { tensorBytes } from './tensor-size.ts';

export type Value = string | number | bigint | boolean | Value[];
export type Metadata = Map<string, Value>;

export interface Tensor {
  name: string;
  shape: number[]; // the fastest dimension first
  type: keyof typeof tensorTypes;
  data(): Uint8Array;
  bytes: number;
}

const alignment = 32;
const tensorTypes = { f32: 0, f16: 1 } as const;
const maxHeaderBytes = 256 * 1024 * 1024; // vocabularies are part of it
const chunkBytes = 1024 * 1024;

// The types of values by their number in the file.
const u32 = 4;
const i32 = 5;
const f32 = 6;
const bool = 7;
const text = 8;
const list = 9;

export interface Header {
  version: number;
  tensors: number;
  metadata: Metadata;
  endsAt: number; // where the last tensor ends, in bytes of the file: a shorter file is truncated
}

// Reads the header. Long lists (vocabularies) are skipped and left empty.
export function readHeader(path: string): Header {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    throw new Fault('refused', `${path} can't be read: ${fileError(cause)}.`, { cause });
  }
  try {
    return parse(new FileReader(file, path));
  } finally {
    closeSync(file);
  }
}

function parse(reader: FileReader): Header {
  if (reader.bytes(4).toString('latin1') !== 'GGUF') throw reader.fault('is not a GGUF file');
  const version = reader.u32();
  if (version !== 2 && version !== 3) throw reader.fault(`has GGUF version ${version}, but only 2 and 3 are supported`);
  const tensors = reader.count();
  const entries = reader.count();
  const metadata: Metadata = new Map();
  for (let at = 0; at < entries; at++) {
    const key = reader.text();
    metadata.set(key, reader.value(reader.u32()));
  }
  const ends = Array.from({ length: tensors }, () => endOfTensor(reader));
  const begin = aligned(reader.position, Number(metadata.get('general.alignment') ?? alignment));
  return { version, tensors, metadata, endsAt: begin + ends.reduce((most, end) => Math.max(most, end), 0) };
}

// Counted from the place where tensors begin.
function endOfTensor(reader: FileReader): number {
  reader.text(); // its name
  const shape = Array.from({ length: reader.u32() }, () => reader.count());
  const type = reader.u32();
  const offset = Number(reader.bytes(8).readBigUInt64LE());
  return (
    offset +
    tensorBytes(
      type,
      shape.reduce((product, size) => product * size, 1),
    )
  );
}

const aligned = (position: number, to: number): number => Math.ceil(position / to) * to;

const shortList = 64;

class FileReader {
  readonly #file: number;
  readonly #path: string;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0; // in the buffer
  #read = 0; // from the file

  constructor(file: number, path: string) {
    this.#file = file;
    this.#path = path;
  }

  fault(problem: string): Fault {
    return new Fault('refused', `${this.#path} ${problem}.`);
  }

  get position(): number {
    return this.#read - (this.#buffer.length - this.#at);
  }

  bytes(length: number): Buffer {
    while (this.#buffer.length - this.#at < length) this.#fill(length);
    this.#at += length;
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  #fill(needed: number): void {
    if (this.#read > maxHeaderBytes) throw this.fault('has a header that is too long');
    const more = Buffer.alloc(Math.max(chunkBytes, Math.min(needed, maxHeaderBytes)));
    const length = readSync(this.#file, more, 0, more.length, this.#read);
    if (length === 0) throw this.fault('ends in the middle of its header');
    this.#read += length;
    this.#buffer = Buffer.concat([this.#buffer.subarray(this.#at), more.subarray(0, length)]);
    this.#at = 0;
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }

  count(): number {
    const value = this.bytes(8).readBigUInt64LE();
    if (value > BigInt(maxHeaderBytes)) throw this.fault('is damaged: a count in its header is too large');
    return Number(value);
  }

  text(): string {
    return this.bytes(this.count()).toString('utf8');
  }

  value(type: number): Value {
    switch (type) {
      case 0:
        return this.bytes(1).readUInt8();
      case 1:
        return this.bytes(1).readInt8();
      case 2:
        return this.bytes(2).readUInt16LE();
      case 3:
        return this.bytes(2).readInt16LE();
      case u32:
        return this.u32();
      case i32:
        return this.bytes(4).readInt32LE();
      case f32:
        return this.bytes(4).readFloatLE();
      case bool:
        return this.bytes(1).readUInt8() !== 0;
      case text:
        return this.text();
      case list:
        return this.#list();
      case 10:
        return this.bytes(8).readBigUInt64LE();
      case 11:
        return this.bytes(8).readBigInt64LE();
      case 12:
        return this.bytes(8).readDoubleLE();
      default:
        throw this.fault(`is damaged: its header has a value of the unknown type ${type}`);
    }
  }

  #list(): Value[] {
    const type = this.u32();
    const length = this.count();
    const values: Value[] = [];
    for (let at = 0; at < length; at++) {
      const value = this.value(type);
      if (length <= shortList) values.push(value);
    }
    return values;
  }
}

// The encoding of a value: texts and booleans directly, numbers in the named form.
export type Typed = string | boolean | { u32: number } | { f32: number } | { texts: string[] } | { i32s: number[] };

export function writeGguf(path: string, metadata: readonly [string, Typed][], tensors: readonly Tensor[]): void {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32Of(3), u64Of(tensors.length), u64Of(metadata.length)];
  for (const [key, value] of metadata) parts.push(textOf(key), typedOf(value));
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(textOf(name), u32Of(shape.length), ...shape.map(u64Of), u32Of(tensorTypes[type]), u64Of(offset));
    offset += bytes + paddingOf(bytes);
  }
  const header = Buffer.concat(parts);
  const file = openSync(path, 'w');
  try {
    writeSync(file, header);
    writeSync(file, Buffer.alloc(paddingOf(header.length)));
    for (const tensor of tensors) {
      writeSync(file, tensor.data());
      writeSync(file, Buffer.alloc(paddingOf(tensor.bytes)));
    }
  } finally {
    closeSync(file);
  }
}

const paddingOf = (length: number): number => (alignment - (length % alignment)) % alignment;

function u32Of(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64Of(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function textOf(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64Of(bytes.length), bytes]);
}

function typedOf(value: Typed): Buffer {
  if (typeof value === 'string') return Buffer.concat([u32Of(text), textOf(value)]);
  if (typeof value === 'boolean') return Buffer.concat([u32Of(bool), Buffer.of(value ? 1 : 0)]);
  if ('u32' in value) return Buffer.concat([u32Of(u32), u32Of(value.u32)]);
  if ('f32' in value) return Buffer.concat([u32Of(f32), Buffer.from(Float32Array.of(value.f32).buffer)]);
  if ('texts' in value)
    return Buffer.concat([u32Of(list), u32Of(text), u64Of(value.texts.length), ...value.texts.map(textOf)]);
  const numbers = Buffer.from(Int32Array.from(value.i32s).buffer);
  return Buffer.concat([u32Of(list), u32Of(i32), u64Of(value.i32s.length), numbers]);
}

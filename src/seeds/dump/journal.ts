// The parts that an interrupted dump has read already, in a file next to its output: one line for each.
import { appendFileSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import type { Values } from '../../base/json.ts';

export interface Part {
  path: string;
  at: string;
  items: Values[];
}

export class Journal {
  readonly #file: string;
  #head: string | undefined; // is written with the first part
  readonly #parts = new Map<string, Part>();

  // `of`: describes the dump, so that a journal of another one is not continued.
  constructor(file: string, of: Values) {
    this.#file = file;
    dropTornLine(file);
    const [head, ...lines] = linesOf(file);
    const wanted = JSON.stringify(of);
    if (head !== undefined && head !== wanted)
      throw new Fault('refused', `${file} belongs to a dump with other options. Repeat those, or delete the file.`);
    this.#head = head === undefined ? wanted : undefined;
    this.#append(''); // whether the file can be written
    if (head === undefined) this.remove();
    for (const line of lines) {
      const part = partOf(line);
      if (part) this.#parts.set(part.path, part);
    }
  }

  get size(): number {
    return this.#parts.size;
  }

  part(path: string): Part | undefined {
    return this.#parts.get(path);
  }

  add(part: Part): void {
    const head = this.#head === undefined ? '' : `${this.#head}\n`;
    this.#append(`${head}${JSON.stringify(part)}\n`);
    this.#head = undefined;
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #append(text: string): void {
    try {
      appendFileSync(this.#file, text, { mode: 0o600 });
    } catch (error) {
      throw new Fault('refused', `${this.#file} can't be written: ${fileError(error)}.`, { cause: error });
    }
  }
}

const linesOf = (file: string): string[] => lenientText(file).split('\n').slice(0, -1);

function lenientText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // there is none
  }
}

// The process may have been killed while it wrote.
function dropTornLine(file: string): void {
  const text = lenientText(file);
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
}

function partOf(line: string): Part | undefined {
  try {
    return JSON.parse(line) as Part;
  } catch {
    return undefined;
  }
}

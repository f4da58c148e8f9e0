// Reads seed files, YAML or JSON, and remembers the line of every value, so that each problem can be told with its
// place.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { Fault, type Problem } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';

export type Path = readonly (string | number)[];

export class SeedSource {
  readonly file: string;
  readonly value: Values;
  readonly #root: Node | null;
  readonly #lines: LineCounter;

  private constructor(file: string, value: Values, root: Node | null, lines: LineCounter) {
    this.file = file;
    this.value = value;
    this.#root = root;
    this.#lines = lines;
  }

  // The folder that paths in it are relative to.
  get folder(): string {
    return dirname(this.file);
  }

  // `file:line` of a value, or of the nearest one above it that is there.
  placeOf(path: Path): string {
    let node: unknown = this.#root;
    let offset = this.#root?.range?.[0] ?? 0;
    for (const key of path) {
      if (isMap(node)) {
        const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
        if (!pair) break;
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(key)];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      } else break;
    }
    return `${this.file}:${this.#lines.linePos(offset).line}`;
  }

  static read(file: string): SeedSource {
    const lines = new LineCounter();
    const document = parseDocument(textOf(file), { lineCounter: lines, uniqueKeys: true });
    const problems = document.errors.map(
      ({ linePos, message }): Problem => ({ message: `${file}:${linePos?.[0].line ?? 1}: ${firstLineOf(message)}` }),
    );
    if (problems.length > 0) throw new Fault('refused', `${file} can not be read.`, { problems });
    const value = plainValue(document, file, lines);
    if (!isObject(value))
      throw new Fault('refused', `${file}:1: a seed is an object of sections, such as datacenters.`);
    return new SeedSource(file, value, document.contents as Node | null, lines);
  }
}

// The parser ends its first line with the place, which stands in front here, and goes on with the text around it.
const firstLineOf = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

// Without its aliases, which may lead to nothing or in a circle.
function plainValue(document: Document, file: string, lines: LineCounter): Json {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 1000 }) ?? {})) as Json;
  } catch (error) {
    let offset = 0;
    visit(document, {
      Alias(_, alias) {
        offset = alias.range?.[0] ?? 0;
        return alias.resolve(document) ? undefined : visit.BREAK;
      },
    });
    const { line } = lines.linePos(offset);
    throw new Fault('refused', `${file}:${line}: an alias leads to nothing, in a circle, or to too much.`, {
      cause: error,
    });
  }
}

const isSeed = (name: string): boolean => /\.(ya?ml|json)$/.test(name) && !name.startsWith('.');

// A file, or all seed files of a folder in the order of their names.
export function readSeeds(path: string): SeedSource[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Fault('missing', `There is no seed file or folder ${path}.`);
  if (!found.isDirectory()) return [SeedSource.read(path)];
  const names = readdirSync(path).filter(isSeed).sort();
  if (names.length === 0) throw new Fault('refused', `There is no .yaml, .yml or .json file in ${path}.`);
  return names.map((name) => SeedSource.read(join(path, name)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('refused', `${file} can not be read: ${fileError(error)}.`, { cause: error });
  }
}

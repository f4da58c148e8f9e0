// Reads seed files, YAML or JSON, and remembers the line of every value, so that each problem can be reported with its
// place.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { Fault, type Problem } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';

const mostFileBytes = 16 * 1024 * 1024;
const mostAliases = 1000;
const mostExpanded = 32 * 1024 * 1024; // characters, with every alias replaced by its value
const deepest = 64;

export type Path = readonly (string | number)[];

export class SeedSource {
  readonly file: string;
  readonly value: Values;
  readonly placeOf: (path: Path) => string; // for messages: where a value is

  constructor(file: string, value: Values, placeOf: (path: Path) => string) {
    this.file = file;
    this.value = value;
    this.placeOf = placeOf;
  }

  // The folder that paths in it are relative to.
  get folder(): string {
    return dirname(this.file);
  }

  static read(file: string): SeedSource {
    return SeedSource.parse(textOf(file), file);
  }

  static parse(text: string, file: string): SeedSource {
    const lines = new LineCounter();
    // The parser's own search for duplicate keys takes quadratic time.
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
    const problems = document.errors.slice(0, mostSyntaxErrors).map(({ linePos, message }): Problem => {
      return { message: `${file}:${linePos?.[0].line ?? 1}: ${firstLineOf(message)}` };
    });
    const more = document.errors.length - problems.length;
    if (more > 0) problems.push({ message: `${file} has ${more} more errors. Is it a seed in YAML or JSON?` });
    if (problems.length === 0) problems.push(...structureProblems(document, file, lines));
    if (problems.length > 0) throw new Fault('refused', `${file} can't be read.`, { problems });
    const value = plainValue(document, file, lines);
    if (!isObject(value))
      throw new Fault('refused', `${file}:1: a seed must be an object of sections, such as datacenters.`);
    return new SeedSource(file, value, (path) => `${file}:${lineOf(path, document.contents as Node | null, lines)}`);
  }
}

// The line of a value, or of the nearest existing one above it.
function lineOf(path: Path, root: Node | null, lines: LineCounter): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
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
  return lines.linePos(offset).line;
}

// Most of the later ones follow from the first.
const mostSyntaxErrors = 5;

// The parser's first line ends with the position, which we put in front, and is followed by an excerpt of the text.
const firstLineOf = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

// Duplicate keys, too many aliases and deep nesting.
function structureProblems(document: Document, file: string, lines: LineCounter): Problem[] {
  const problems: Problem[] = [];
  const report = (node: Node, message: string): void => {
    problems.push({ message: `${file}:${lines.linePos(node.range?.[0] ?? 0).line}: ${message}` });
  };
  let aliases = 0;
  visit(document, {
    Alias(_, alias) {
      if (++aliases <= mostAliases) return undefined;
      report(alias, `a seed has at most ${mostAliases} aliases.`);
      return visit.BREAK;
    },
    Collection(_, collection, path) {
      if (isMap(collection)) for (const key of duplicateKeys(collection)) report(key, 'Map keys must be unique');
      if (path.filter(isCollection).length < deepest) return undefined;
      report(collection, `the seed is nested deeper than ${deepest} levels.`);
      return visit.BREAK;
    },
  });
  return problems;
}

function duplicateKeys({ items }: YAMLMap): Node[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    if (seen.has(key.value)) return [key];
    seen.add(key.value);
    return [];
  });
}

// Throws if a value has more characters than that, or is circular.
function expandedSize(value: unknown, depth: number, before: number): number {
  let size = before + 1;
  if (typeof value === 'string') size += value.length;
  if (size > mostExpanded || depth > deepest) throw new Error('too much');
  if (typeof value !== 'object' || value === null) return size;
  for (const [key, inner] of Object.entries(value)) size = expandedSize(inner, depth + 1, size + key.length);
  return size;
}

// Without its aliases, which may be undefined or circular.
function plainValue(document: Document, file: string, lines: LineCounter): Json {
  try {
    const value: unknown = document.toJS({ maxAliasCount: mostAliases }) ?? {};
    expandedSize(value, 0, 0);
    return JSON.parse(JSON.stringify(value)) as Json;
  } catch (error) {
    let offset = 0;
    visit(document, {
      Alias(_, alias) {
        offset = alias.range?.[0] ?? 0;
        return alias.resolve(document) ? undefined : visit.BREAK;
      },
    });
    const { line } = lines.linePos(offset);
    throw new Fault('refused', `${file}:${line}: an alias is undefined, circular or expands to too much.`, {
      cause: error,
    });
  }
}

const isSeed = (name: string): boolean => /\.(ya?ml|json)$/.test(name) && !name.startsWith('.');

// A file, or all seed files of a folder in the order of their names.
export function readSeeds(path: string): SeedSource[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Fault('missing', `The seed file or folder ${path} does not exist.`);
  if (!found.isDirectory()) return [SeedSource.read(path)];
  const names = readdirSync(path).filter(isSeed).sort();
  if (names.length === 0) throw new Fault('refused', `The folder ${path} has no .yaml, .yml or .json file.`);
  return names.map((name) => SeedSource.read(join(path, name)));
}

function textOf(file: string): string {
  try {
    const found = statSync(file);
    if (found.isFile() && found.size > mostFileBytes)
      throw new Fault('refused', `${file} has more than ${mostFileBytes / 1024 / 1024} MB. Split the seed.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('refused', `${file} can't be read: ${fileError(error)}.`, { cause: error });
  }
}

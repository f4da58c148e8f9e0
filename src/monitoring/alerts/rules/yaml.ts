// Parses untrusted YAML (including JSON): plain texts, lists and maps, each with its position. Scalars stay text: the
// caller decides about numbers and durations.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  stringify,
} from 'yaml';
import type { Problem } from '../../../base/fault.ts';

export type Plain = string | Plain[] | PlainMap;
export type PlainMap = { [key: string]: Plain };
export type Path = readonly (string | number)[];

export interface YamlText {
  value: Plain;
  placeOf(path: Path): string; // `3:7`: line and column of the node at the path, or of its nearest existing parent
  keyPlaceOf(path: Path): string; // of the key that the path ends with
}

const deepest = 32;
const mostAliases = 1000; // per text, because resolving one takes time that grows with the number of anchors
const mostExpansions = 100;
const mostErrors = 10;
const settings = {
  schema: 'failsafe',
  merge: true,
  stringKeys: true,
  prettyErrors: false,
  uniqueKeys: false, // the parser's check takes quadratic time
  logLevel: 'error',
} as const;

export class YamlProblems extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems[0]?.message);
    this.problems = problems;
  }
}

export function readYaml(text: string): YamlText {
  if (isTooDeep(text)) throw oneProblem(`the text is nested deeper than ${deepest} levels`);
  if (text.includes('\0')) throw oneProblem('the text contains a NUL character');
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (document.errors.length > 0)
    throw new YamlProblems(
      document.errors.slice(0, mostErrors).map(({ pos: [at], message }) => ({
        message: `${placeAt(lines, at)}: yaml: ${firstLine(message)}`,
      })),
    );
  demandShape(document.contents, lines, 0, { aliases: 0 });
  const root: Node | null = document.contents;
  const walk = (path: Path, wantsKey: boolean): string => {
    let node: Node | null | undefined = root;
    let at = node?.range?.[0] ?? 0;
    for (const [depth, step] of path.entries()) {
      const { key, value } = inside(isAlias(node) ? node.resolve(document) : node, step);
      const isLast = depth === path.length - 1;
      const next: Node | undefined = isLast && wantsKey ? (key ?? value) : (value ?? key);
      if (!next) break;
      at = next.range?.[0] ?? at;
      node = value;
    }
    return placeAt(lines, at);
  };
  return {
    value: plainOf(() => document.toJS({ maxAliasCount: mostExpansions })),
    placeOf: (path) => walk(path, false),
    keyPlaceOf: (path) => walk(path, true),
  };
}

export const writeYaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

// Deep nesting overflows the stack of the parser, which is reported like any other error.
function parsed(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument<ParsedNode, true>(text, { ...settings, lineCounter });
  } catch (error) {
    if (error instanceof RangeError) throw oneProblem(`the text is nested deeper than ${deepest} levels`);
    throw oneProblem(error instanceof Error ? firstLine(error.message) : 'the text is not valid YAML');
  }
}

// Refuses duplicate keys in a map, deep nesting and many aliases. The parser's own check of duplicate keys takes
// quadratic time.
function demandShape(node: unknown, lines: LineCounter, depth: number, found: { aliases: number }): void {
  if (depth > deepest) throw oneProblem(`the text is nested deeper than ${deepest} levels`);
  if (isAlias(node) && ++found.aliases > mostAliases) throw oneProblem(`the text has more than ${mostAliases} aliases`);
  if (isSeq(node)) for (const item of node.items) demandShape(item, lines, depth + 1, found);
  if (!isMap(node)) return;
  const seen = new Set<unknown>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name) && isScalar(key)) {
      const place = placeAt(lines, key.range?.[0] ?? 0);
      throw new YamlProblems([{ message: `${place}: yaml: the key ${JSON.stringify(name)} is used twice in one map` }]);
    }
    seen.add(name);
    demandShape(value, lines, depth + 1, found);
  }
}

function plainOf(make: () => unknown): Plain {
  let value: unknown;
  try {
    value = make();
  } catch {
    throw oneProblem('too many aliases, or an alias of nothing');
  }
  return plain(value, 0);
}

function plain(value: unknown, depth: number): Plain {
  if (depth > deepest) throw oneProblem(`the text is nested deeper than ${deepest} levels`);
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one) => plain(one, depth + 1));
  if (typeof value !== 'object') return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, depth + 1)]));
}

function inside(node: Node | null | undefined, step: string | number): { key?: Node; value?: Node } {
  if (isSeq<Node>(node) && typeof step === 'number') {
    const value = node.items[step];
    return value ? { value } : {};
  }
  if (!isMap<Node, Node | null>(node)) return {};
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  return { ...(pair && { key: pair.key }), ...(pair?.value && { value: pair.value }) };
}

// Counts brackets that are not closed soon after: rules have few of them.
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) {
      if (++depth > 1000) return true;
    } else if (code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
  }
  return false;
}

function placeAt(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}`;
}

const firstLine = (message: string): string =>
  message.startsWith('Maximum call stack') ? 'nested too deeply' : (message.split('\n')[0] ?? '').slice(0, 200);
const oneProblem = (message: string): YamlProblems => new YamlProblems([{ message: `yaml: ${message}` }]);

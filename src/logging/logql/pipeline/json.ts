// The stages `json` and `unpack`: fields of a JSON line become labels.
import { parseError } from '../query-error.ts';
import type { Extraction } from '../syntax/tree.ts';
import { eachField, findPath, JsonError, type JsonValue, textOf, valueAt } from './json-scan.ts';
import { labelNameOf } from './label-name.ts';
import type { LineLabels } from './line-labels.ts';
import type { Process } from './process.ts';

const jsonError = 'JSONParserErr';

// Extracts all fields; nested ones by their path, joined by underscores. Lists are skipped.
export function jsonStage(): Process {
  return (line, labels) => {
    if (labels.hints.takesNothing(labels)) return line;
    try {
      return takeFields(line, 0, '', labels, 0) === 'dropped' ? undefined : line;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      labels.fail(jsonError, error.message);
      return line;
    }
  };
}

type Outcome = 'done' | 'complete' | 'dropped';

const deepest = 64; // nesting depth of objects; deeper ones are skipped

function takeFields(line: string, from: number, prefix: string, labels: LineLabels, depth: number): Outcome {
  const { hints } = labels;
  let outcome: Outcome = 'done';
  eachField(line, from, (key, value) => {
    if (value.kind === 'null' || value.kind === 'array') return true;
    const name = joined(prefix, key);
    if (value.kind === 'object') {
      if (depth < deepest && hints.takesPrefix(name)) outcome = takeFields(line, value.from, name, labels, depth + 1);
    } else {
      if (name !== '' && !takeValue(line, name, value, labels)) outcome = 'dropped';
      else if (hints.isComplete(labels)) outcome = 'complete';
    }
    return outcome === 'done';
  });
  return outcome;
}

function joined(prefix: string, key: string): string {
  if (prefix === '') return labelNameOf(key);
  const name = key.trim();
  return name === '' ? prefix : `${prefix}_${name.replace(/[^a-zA-Z0-9_]/gu, '_')}`;
}

// Returns false if a filter drops the line because of this value.
function takeValue(line: string, field: string, value: JsonValue, labels: LineLabels): boolean {
  const name = labels.freeName(field);
  if (!labels.hints.takes(name) || labels.extracted.has(name)) return true;
  labels.set(name, textOf(line, value));
  return labels.hints.passes(name, labels);
}

export function jsonExpressionStage(expressions: readonly Extraction[]): Process {
  const paths = expressions.map(({ name, expression }) => ({ name, path: parsePath(expression) }));
  return (line, labels) => {
    if (line === '' || labels.hints.takesNothing(labels)) return line;
    if (!/^["{[]/.test(line)) {
      labels.fail(jsonError);
      return line;
    }
    let missing = 0;
    for (const { name, path } of paths) {
      const value = find(line, path, labels);
      if (value) labels.set(labels.freeName(name), textOf(line, value));
      else missing++;
    }
    if (missing > 0) for (const { name } of paths) if (labels.get(name) === undefined) labels.set(name, '');
    return line;
  };
}

type Path = (string | number)[];

const pathToken = /\s*(?:([A-Za-z_]\w*)|\[\s*(?:(\d+)\s*(?=\])|"([^"\]]*)")?|(\])|(\.)|(\S))?/y;

// A path such as a.b[0]["c d"].
export function parsePath(text: string): Path {
  const path: Path = [];
  const refuse = (unexpected: string, fitting = ''): never => {
    const expecting = fitting && `, expecting ${fitting}`;
    throw parseError(`cannot parse expression [${text}]: syntax error: unexpected ${unexpected}${expecting}`);
  };
  pathToken.lastIndex = 0;
  let fitting = 'LSB or FIELD'; // '': a dot, a bracket or the end
  for (;;) {
    const [found = '', field, index, quoted, closing, dot, other] = pathToken.exec(text) ?? [];
    const isOpening = found.trimStart().startsWith('[');
    // Loki's lexer stops at text that looks like a number and is not an index.
    if (other !== undefined && /\d/.test(other)) refuse('$end', fitting);
    if (other === '-' && fitting === 'STRING or INDEX') refuse('$end', fitting);
    if (other !== undefined) throw parseError(`cannot parse expression [${text}]: unexpected char ${other}`);
    if (found.trim() === '') return fitting === '' ? path : refuse('$end', fitting);
    if (closing !== undefined) {
      if (fitting !== 'RSB') refuse('RSB', fitting);
      fitting = '';
    } else if (dot !== undefined) {
      if (fitting !== '') refuse('DOT', fitting);
      fitting = 'FIELD';
    } else if (isOpening) {
      if (fitting !== '' && fitting !== 'LSB or FIELD') refuse('LSB', fitting);
      fitting = 'STRING or INDEX';
      const part = index === undefined ? quoted : Number(index);
      if (part === undefined) continue;
      path.push(part);
      fitting = 'RSB';
    } else {
      if (!fitting.includes('FIELD')) refuse('FIELD', fitting);
      path.push(field as string);
      fitting = '';
    }
  }
}

// An incomplete value is an error; a missing one is not.
function find(line: string, path: Path, labels: LineLabels): JsonValue | undefined {
  let at = -1;
  try {
    at = findPath(line, path);
    return at < 0 ? undefined : valueAt(line, at);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (at >= 0) labels.fail(jsonError, error.message);
    return undefined;
  }
}

// Unpacks lines packed by an agent: the line itself is in _entry, and the other texts are labels.
export function unpackStage(): Process {
  return (line, labels) => {
    if (line === '' || labels.hints.takesNothing(labels)) return line;
    if (line[0] !== '{') {
      labels.fail(jsonError, 'expecting json object(6), but it is not');
      return line;
    }
    const found: [string, string][] = [];
    let entry: string | undefined;
    try {
      eachField(line, 0, (key, value) => {
        if (value.kind !== 'string') return true;
        if (key === '_entry') {
          entry = textOf(line, value);
          return true;
        }
        const name = labels.freeName(key);
        if (labels.hints.takes(name) && !labels.extracted.has(name))
          found.push([labelNameOf(name), textOf(line, value)]);
        return true;
      });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      labels.fail(jsonError, error.message);
      return line;
    }
    if (entry === undefined) return line;
    for (const [name, value] of found) {
      labels.set(name, value);
      if (!labels.hints.passes(name, labels)) return undefined;
    }
    return entry;
  };
}

// The stages `json` and `unpack`: fields of a JSON line become labels.
import { parseError } from '../query-error.ts';
import type { Extraction } from '../syntax/tree.ts';
import { eachField, findPath, JsonError, type JsonValue, textOf, valueAt } from './json-scan.ts';
import { labelNameOf } from './label-name.ts';
import type { LineLabels } from './line-labels.ts';
import type { Process } from './process.ts';

const jsonError = 'JSONParserErr';

// All fields; nested ones by their path, joined by underscores. Lists are left out.
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

const deepest = 64; // objects inside each other; what is deeper is left out

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

// False: a filter drops the line because of this value.
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

// A path such as a.b[0]["c d"].
export function parsePath(text: string): Path {
  const form = /\s*(?:\.?([A-Za-z_]\w*)|\[\s*(\d+)\s*\]|\[\s*"([^"\]]*)"\s*\]|(\.))/y;
  const path: Path = [];
  form.lastIndex = 0;
  while (form.lastIndex < text.trimEnd().length) {
    const [found, name, index, quoted] = form.exec(text) ?? [];
    if (found === undefined || (name ?? index ?? quoted) === undefined || (path.length === 0 && /^\s*\./.test(found)))
      throw parseError(`cannot parse expression [${text}]: syntax error`);
    path.push(index === undefined ? ((name ?? quoted) as string) : Number(index));
  }
  if (path.length === 0) throw parseError(`cannot parse expression [${text}]: syntax error`);
  return path;
}

// A value that is there and not whole is an error; one that is not there is none.
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

// What an agent packed: the line itself is in _entry, and the other texts are labels.
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

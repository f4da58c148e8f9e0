// Parses the fields of a line by the rules of LogQL's json and logfmt, so that a filter by a field finds the line.

export type Field = readonly [name: string, value: string];

export interface ParsedFields {
  origin: 'json' | 'logfmt' | undefined; // undefined: plain text
  fields: readonly Field[];
}

const none: ParsedFields = { origin: undefined, fields: [] };
const deepest = 8;
const mostFields = 200;

export function fieldsOf(line: string): ParsedFields {
  if (/^\s*\{/.test(line)) {
    const value = objectIn(line);
    if (value) return { origin: 'json', fields: jsonFields(value, '', 0).slice(0, mostFields) };
  }
  const fields = logfmtFields(line);
  return fields.length > 0 ? { origin: 'logfmt', fields } : none;
}

export function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

// Nested fields are named by their path. Lists are ignored.
function jsonFields(value: Record<string, unknown>, prefix: string, depth: number): Field[] {
  return Object.entries(value).flatMap(([key, one]): Field[] => {
    const name = nameOf(prefix, key);
    if (one === null || Array.isArray(one) || name === '') return [];
    if (typeof one === 'object')
      return depth < deepest ? jsonFields(one as Record<string, unknown>, name, depth + 1) : [];
    return [[name, String(one)]];
  });
}

function nameOf(prefix: string, key: string): string {
  const name = key.trim().replace(/[^a-zA-Z0-9_]/gu, '_');
  if (prefix !== '') return name === '' ? prefix : `${prefix}_${name}`;
  return /^\d/.test(name) ? `_${name}` : name;
}

const pair = /(?:^|\s)([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))/g;

// A line is logfmt if it consists mostly of pairs, because sentences may contain equals signs, too.
function logfmtFields(line: string): Field[] {
  const found = [...line.matchAll(pair)];
  const length = found.reduce((sum, [text]) => sum + text.length, 0);
  if (found.length === 0 || length < line.trim().length * 0.6) return [];
  return found
    .slice(0, mostFields)
    .map(
      ([, name = '', quotedValue, plain = '']): Field => [
        nameOf('', name),
        quotedValue?.replace(/\\(.)/g, '$1') ?? plain,
      ],
    )
    .filter(([, value]) => value !== '');
}

export interface Summary {
  message: string;
  rest: readonly Field[]; // shown dimmed after the message
}

const messageNames = ['message', 'msg', 'log', 'body', 'event'];
const columnFields = /^(?:level|severity|lvl|date|time|ts|timestamp|_timestamp)$/; // shown in separate columns

// The message and the other fields. A text without fields is the message itself.
export function summaryOf(line: string): Summary {
  const { fields } = fieldsOf(line);
  const message = fields.find(([name, value]) => messageNames.includes(name) && value.trim() !== '');
  if (!message) return { message: line, rest: [] };
  return { message: message[1], rest: fields.filter((field) => field !== message && !columnFields.test(field[0])) };
}

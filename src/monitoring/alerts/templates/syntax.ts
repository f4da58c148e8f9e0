// The parser of templates: text into parts, which template.ts expands. Errors and unsupported parts throw
// TemplateError.
import { functions, TemplateError, type Value } from './functions.ts';

export type Part = string | { pipe: Pipe } | { when: { test: Pipe; parts: Part[] }[]; otherwise: Part[] };
export interface Pipe {
  commands: Term[][]; // each gets what came out of the one before it as its last argument
}
export type Term = { value: Value } | { field: Field } | { call: string } | { pipe: Pipe };
export type Field = { of: 'labels' | 'externalLabels'; name?: string } | { of: 'value' | 'externalURL' };

export function partsOf(text: string): Part[] {
  const reader = new Reader(pieces(text));
  const parts = reader.block();
  if (reader.next !== undefined) throw new TemplateError(`unexpected {{${reader.next.action}}}`);
  return parts;
}

type Piece = { text: string } | { action: string };
type Action = { action: string };

// Splits text and actions; trims, and drops comments.
function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  let trims = false;
  for (;;) {
    const open = text.indexOf('{{', from);
    let plain = text.slice(from, open < 0 ? undefined : open);
    if (trims) plain = plain.trimStart();
    const trimsBefore = /^\{\{-\s/.test(text.slice(open, open + 4));
    if (open >= 0 && trimsBefore) plain = plain.trimEnd();
    if (plain !== '') found.push({ text: plain });
    if (open < 0) return found;
    const close = closing(text, open + 2);
    let action = text.slice(open + (trimsBefore ? 3 : 2), close);
    trims = /\s-$/.test(action);
    if (trims) action = action.slice(0, -1);
    from = close + 2;
    if (!/^\s*\/\*.*\*\/\s*$/s.test(action)) found.push({ action: action.trim() });
  }
}

function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('}}', at)) return at;
    const quote = text[at];
    if (quote !== '"' && quote !== '`') continue;
    at++;
    while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  }
  throw new TemplateError('unclosed action');
}

const word = /^(\w+)(?:\s+(.*))?$/s;
const missing = new Set(['range', 'with', 'define', 'template', 'block', 'break', 'continue']);
const deepest = 20;

class Reader {
  #pieces: Piece[];
  #at = 0;
  #depth = 0;

  constructor(all: Piece[]) {
    this.#pieces = all;
  }

  get next(): Action | undefined {
    const piece = this.#pieces[this.#at];
    return piece && 'action' in piece ? piece : undefined;
  }

  // Up to the {{else}} or {{end}} that ends this part.
  block(): Part[] {
    const parts: Part[] = [];
    for (; this.#at < this.#pieces.length; this.#at++) {
      const piece = this.#pieces[this.#at] as Piece;
      if ('text' in piece) {
        parts.push(piece.text);
        continue;
      }
      const [, keyword = '', rest = ''] = word.exec(piece.action) ?? [];
      if (keyword === 'else' || keyword === 'end') return parts;
      if (missing.has(keyword)) throw new TemplateError(`{{${keyword}}} is not offered here`);
      parts.push(keyword === 'if' ? this.#choice(rest) : { pipe: parsePipe(piece.action) });
    }
    return parts;
  }

  #choice(condition: string): Part {
    if (++this.#depth > deepest) throw new TemplateError('too many {{if}} inside each other');
    const when: { test: Pipe; parts: Part[] }[] = [];
    let otherwise: Part[] = [];
    let test: string | undefined = condition;
    for (;;) {
      this.#at++;
      const parts = this.block();
      const action = this.next?.action ?? '';
      if (test === undefined) otherwise = parts;
      else when.push({ test: parsePipe(test), parts });
      if (action === 'end') break;
      const [, more] = /^else(?:\s+if\s+(.+))?$/s.exec(action) ?? [action];
      if (!action.startsWith('else') || test === undefined) throw new TemplateError('{{if}} without its {{end}}');
      if (more === undefined && action !== 'else') throw new TemplateError(`unexpected {{${action}}}`);
      test = more;
    }
    this.#depth--;
    return { when, otherwise };
  }
}

const forms = [
  /(?<text>"(?:[^"\\\n]|\\.)*")/,
  /(?<raw>`[^`]*`)/,
  /(?<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/,
  /(?<field>[$.][\w.]*)/,
  /(?<word>[A-Za-z_]\w*)/,
  /(?<mark>:=|[|()=,])/,
];
const token = new RegExp(`\\s*(?:${forms.map(({ source }) => source).join('|')})`, 'y');

function parsePipe(text: string): Pipe {
  const tokens: RegExpExecArray[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const from = token.lastIndex;
    const found = token.exec(text);
    if (!found)
      throw new TemplateError(`unexpected ${JSON.stringify(text.slice(from).trim().slice(0, 20))} in an action`);
    tokens.push(found);
  }
  const at = { index: 0 };
  const pipe = pipeOf(tokens, at, 0);
  if (at.index < tokens.length) throw new TemplateError(`unexpected ${tokens[at.index]?.[0].trim()} in an action`);
  return pipe;
}

function pipeOf(tokens: RegExpExecArray[], at: { index: number }, depth: number): Pipe {
  if (depth > deepest) throw new TemplateError('too many brackets inside each other');
  const commands: Term[][] = [[]];
  for (; at.index < tokens.length; at.index++) {
    const groups = tokens[at.index]?.groups ?? {};
    const { mark } = groups;
    if (mark === ')') break;
    if (mark === '|') commands.push([]);
    else if (mark === '(') {
      at.index++;
      commands.at(-1)?.push({ pipe: pipeOf(tokens, at, depth + 1) });
      if (tokens[at.index]?.groups?.mark !== ')') throw new TemplateError('unclosed left paren');
    } else if (mark !== undefined) throw new TemplateError(`${mark} is not offered here`);
    else commands.at(-1)?.push(termOf(groups));
  }
  if (commands.some((terms) => terms.length === 0)) throw new TemplateError('missing value for command');
  for (const [index, [first, ...rest]] of commands.entries())
    if (first && !('call' in first) && (rest.length > 0 || index > 0))
      throw new TemplateError("can't give argument to non-function");
  return { commands };
}

function termOf({ text, raw, number, field, word: name }: Record<string, string | undefined>): Term {
  if (text !== undefined) return { value: unquoted(text) };
  if (raw !== undefined) return { value: raw.slice(1, -1) };
  if (number !== undefined) return { value: Number(number) };
  if (field !== undefined) return { field: fieldOf(field) };
  if (name === 'true' || name === 'false') return { value: name === 'true' };
  if (name === undefined || !functions.has(name)) throw new TemplateError(`function "${name}" not defined`);
  return { call: name };
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new TemplateError(`${text.slice(0, 20)} is no text`);
  }
}

const fields: Record<string, Field['of']> = {
  $labels: 'labels',
  '.Labels': 'labels',
  $externalLabels: 'externalLabels',
  '.ExternalLabels': 'externalLabels',
  $value: 'value',
  '.Value': 'value',
  $externalURL: 'externalURL',
  '.ExternalURL': 'externalURL',
};

function fieldOf(text: string): Field {
  const [, front = '', name] = /^([$.]\w+)(?:\.(\w+))?$/.exec(text) ?? [];
  const of = Object.hasOwn(fields, front) ? fields[front] : undefined;
  if (of === undefined) throw new TemplateError(`undefined variable "${text}"`);
  if (of === 'labels' || of === 'externalLabels') return name === undefined ? { of } : { of, name };
  if (name !== undefined) throw new TemplateError(`can't evaluate field ${name} in ${front}`);
  return { of };
}

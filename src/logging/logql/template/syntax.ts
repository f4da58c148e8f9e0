// The parser of Go templates: text into nodes, which template.ts executes.
import { unquote } from '../syntax/literals.ts';
import { fail, type Value } from './values.ts';

export type Term =
  | { kind: 'value'; value: Value }
  | { kind: 'dot'; names: string[] }
  | { kind: 'variable'; name: string; names: string[] }
  | { kind: 'function'; name: string }
  | { kind: 'pipe'; pipe: Pipe; names: string[] };

export interface Pipe {
  variables: string[]; // that get the result
  isAssignment: boolean; // to a variable that there is
  commands: Term[][]; // each gets what came out of the one before it as its last argument
}

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipe: Pipe }
  | { kind: 'if' | 'with' | 'range'; pipe: Pipe; body: Node[]; otherwise: Node[] }
  | { kind: 'break' | 'continue' };

export function parseNodes(text: string, isFunction: (name: string) => boolean): Node[] {
  return new NodeReader(pieces(text), isFunction).all();
}

type Piece = { text: string } | { action: string };

// Splits text and actions; trims, and drops comments.
function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  let trims = false;
  for (;;) {
    const open = text.indexOf('{{', from);
    let plain = text.slice(from, open < 0 ? undefined : open);
    if (trims) plain = plain.replace(/^[ \t\r\n]+/, '');
    const trimsBefore = open >= 0 && /^\{\{-[ \t\r\n]/.test(text.slice(open, open + 4));
    if (trimsBefore) plain = withoutSpaceAfter(plain);
    if (plain !== '') found.push({ text: plain });
    if (open < 0) return found;
    const start = open + (trimsBefore ? 3 : 2);
    const close = closing(text, start);
    let action = text.slice(start, close);
    trims = /[ \t\r\n]-$/.test(action);
    if (trims) action = action.slice(0, -1);
    from = close + 2;
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(action)) found.push({ action: action.trim() });
  }
}

function withoutSpaceAfter(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('}}', at)) return at;
    const quote = text[at];
    if (quote !== '"' && quote !== '`' && quote !== "'") continue;
    at++;
    while (at < text.length && text[at] !== quote) at += quote !== '`' && text[at] === '\\' ? 2 : 1;
  }
  return fail('unclosed action');
}

const wordForm = /^([a-z]+)(?:\s+([\s\S]*))?$/;
const deepest = 50;

class NodeReader {
  readonly #pieces: Piece[];
  readonly #isFunction: (name: string) => boolean;
  #at = 0;
  #depth = 0;
  #loops = 0;

  constructor(all: Piece[], isFunction: (name: string) => boolean) {
    this.#pieces = all;
    this.#isFunction = isFunction;
  }

  all(): Node[] {
    const { nodes, end } = this.#block();
    if (end !== undefined) fail(`unexpected {{${end}}}`);
    return nodes;
  }

  // Up to the {{else}} or {{end}} that ends this part.
  #block(): { nodes: Node[]; end?: string } {
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++] as Piece;
      if ('text' in piece) {
        nodes.push({ kind: 'text', text: piece.text });
        continue;
      }
      const [, keyword = '', rest = ''] = wordForm.exec(piece.action) ?? [];
      if (keyword === 'else' || keyword === 'end') return { nodes, end: piece.action };
      if (keyword === 'if' || keyword === 'with' || keyword === 'range') nodes.push(this.#control(keyword, rest));
      else if (keyword === 'break' || keyword === 'continue') {
        if (this.#loops === 0) fail(`{{${keyword}}} outside {{range}}`);
        nodes.push({ kind: keyword });
      } else if (/^(?:define|template|block)$/.test(keyword)) fail(`{{${keyword}}} is not offered here`);
      else nodes.push({ kind: 'action', pipe: this.#pipe(piece.action) });
    }
    return { nodes };
  }

  #control(kind: 'if' | 'with' | 'range', condition: string): Node {
    if (++this.#depth > deepest) fail('too many blocks inside each other');
    this.#loops += Number(kind === 'range');
    const pipe = this.#pipe(condition);
    const { nodes: body, end } = this.#block();
    this.#loops -= Number(kind === 'range');
    const otherwise = this.#otherwise(end);
    this.#depth--;
    return { kind, pipe, body, otherwise };
  }

  #otherwise(end: string | undefined): Node[] {
    if (end === undefined) fail('unexpected EOF');
    if (end === 'end') return [];
    const [, keyword, condition = ''] = /^else(?:\s+(if|with)\s+([\s\S]+))?$/.exec(end) ?? [];
    if (keyword === 'if' || keyword === 'with') return [this.#control(keyword, condition)];
    if (end !== 'else') fail(`unexpected {{${end}}}`);
    const { nodes, end: last } = this.#block();
    if (last !== 'end') fail(last === undefined ? 'unexpected EOF' : `unexpected {{${last}}}`);
    return nodes;
  }

  #pipe(text: string): Pipe {
    return parsePipe(text, this.#isFunction);
  }
}

const forms = [
  /(?<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`)/,
  /(?<character>'(?:[^'\\\n]|\\.[^']*)')/,
  /(?<number>[-+]?(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))/,
  /(?<variable>\$\w*(?:\.\w+)*)/,
  /(?<field>(?:\.\w+)+|\.)/,
  /(?<word>[A-Za-z_]\w*)/,
  /(?<mark>:=|[|()=,])/,
];
const tokenForm = new RegExp(`(?<space>\\s*)(?:${forms.map(({ source }) => source).join('|')})`, 'y');
type Token = Record<string, string | undefined>;

function parsePipe(text: string, isFunction: (name: string) => boolean): Pipe {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  const length = text.trimEnd().length;
  while (tokenForm.lastIndex < length) {
    const from = tokenForm.lastIndex;
    const found = tokenForm.exec(text);
    if (!found) fail(`unexpected ${JSON.stringify(text.slice(from).trim().slice(0, 20))} in operand`);
    tokens.push({ ...found.groups });
  }
  const at = { index: 0 };
  const pipe = pipeOf(tokens, at, isFunction, 0);
  if (at.index < tokens.length) fail('unexpected right paren');
  return pipe;
}

function pipeOf(tokens: Token[], at: { index: number }, isFunction: (name: string) => boolean, depth: number): Pipe {
  if (depth > deepest) fail('too many brackets inside each other');
  const { variables, isAssignment } = declared(tokens, at);
  const commands: Term[][] = [[]];
  for (; at.index < tokens.length; at.index++) {
    const token = tokens[at.index] as Token;
    const { mark } = token;
    if (mark === ')') break;
    const command = commands.at(-1) as Term[];
    if (mark === '|') commands.push([]);
    else if (mark === '(') {
      at.index++;
      const pipe = pipeOf(tokens, at, isFunction, depth + 1);
      if (tokens[at.index]?.mark !== ')') fail('unclosed left paren');
      command.push({ kind: 'pipe', pipe, names: fieldsAfter(tokens, at) });
    } else if (mark !== undefined) fail(`unexpected ${mark} in operand`);
    else command.push(termOf(token, isFunction));
  }
  if (commands.some((terms) => terms.length === 0)) fail('missing value for command');
  for (const [index, [first]] of commands.entries())
    if (index > 0 && first?.kind === 'value') fail('non executable command in pipeline stage 2');
  return { variables, isAssignment, commands };
}

// (fromJson .x).name: fields that follow a bracket without a space.
function fieldsAfter(tokens: Token[], at: { index: number }): string[] {
  const next = tokens[at.index + 1];
  if (!next?.field || next.space !== '' || next.field === '.') return [];
  at.index++;
  return next.field.slice(1).split('.');
}

function declared(tokens: Token[], at: { index: number }): { variables: string[]; isAssignment: boolean } {
  const names: string[] = [];
  for (let index = at.index; ; index += 2) {
    const { variable } = tokens[index] ?? {};
    const mark = tokens[index + 1]?.mark;
    if (!variable || variable.includes('.')) break;
    names.push(variable);
    if (mark === ',' && names.length === 1) continue;
    if (mark !== ':=' && mark !== '=') break;
    at.index = index + 2;
    return { variables: names, isAssignment: mark === '=' };
  }
  return { variables: [], isAssignment: false };
}

function termOf(token: Token, isFunction: (name: string) => boolean): Term {
  const { text, character, number, variable, field, word } = token;
  if (text !== undefined) {
    const value = unquote(text);
    return { kind: 'value', value: value === undefined ? fail(`invalid syntax in ${text}`) : value };
  }
  if (character !== undefined) {
    const value = unquote(character);
    if (value === undefined || [...value].length !== 1) fail(`malformed character constant: ${character}`);
    return { kind: 'value', value: BigInt(value.codePointAt(0) as number) };
  }
  if (number !== undefined) return { kind: 'value', value: numberOf(number.replaceAll('_', '')) };
  if (variable !== undefined) {
    const [name = '', ...names] = variable.split('.');
    return { kind: 'variable', name, names };
  }
  if (field !== undefined) return { kind: 'dot', names: field === '.' ? [] : field.slice(1).split('.') };
  if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
  if (word === 'nil') return { kind: 'value', value: undefined };
  if (word === undefined || !isFunction(word)) fail(`function ${JSON.stringify(word)} not defined`);
  return { kind: 'function', name: word };
}

function numberOf(text: string): Value {
  const [, sign = '', rest = ''] = /^([-+]?)(.*)$/.exec(text) ?? [];
  if (!/^(?:\d+|0[xXbBoO][\da-fA-F]+)$/.test(rest)) return Number(text);
  try {
    const value = BigInt(rest);
    return sign === '-' ? -value : value;
  } catch {
    return fail(`illegal number syntax: ${JSON.stringify(text)}`);
  }
}

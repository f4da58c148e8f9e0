// The parser of one action of a template, such as `$x := len .name | printf "%d"`.
import { unquote } from '../../base/go-strings.ts';
import { fail, type Value } from './values.ts';

export type Term =
  | { kind: 'value'; value: Value }
  | { kind: 'dot'; names: string[] }
  | { kind: 'variable'; name: string; names: string[] }
  | { kind: 'function'; name: string }
  | { kind: 'pipe'; pipe: Pipe; names: string[] };

export interface Pipe {
  variables: string[]; // that receive the result
  isAssignment: boolean; // to an existing variable
  commands: Term[][]; // each receives the result of the previous one as its last argument
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
const deepest = 50;
const tokenForm = new RegExp(`(?<space>\\s*)(?:${forms.map(({ source }) => source).join('|')})`, 'y');
type Token = Record<string, string | undefined>;

// The names that an action can refer to.
export interface Names {
  isFunction(name: string): boolean;
  variables: string[]; // a declaration adds its own
}

export function parsePipe(text: string, names: Names): Pipe {
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
  const pipe = pipeOf(tokens, at, names, 0);
  if (at.index < tokens.length) fail('unexpected right paren');
  return pipe;
}

function pipeOf(tokens: Token[], at: { index: number }, names: Names, depth: number): Pipe {
  if (depth > deepest) fail('too many brackets inside each other');
  const { variables, isAssignment } = declared(tokens, at);
  if (isAssignment) for (const name of variables) checkVariable(name, names);
  else names.variables.push(...variables);
  const commands: Term[][] = [[]];
  for (; at.index < tokens.length; at.index++) {
    const token = tokens[at.index] as Token;
    const { mark } = token;
    if (mark === ')') break;
    const command = commands.at(-1) as Term[];
    if (mark === '|') commands.push([]);
    else if (mark === '(') {
      at.index++;
      const pipe = pipeOf(tokens, at, names, depth + 1);
      if (tokens[at.index]?.mark !== ')') fail('unclosed left paren');
      command.push({ kind: 'pipe', pipe, names: fieldsAfter(tokens, at) });
    } else if (mark !== undefined) fail(`unexpected ${mark} in operand`);
    else command.push(termOf(token, names));
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

function termOf(token: Token, names: Names): Term {
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
    const [name = '', ...fields] = variable.split('.');
    checkVariable(name, names);
    return { kind: 'variable', name, names: fields };
  }
  if (field !== undefined) return { kind: 'dot', names: field === '.' ? [] : field.slice(1).split('.') };
  if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
  if (word === 'nil') return { kind: 'value', value: undefined };
  if (word === undefined || !names.isFunction(word)) fail(`function ${JSON.stringify(word)} not defined`);
  return { kind: 'function', name: word };
}

function checkVariable(name: string, { variables }: Names): void {
  if (!variables.includes(name)) fail(`undefined variable ${JSON.stringify(name)}`);
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

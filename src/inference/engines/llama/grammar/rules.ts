// The rules of a grammar in GBNF, the notation of llama.cpp. An expression is a text of that notation; undefined is an
// expression without a match.
import { EngineError } from '../../engine.ts';

export type Expression = string;

export class Rules {
  readonly #names = new Map<Expression, string>();
  readonly #rules: string[] = [];
  #next = 1;

  // Creates a rule for an expression. Equal expressions share one.
  named(expression: Expression): Expression {
    const known = this.#names.get(expression);
    if (known) return known;
    const name = this.reserve();
    this.#names.set(expression, name);
    this.define(name, expression);
    return name;
  }

  reserve(): string {
    return `r${this.#next++}`;
  }

  define(name: string, expression: Expression): void {
    this.#rules.push(`${name} ::= ${expression}`);
  }

  text(): string {
    return `${this.#rules.join('\n')}\n`;
  }
}

// A literal text.
export function literal(text: string): Expression {
  const escaped = [...text].map((one) => (one === '"' || one === '\\' ? `\\${one}` : visible(one)));
  return `"${escaped.join('')}"`;
}

// A value in JSON.
export const jsonLiteral = (value: unknown): Expression => literal(JSON.stringify(value));

export function anyOf(expressions: readonly (Expression | undefined)[]): Expression | undefined {
  const possible = [...new Set(expressions.filter((one) => one !== undefined))];
  if (possible.length === 0) return undefined;
  return possible.length === 1 ? possible[0] : `(${possible.join(' | ')})`;
}

export function sequence(...expressions: (Expression | undefined)[]): Expression | undefined {
  if (expressions.includes(undefined)) return undefined;
  return expressions.filter((one) => one !== '').join(' ');
}

// llama.cpp expands repetitions, and refuses more than these.
export const maxRepeated = 2000;

export const tooLarge = (): EngineError =>
  new EngineError('schema', 'The schema is too large for the model that serves this id on this machine.');

export function repeated(expression: Expression, least: number, most?: number): Expression {
  if (least > maxRepeated) throw tooLarge();
  if (most !== undefined && most > maxRepeated) return repeated(expression, least, maxRepeated);
  if (least === 1 && most === 1) return expression;
  const many = most === undefined ? `{${least},}` : least === most ? `{${least}}` : `{${least},${most}}`;
  if (most === undefined && least < 2) return `(${expression})${least === 0 ? '*' : '+'}`;
  if (least === 0 && most === 1) return `(${expression})?`;
  return `(${expression})${many}`;
}

// The GBNF escape of an invisible character.
export function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return character;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`;
  return `\\U${code.toString(16).padStart(8, '0').toUpperCase()}`;
}

// The evaluation of a parsed template.
import type { Functions } from './function-entry.ts';
import type { Pipe, Term } from './pipeline.ts';
import { byKey, shown } from './printf.ts';
import type { Node } from './syntax.ts';
import {
  fail,
  isList,
  isMap,
  isTrue,
  longest,
  OverBudget,
  StringMap,
  TemplateError,
  typeOf,
  type Value,
} from './values.ts';

// The data that a template reads while it is expanded.
export interface TemplateData<Scope> {
  dot: Value; // also the value of $
  variables?: ReadonlyMap<string, Value>;
  scope: Scope;
  budget?: Budget; // shared by all expansions that receive it
}

// Characters that functions may take and return, and that may be written.
export interface Budget {
  left: number;
}

const mostHandled = 64 * 1024 * 1024;
const mostRounds = 100_000; // of all loops of one expansion
const callCost = 16;

type Block = Extract<Node, { body: Node[] }>;
type Flow = 'break' | 'continue' | 'full' | undefined; // full: the text has as many characters as it may

export class Execution<Scope> {
  readonly #functions: Functions<Scope>;
  readonly #scope: Scope;
  readonly #budget: Budget;
  readonly #mostText: number | undefined;
  readonly #variables: { name: string; value: Value }[];
  #text = '';
  #rounds = 0;

  constructor(functions: Functions<Scope>, data: TemplateData<Scope>, mostText?: number) {
    this.#functions = functions;
    this.#scope = data.scope;
    this.#budget = data.budget ?? { left: mostHandled };
    this.#mostText = mostText;
    this.#variables = [{ name: '$', value: data.dot }];
    for (const [name, value] of data.variables ?? []) this.#variables.push({ name, value });
  }

  run(nodes: readonly Node[]): string {
    this.#nodes(nodes, this.#variables[0]?.value);
    return this.#text;
  }

  #nodes(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
      if (this.#isFull) return 'full';
      if (node.kind === 'text') this.#write(node.text);
      else if (node.kind === 'action') {
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#write(shown(value));
      } else if (!('body' in node)) return node.kind;
      else {
        const before = this.#variables.length;
        const flow = node.kind === 'range' ? this.#range(node, dot) : this.#choose(node, dot);
        this.#variables.length = before;
        if (flow) return flow;
      }
    }
    return undefined;
  }

  get #isFull(): boolean {
    return this.#text.length === this.#mostText;
  }

  #write(text: string): void {
    this.#spend(text.length);
    this.#text += text;
    if (this.#mostText !== undefined) this.#text = this.#text.slice(0, this.#mostText);
    else if (this.#text.length > longest) fail('the result is too long');
  }

  #choose(node: Block, dot: Value): Flow {
    const value = this.#pipe(node.pipe, dot);
    const inner = node.kind === 'with' && isTrue(value) ? value : dot;
    return this.#nodes(isTrue(value) ? node.body : node.otherwise, inner);
  }

  #range(node: Block, dot: Value): Flow {
    const { variables } = node.pipe;
    const items = this.#items(this.#pipe({ ...node.pipe, variables: [] }, dot));
    if (items.length === 0) return this.#nodes(node.otherwise, dot);
    for (const [key, value] of items) {
      if (++this.#rounds > mostRounds) fail('too many rounds of loops');
      const before = this.#variables.length;
      const [first, second] = variables;
      if (first) this.#variables.push({ name: first, value: second ? key : value });
      if (second) this.#variables.push({ name: second, value });
      const flow = this.#nodes(node.body, value);
      this.#variables.length = before;
      if (flow === 'full') return flow;
      if (flow === 'break') break;
    }
    return undefined;
  }

  #items(value: Value): [Value, Value][] {
    if (isList(value)) return value.map((item, index) => [BigInt(index), item]);
    if (isMap(value)) return [...value].sort(byKey);
    if (typeof value === 'bigint' && value <= mostRounds)
      return Array.from({ length: Math.max(0, Number(value)) }, (_, index) => [BigInt(index), BigInt(index)]);
    if (value === undefined) return [];
    return fail(`range can't iterate over ${shown(value)}`);
  }

  #pipe({ commands, variables, isAssignment }: Pipe, dot: Value): Value {
    let value: Value;
    for (const [index, command] of commands.entries()) value = this.#command(command, dot, index === 0 ? [] : [value]);
    for (const name of variables) {
      const known = isAssignment ? this.#variables.findLast((one) => one.name === name) : undefined;
      if (isAssignment && !known) fail(`undefined variable ${JSON.stringify(name)}`);
      if (known) known.value = value;
      else this.#variables.push({ name, value });
    }
    return value;
  }

  #command([first, ...rest]: Term[], dot: Value, last: Value[]): Value {
    if (first?.kind === 'function') return this.#call(first.name, rest, dot, last);
    if (rest.length > 0 || last.length > 0) fail("can't give argument to non-function");
    return this.#term(first as Term, dot);
  }

  // `and` and `or` evaluate no more than they need.
  #call(name: string, args: Term[], dot: Value, last: Value[]): Value {
    if (name === 'and' || name === 'or') {
      const lazy = [...args.map((arg) => () => this.#term(arg, dot)), ...last.map((value) => () => value)];
      let value: Value;
      for (const evaluate of lazy) {
        value = evaluate();
        if (isTrue(value) === (name === 'or')) return value;
      }
      return lazy.length === 0 ? fail(`wrong number of args for ${name}: want at least 1 got 0`) : value;
    }
    const { least, most, call } = this.#functions.get(name) as NonNullable<ReturnType<Functions<Scope>['get']>>;
    const values = [...args.map((arg) => this.#term(arg, dot)), ...last];
    if (values.length < least || values.length > most)
      fail(`wrong number of args for ${name}: want ${most > 20 ? 'at least ' : ''}${least} got ${values.length}`);
    this.#spend(callCost);
    for (const value of values) this.#count(value);
    try {
      const result = call(values, this.#scope);
      this.#count(result);
      return result;
    } catch (error) {
      if (!(error instanceof TemplateError) || error instanceof OverBudget) throw error;
      throw new TemplateError(`error calling ${name}: ${error.message}`);
    }
  }

  // A text that doubles in a loop would soon need more memory than the whole process has.
  #count(value: Value): void {
    if (typeof value !== 'string') return;
    if (value.length > longest) fail('the text is too long');
    this.#spend(value.length);
  }

  #spend(characters: number): void {
    this.#budget.left -= characters;
    if (this.#budget.left < 0) throw new OverBudget('the template works on too much text');
  }

  #term(term: Term, dot: Value): Value {
    switch (term.kind) {
      case 'value':
        return term.value;
      case 'dot':
        return fieldOf(dot, term.names);
      case 'variable': {
        const known = this.#variables.findLast(({ name }) => name === term.name);
        if (!known) fail(`undefined variable ${JSON.stringify(term.name)}`);
        return fieldOf(known.value, term.names);
      }
      case 'pipe':
        return fieldOf(this.#pipe(term.pipe, dot), term.names);
      default:
        return this.#call(term.name, [], dot, []);
    }
  }
}

// A missing field of a map of strings is empty, that of another map is nil.
function fieldOf(value: Value, names: readonly string[]): Value {
  let current = value;
  for (const name of names) {
    if (current === undefined) fail(`nil pointer evaluating interface {}.${name}`);
    if (!isMap(current)) fail(`can't evaluate field ${name} in type ${typeOf(current)}`);
    current = current.get(name) ?? (current instanceof StringMap ? '' : undefined);
  }
  return current;
}

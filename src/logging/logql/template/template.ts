// Go templates as line_format and label_format take them: parsed once for a query, executed for every line.
import type { Scope } from './function-entry.ts';
import { functions } from './functions.ts';
import { byKey, shown } from './printf.ts';
import { type Node, type Pipe, parseNodes, type Term } from './syntax.ts';
import { fail, isList, isMap, isTrue, longest, TemplateError, typeOf, type Value } from './values.ts';

export { TemplateError } from './values.ts';

export interface TemplateData {
  labels: ReadonlyMap<string, string>;
  line: string;
  timeNs: bigint;
}

export interface Template {
  expand(data: TemplateData): string;
  fields: readonly string[]; // labels that it reads
  only?: string; // the label, where the template is that label alone
}

const mostHandled = 64 * 1024 * 1024; // characters that all functions take and give for one line
const mostRounds = 100_000; // of all loops for one line

export function parseTemplate(name: string, text: string): Template {
  let nodes: Node[];
  try {
    nodes = parseNodes(text, (word) => functions.has(word));
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`template: ${name}:1: ${error.message}`) : error;
  }
  const only = onlyField(nodes);
  return {
    fields: [...new Set(nodes.flatMap(fieldsOf))],
    ...(only !== undefined && { only }),
    expand(data) {
      try {
        return new Execution(data).run(nodes);
      } catch (error) {
        if (error instanceof TemplateError) throw new TemplateError(`template: ${name}:1: ${error.message}`);
        if (error instanceof RangeError) throw new TemplateError(`template: ${name}:1: ${error.message}`);
        throw error;
      }
    },
  };
}

function onlyField([node, ...more]: Node[]): string | undefined {
  if (node?.kind !== 'action' || more.length > 0 || node.pipe.variables.length > 0) return undefined;
  const [[term, ...args] = [], ...commands] = node.pipe.commands;
  if (commands.length > 0 || args.length > 0 || term?.kind !== 'dot' || term.names.length !== 1) return undefined;
  return term.names[0];
}

function fieldsOf(node: Node): string[] {
  if (node.kind === 'action') return pipeFields(node.pipe);
  if (!('body' in node)) return [];
  return [...pipeFields(node.pipe), ...node.body.flatMap(fieldsOf), ...node.otherwise.flatMap(fieldsOf)];
}

function pipeFields({ commands }: Pipe): string[] {
  return commands
    .flat()
    .flatMap((term) => (term.kind === 'dot' ? term.names : term.kind === 'pipe' ? pipeFields(term.pipe) : []));
}

type Block = Extract<Node, { body: Node[] }>;
type Flow = 'break' | 'continue' | undefined;

class Execution {
  readonly #scope: Scope;
  readonly #labels: Value;
  #variables: { name: string; value: Value }[];
  #text = '';
  #rounds = 0;
  #handled = 0;

  constructor({ labels, line, timeNs }: TemplateData) {
    this.#scope = { line, timeNs };
    this.#labels = labels;
    this.#variables = [{ name: '$', value: labels }];
  }

  run(nodes: readonly Node[]): string {
    this.#nodes(nodes, this.#variables[0]?.value);
    return this.#text;
  }

  #nodes(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
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

  #write(text: string): void {
    this.#text += text;
    if (this.#text.length > longest) fail('the result is too long');
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
    const { least, most, call } = functions.get(name) as NonNullable<ReturnType<typeof functions.get>>;
    const values = [...args.map((arg) => this.#term(arg, dot)), ...last];
    if (values.length < least || values.length > most)
      fail(`wrong number of args for ${name}: want ${most > 20 ? 'at least ' : ''}${least} got ${values.length}`);
    for (const value of values) this.#count(value);
    try {
      const result = call(values, this.#scope);
      this.#count(result);
      return result;
    } catch (error) {
      throw error instanceof TemplateError ? new TemplateError(`error calling ${name}: ${error.message}`) : error;
    }
  }

  // A text that doubles in a loop would soon need more memory than the whole process has.
  #count(value: Value): void {
    if (typeof value !== 'string') return;
    if (value.length > longest) fail('the text is too long');
    this.#handled += value.length;
    if (this.#handled > mostHandled) fail('the template works on too much text');
  }

  #term(term: Term, dot: Value): Value {
    switch (term.kind) {
      case 'value':
        return term.value;
      case 'dot':
        return fieldOf(dot, term.names, this.#labels);
      case 'variable': {
        const known = this.#variables.findLast(({ name }) => name === term.name);
        if (!known) fail(`undefined variable ${JSON.stringify(term.name)}`);
        return fieldOf(known.value, term.names, this.#labels);
      }
      case 'pipe':
        return fieldOf(this.#pipe(term.pipe, dot), term.names, this.#labels);
      default:
        return this.#call(term.name, [], dot, []);
    }
  }
}

// A label that the line does not have is empty; a field that a JSON object does not have is nothing.
function fieldOf(value: Value, names: readonly string[], labels: Value): Value {
  let current = value;
  for (const name of names) {
    if (current === undefined) fail(`nil pointer evaluating interface {}.${name}`);
    if (!isMap(current)) fail(`can't evaluate field ${name} in type ${typeOf(current)}`);
    current = current.get(name) ?? (current === labels ? '' : undefined);
  }
  return current;
}

// What a command is made of, and how its arguments are read. A value may stand behind its option or behind a `=`; an
// option may stand anywhere after the command's name.
import { resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { defaults } from '../config.ts';
import { meant } from './nearest.ts';
import { self } from './region/screen.ts';

export interface Option {
  name: string; // without its dashes
  takes?: string; // what its value is called in the help; absent: it is there or not
  help: string;
  many?: boolean;
  hidden?: boolean;
}

export interface Command {
  name: string; // token generate
  operands?: string; // as shown in the usage line: [ID]
  mostOperands?: number;
  about: string; // what it does, in a few sentences
  options: readonly Option[]; // --help comes by itself
  examples: readonly [line: string, says: string][];
  run(input: Input): Promise<number | undefined>; // the exit code, 0 where it gives none
}

export const dataOption: Option = { name: 'data', takes: 'DIR', help: 'the data folder of the region (./data)' };
export const jsonOption: Option = { name: 'json', help: 'as JSON' };

export class Input {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];

  constructor(values: ReadonlyMap<string, readonly string[]>, operands: readonly string[]) {
    this.values = values;
    this.operands = operands;
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  get(name: string): string | undefined {
    return this.values.get(name)?.at(-1);
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  need(name: string, what: string): string {
    const value = this.get(name);
    if (value === undefined) throw new Fault('refused', `--${name} is missing: ${what}.`);
    return value;
  }

  get data(): string {
    return resolve(this.get('data') || defaults.data);
  }
}

// A bug whose details were logged already.
export class Unexpected extends Error {
  readonly log: string | undefined;

  constructor(message: string, log: string | undefined) {
    super(message);
    this.log = log;
  }
}

export function readArguments(command: Command, args: readonly string[]): Input {
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      operands.push(arg);
      continue;
    }
    const { option, given } = optionOf(command, arg);
    let value = given ?? '';
    if (option.takes !== undefined && given === undefined) {
      const next = args[++at];
      if (next === undefined || next.startsWith('--'))
        throw wrong(command, `--${option.name} needs a value, ${option.takes}.`);
      value = next;
    }
    if (option.takes === undefined && given !== undefined) throw wrong(command, `--${option.name} takes no value.`);
    if (values.has(option.name) && !option.many) throw wrong(command, `--${option.name} stands there twice.`);
    values.set(option.name, [...(values.get(option.name) ?? []), value]);
  }
  const extra = operands[command.mostOperands ?? 0];
  if (extra !== undefined) throw wrong(command, `'${extra}' is not expected here.`);
  return new Input(values, operands);
}

function optionOf(command: Command, arg: string): { option: Option; given: string | undefined } {
  const cut = arg.indexOf('=');
  const word = cut < 0 ? arg : arg.slice(0, cut);
  const option = command.options.find(({ name }) => `--${name}` === word);
  if (option) return { option, given: cut < 0 ? undefined : arg.slice(cut + 1) };
  const known = command.options.filter(({ hidden }) => !hidden).map(({ name }) => `--${name}`);
  throw wrong(command, `There is no option ${word}.${meant(word, [...known, '--help'])}`);
}

const wrong = (command: Command, message: string): Fault =>
  new Fault('refused', `${message} See: ${self()} ${command.name} --help`);

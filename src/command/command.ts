// The parts of a command, and the parser of its arguments. A value follows its option or a `=`; options may come
// anywhere after the command's name.
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { Fault } from '../base/fault.ts';
import { self } from '../config/command-line.ts';
import { environment } from '../config/environment.ts';
import { defaults } from '../config/sections.ts';
import type { Resource } from '../core/resource.ts';
import { suggestion } from './suggestion.ts';

export interface Option {
  name: string; // without its dashes
  short?: string; // one letter
  takes?: string; // what its value is called in the help; absent: it takes none
  help: string;
  many?: boolean;
  hidden?: boolean;
}

export interface Command {
  name: string; // token generate
  operands?: string; // as shown in the usage line: [ID]
  mostOperands?: number;
  about: string; // what it does, in a few sentences
  options: readonly Option[]; // in addition to --help
  examples: readonly [line: string, says: string][];
  run(input: Input, host: Host): Promise<number | undefined>; // the exit code; undefined is 0
}

// How the list of all commands has it.
export interface CommandEntry {
  name: string;
  says: string;
  load(): Promise<Command>;
}

// The functions of the program for commands of products. `access`: to the region that runs on a data folder.
export interface Host {
  access(data: string): Promise<{ gateway: string; token: string }>; // with a token of its owner
  resources(): Promise<readonly Resource[]>; // that all products declare
}

export const dataOption: Option = {
  name: 'data',
  takes: 'DIR',
  help: 'the data folder of the region (CUMULET_DATA, or ./data)',
};
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
    return resolve(this.get('data') || (environment.data() ?? defaults.data));
  }
}

// A bug that has been logged already.
export class Unexpected extends Error {
  readonly log: string | undefined;

  constructor(message: string, log: string | undefined) {
    super(message);
    this.log = log;
  }
}

export function readArguments(command: Command, args: readonly string[]): Input {
  const types = command.options.map(({ name, takes, short }) => [
    name,
    { type: takes === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ]);
  const options: ParseArgsOptionsConfig = Object.fromEntries(types);
  // Not strict: parseArgs' own messages name neither the nearest option nor the help.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value = '', inlineValue = false } = token;
    const option = command.options.find((one) => `--${one.name}` === rawName || `-${one.short}` === rawName);
    if (!option) throw unknownOption(command, rawName);
    if (option.takes === undefined && inlineValue) throw wrong(command, `${rawName} takes no value.`);
    if (option.takes !== undefined && !inlineValue && (token.value === undefined || value.startsWith('--')))
      throw wrong(command, `${rawName} needs a value, ${option.takes}.`);
    if (values.has(name) && !option.many) throw wrong(command, `${rawName} is given twice.`);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const extra = operands[command.mostOperands ?? 0];
  if (extra !== undefined) throw wrong(command, `'${extra}' is not expected here.`);
  return new Input(values, operands);
}

function unknownOption(command: Command, word: string): Fault {
  const known = command.options.filter(({ hidden }) => !hidden).map(({ name }) => `--${name}`);
  return wrong(command, `There is no option ${word}.${suggestion(word, [...known, '--help'])}`);
}

const wrong = (command: Command, message: string): Fault =>
  new Fault('refused', `${message} See: ${self()} ${command.name} --help`);

// The variables of the shown dashboard: their options and selections. A variable can refer to earlier ones, so a change
// reads the options of all later ones again.
import { signal } from '@preact/signals';
import { interpolated, namesIn, type Selected, type Selection } from './interpolation.ts';
import {
  kept,
  listed,
  type Option,
  queryOf,
  selectedBy,
  selectedOf,
  type Variable,
  type VariableQuery,
} from './variable.ts';

export interface VariableState {
  variable: Variable;
  options: readonly Option[];
  values: readonly string[];
  problem: string;
}

export type ReadValues = (query: VariableQuery) => Promise<string[]>;

const inAddress = 'var-';
const mostOptions = 1000;

export class VariablesModel {
  readonly states = signal<readonly VariableState[]>([]);
  #wanted = new Map<string, readonly string[]>();
  #read: ReadValues;
  #turn = 0;

  // `address`: selections of the page's address, which win over those of the dashboard.
  constructor(read: ReadValues, address: URLSearchParams) {
    this.#read = read;
    for (const key of new Set(address.keys()))
      if (key.startsWith(inAddress)) this.#wanted.set(key.slice(inAddress.length), address.getAll(key));
  }

  get selection(): Selection {
    return selectionOf(this.states.value);
  }

  // For the address of the page.
  get addressed(): [name: string, value: string][] {
    return this.states.value.flatMap(({ variable, values }) =>
      values.map((value): [string, string] => [`${inAddress}${variable.name}`, value]),
    );
  }

  // Reads the options of all variables in their order. Returns false if another call began in the meantime.
  async show(variables: readonly Variable[]): Promise<boolean> {
    const turn = ++this.#turn;
    const states: VariableState[] = [];
    for (const variable of variables) {
      const state = await this.#stateOf(variable, states);
      if (turn !== this.#turn) return false;
      states.push(state);
    }
    this.states.value = states;
    return true;
  }

  select(name: string, values: readonly string[]): Promise<boolean> {
    this.#wanted.set(name, values);
    return this.show(this.states.value.map(({ variable }) => variable));
  }

  forget(): void {
    this.#wanted = new Map();
    this.states.value = [];
  }

  async #stateOf(variable: Variable, before: readonly VariableState[]): Promise<VariableState> {
    const wanted = this.#wanted.get(variable.name) ?? variable.current;
    const { options, problem } = await this.#optionsOf(variable, selectionOf(before)).then(
      (found) => ({ options: found.slice(0, mostOptions), problem: '' }),
      (error: unknown) => ({ options: [], problem: error instanceof Error ? error.message : String(error) }),
    );
    return { variable, options, values: kept(variable, options, wanted), problem };
  }

  async #optionsOf({ kind, query, pattern = '' }: Variable, selection: Selection): Promise<Option[]> {
    if (kind === 'query') {
      const values = await this.#read(queryOf(interpolated(query, selection)));
      return selectedBy(interpolated(pattern, selection), values);
    }
    if (kind === 'constant') return [{ value: query, text: query }];
    return listed(query);
  }
}

function selectionOf(states: readonly VariableState[]): Selection {
  const entries = states.map(({ variable, options, values }): [string, Selected] => [
    variable.name,
    selectedOf(variable, options, values),
  ]);
  // A constant can contain other variables.
  return new Map(
    entries.map(([name, selected]) => {
      const [only = ''] = selected.values;
      if (selected.values.length !== 1 || namesIn(only).length === 0) return [name, selected];
      return [name, { ...selected, values: [interpolated(only, new Map(entries.filter(([key]) => key !== name)))] }];
    }),
  );
}

// Functions of templates. `Scope`: the data that a product's functions can read in addition to their arguments.
import type { Value } from './values.ts';

export interface TemplateFunction<Scope> {
  least: number; // arguments
  most: number;
  call(args: readonly Value[], scope: Scope): Value;
}

export type Functions<Scope> = ReadonlyMap<string, TemplateFunction<Scope>>;

export type Entry<Scope = unknown> = [name: string, least: number, most: number, call: TemplateFunction<Scope>['call']];

export const functionsOf = <Scope>(entries: readonly Entry<Scope>[]): Functions<Scope> =>
  new Map(entries.map(([name, least, most, call]) => [name, { least, most, call }]));

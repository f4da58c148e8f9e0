// The form in which functions of templates are listed.
import type { Value } from './values.ts';

// What functions know of the line that is formatted.
export interface Scope {
  line: string;
  timeNs: bigint;
}

export interface TemplateFunction {
  least: number; // arguments
  most: number;
  call(args: readonly Value[], scope: Scope): Value;
}

export type Entry = [name: string, least: number, most: number, call: TemplateFunction['call']];

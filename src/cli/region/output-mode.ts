// The output of `up`: for people or as JSON, to the terminal or to the process that started it.

import type { Input } from '../../command/command.ts';
import { quoted } from '../../config/command-line.ts';
import { configOf } from '../../config/config.ts';
import type { Config } from '../../config/sections.ts';
import { products } from '../../products.ts';

export interface OutputMode {
  json: boolean;
  background: boolean; // reports only to the process that started it
  hint: string; // options that other commands need to find this region
}

export const outputModeOf = (input: Input, config: Config): OutputMode => ({
  json: input.has('json'),
  background: input.has('background'),
  hint: dataHint(input, config.data),
});

// The option with which other commands find this region, if they need it.
export const dataHint = (input: Input, data = input.data): string =>
  data === configOf(new Map(), products).data ? '' : ` --data ${quoted(input.get('data') ?? data)}`;

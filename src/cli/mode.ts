// How a region that is starting speaks, and to whom.
import { type Config, configOf } from '../config.ts';
import type { Input } from './command.ts';
import { quoted } from './region/screen.ts';

export interface Mode {
  json: boolean;
  background: boolean; // tells the process that started it, and nobody else
  hint: string; // the options that other commands need to find this region
}

export const modeOf = (input: Input, config: Config): Mode => ({
  json: input.has('json'),
  background: input.has('background'),
  hint: config.data === configOf(new Map()).data ? '' : ` --data ${quoted(input.get('data') ?? config.data)}`,
});

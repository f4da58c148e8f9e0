// Values of options that several commands take, parsed from their text.
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { Input, Option } from './command.ts';

export const contractOption: Option = { name: 'contract', takes: 'NUMBER', help: "the contract (the region's first)" };
export const userOption: Option = { name: 'user', takes: 'EMAIL', help: 'the user (the owner of the contract)' };
export const passwordOption: Option = {
  name: 'password',
  takes: 'TEXT|-',
  help: 'the password; -: the first line of standard input; omitted: a new one is generated and printed',
};

export function wholeNumber(input: Input, name: string): number | undefined {
  const text = input.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Fault('refused', `--${name} expects a whole number, not '${text}'.`);
  return Number(text);
}

// The selected user; by default, the region chooses the owner of its first contract.
export function userSelector(input: Input): { user?: string; contract?: number } {
  const user = input.get('user');
  const contract = wholeNumber(input, 'contract');
  return { ...(user !== undefined && { user }), ...(contract !== undefined && { contract }) };
}

export function password(input: Input): { password?: string } {
  const given = input.get('password');
  if (given === undefined) return {};
  if (given !== '-') return { password: given };
  const [line = ''] = standardInput().split(/\r?\n/);
  if (line === '') throw new Fault('refused', 'Standard input is empty. Write the password to it.');
  return { password: line };
}

export function standardInput(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch (error) {
    throw new Fault('refused', "Standard input can't be read.", { cause: error });
  }
}

const unitS: Record<string, number> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };

// 1d2h, 90m, 45s; a bare number is seconds.
export function seconds(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (!/^(\d{1,9}[wdhms])+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)([wdhms])/g)) sum += Number(count) * (unitS[unit] ?? 0);
  return sum;
}

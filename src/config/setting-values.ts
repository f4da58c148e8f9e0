// Reads the values of settings from their text. A value that is wrong is refused with the name of the option.
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { fileError } from '../base/file-error.ts';
import { type EngineTable, isAddressOf, shownForms } from '../core/engines/engine-table.ts';
import { stateEngines } from '../core/state/open.ts';

export const mostContract = 2_147_483_647; // clients keep contract numbers in 32 bits
export const passwordRule = '5 to 255 characters';
export const isPassword = (text: string): boolean => text.length >= 5 && text.length <= 255;

export const isWebAddress = (text: string): boolean => /^https?:\/\/[^/\s]/.test(text) && URL.canParse(text);
export const withoutPassword = (text: string): string => text.replace(/:\/\/.*@/, '://…@');

export function engineAddress(name: string, text: string, engines: EngineTable<unknown>): string {
  if (!isAddressOf(engines, text)) throw wrong(name, shownForms(engines), withoutPassword(text));
  return text;
}

// No more of a wrong address is repeated: it may hold a password.
export function stateAddress(text: string, where = ''): string {
  if (isAddressOf(stateEngines, text)) return text;
  throw wrong('state', shownForms(stateEngines) + where, text.replace(/[:@].*/, ':…'));
}

export function originOf(name: string, text: string): string {
  if (!/^https?:\/\/[^/]+\/?$/.test(text) || !URL.canParse(text)) throw wrong(name, 'http(s)://host[:port]', text);
  return text.replace(/\/$/, '');
}

const tracesPath = '/v1/traces';

// An address with the path of traces is complete; `isForTraces`: so is one with any path.
export function collectorUrl(text: string, where = '', isForTraces = false): string {
  const expected = `http(s)://host[:port] without a password${where}`;
  if (!isWebAddress(text) || /[?#@]/.test(text))
    throw wrong('traces', expected, withoutPassword(text).replace(/[?#].*/, ''));
  const url = text.replace(/\/+$/, '');
  const isComplete = url.endsWith(tracesPath) || (isForTraces && new URL(url).pathname !== '/');
  return isComplete ? url : url + tracesPath;
}

export function textOf(name: string, text: string, expected: string): string {
  if (text === '') throw wrong(name, expected, text);
  return text;
}

// A secret that a file holds, so that it is in no list of processes.
export function secretIn(name: string, file: string): string {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Fault('refused', `--${name} names ${file}, which can't be read: ${fileError(cause)}.`, { cause });
  }
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new Fault('refused', `--${name} names ${file}, which has no key in one line.`);
  return secret;
}

export const wrong = (name: string, expected: string, text: string): Fault =>
  new Fault('refused', `--${name} expects ${expected}, not '${text}'.`);

export function flagOf(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw wrong(name, 'true or false', text);
  return text === 'true';
}

export const portOf = (name: string, text: string): number => numberOf(name, text, 0, 65_535, 'a port');

export function numberOf(name: string, text: string, min: number, max: number, expected: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
    throw wrong(name, `${expected} (${min} to ${max})`, text);
  return value;
}

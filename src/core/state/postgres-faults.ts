// What PostgreSQL's errors mean to us: whose fault they are, and whether anything may have happened.
import { Fault } from '../../base/fault.ts';

// The connection broke before the answer came: what was asked may or may not have been done.
export class Lost extends Error {}

const meanings: [RegExp, string][] = [
  [/^08|^57P/, 'the database does not answer'],
  [/^28/, 'the database does not let this user in'],
  [/^3D/, 'there is no such database'],
  [/^53100/, "the database's disk is full"],
  [/^53200/, "the database's memory is used up"],
  [/^53300/, 'the database has no connection left'],
  [/^25006/, 'the database can only be read'],
  [/^40/, 'too many others change the same thing at once'],
  [/^42501/, 'the database does not let this user do it'],
  [/^55P03/, 'another process holds what is needed'],
  [/^57014/, 'the database took too long'],
  [/^53|^58/, 'the database can not do what the store needs'],
  [/^XX00[12]/, 'the state is damaged'],
];

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

// Undefined: not the store's fault, but that of whoever called it.
export function storeFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const detail = { cause: error, retryAfterS: 1 };
  if (error instanceof Lost) return new Fault('unavailable', `the database does not answer: ${then}`, detail);
  const meaning = meanings.find(([code]) => code.test(codeOf(error)))?.[1];
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, detail);
}

// An answer of the server to one statement, after which the connection is as good as before.
export const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR';

// Others came first, or two nodes waited for each other: the same may work when it is done again.
export const isRace = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

// A check of ours that did not hold (a division by zero), or a value that PostgreSQL does not take.
export const isRefusal = (error: unknown): boolean => /^2[23]/.test(codeOf(error));

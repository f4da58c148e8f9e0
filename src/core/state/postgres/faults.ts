// What PostgreSQL's errors mean to us: whose fault they are, and whether anything may have happened.
import { Fault } from '../../../base/fault.ts';

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

// For who can't open it: what to look at.
const advices: [RegExp, string][] = [
  [/^28/, 'see to the user and the password in its address, and to pg_hba.conf there'],
  [/^3D/, 'create it first, or name another'],
  [/^42501/, 'let this user create a schema there, or name one that is theirs'],
  [/^53300/, 'let it take more connections (max_connections): a node has about eight'],
  [/^(?:SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|CERT_|ERR_TLS|ERR_SSL)/, 'see to sslmode and sslrootcert in its address'],
];

export function adviceOn(error: unknown): string {
  if (error instanceof Error && /SSL/.test(error.message)) return 'see to sslmode in its address';
  return advices.find(([code]) => code.test(codeOf(error)))?.[1] ?? 'see that PostgreSQL runs there and lets us in';
}

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

// No answer within the time that it was given, to a statement or to a connection that was to be opened.
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (/timeout|ETIMEDOUT/i.test(error.message) || isTimeout(error.cause));

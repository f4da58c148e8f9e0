// The meaning of PostgreSQL's errors: whose fault they are, and whether anything may have been changed.
import { Fault } from '../../../base/fault.ts';

// The connection broke before the answer came: the statement may or may not have been executed.
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

// Advice for errors at the start.
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

// Undefined: not the store's fault, but the caller's.
export function storeFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const detail = { cause: error, retryAfterS: 1 };
  if (error instanceof Lost) return new Fault('unavailable', `the database does not answer: ${then}`, detail);
  const meaning = meanings.find(([code]) => code.test(codeOf(error)))?.[1];
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, detail);
}

// An error of one statement, after which the connection can be used further.
export const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR';

export const isDamage = (error: unknown): boolean => /^XX00[12]/.test(codeOf(error));

// A serialization failure or a deadlock: a retry may succeed.
export const isRace = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

// A failed check of ours (division by zero), or a value that PostgreSQL refuses.
export const isRefusal = (error: unknown): boolean => /^2[23]/.test(codeOf(error));

// A statement or a connect that was not answered in time.
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (/timeout|ETIMEDOUT/i.test(error.message) || isTimeout(error.cause));

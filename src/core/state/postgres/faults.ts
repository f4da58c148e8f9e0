// The meaning of PostgreSQL's errors: their cause, and whether anything may have been changed.
import { Fault } from '../../../base/fault.ts';

// The connection broke before the answer came: the statement may or may not have been executed.
export class Lost extends Error {}

const meanings: [RegExp, string][] = [
  [/^08|^57P/, 'the database does not answer'],
  [/^28/, 'the database refuses this user'],
  [/^3D/, 'the database does not exist'],
  [/^53100/, "the database's disk is full"],
  [/^53200/, "the database's memory is full"],
  [/^53300/, 'the database has no connection left'],
  [/^25006/, 'the database can only be read'],
  [/^40/, 'too many others change the same row at once'],
  [/^42501/, 'this user lacks a privilege in the database'],
  [/^55P03/, 'another process holds a needed lock'],
  [/^57014/, 'the database took too long'],
  [/^53|^58/, 'the database can not do what the store needs'],
  [/^XX00[12]/, 'the state is damaged'],
];

// Advice for errors at the start.
const advices: [RegExp, string][] = [
  [/^28/, 'check the user and the password in its address, and pg_hba.conf on the server'],
  [/^3D/, 'create it first, or name another'],
  [/^42501/, 'allow this user to create a schema, or name a schema that the user owns'],
  [/^53300/, 'raise max_connections on the server: a node has about eight connections'],
  [/^(?:SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|CERT_|ERR_TLS|ERR_SSL)/, 'check sslmode and sslrootcert in its address'],
];

export function adviceOn(error: unknown): string {
  if (error instanceof Error && /SSL/.test(error.message)) return 'check sslmode in its address';
  return (
    advices.find(([code]) => code.test(codeOf(error)))?.[1] ??
    'check that PostgreSQL runs there and accepts connections'
  );
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

// Undefined: the error is the caller's, not the store's.
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

// A value that PostgreSQL refuses.
export const isRefusal = (error: unknown): boolean => /^2[23]/.test(codeOf(error));

// A statement or a connect that was not answered in time.
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (/timeout|ETIMEDOUT/i.test(error.message) || isTimeout(error.cause));

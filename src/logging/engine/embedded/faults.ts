// Converts file errors to faults for clients. Undefined: a bug, not a failure of the store.
import { Fault } from '../../../base/fault.ts';
import { storeFailures } from '../../../base/file-error.ts';

const meanings = storeFailures('logs');

export function logFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const meaning = meanings[code];
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, { cause: error });
}

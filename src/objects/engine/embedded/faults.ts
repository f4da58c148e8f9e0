// Converts file errors to faults for clients. Other errors are bugs, or come from the body of a put: they stay
// unchanged.
import { Fault } from '../../../base/fault.ts';
import { storeFailures } from '../../../base/file-error.ts';

const meanings = storeFailures('objects');

export function blobFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const meaning = meanings[codeOf(error) ?? ''];
  return meaning === undefined ? error : new Fault('unavailable', `${meaning}. Try again later.`, { cause: error });
}

export const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT';

function codeOf(error: unknown): string | undefined {
  const isOfFiles = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfFiles ? String(error.code) : undefined;
}

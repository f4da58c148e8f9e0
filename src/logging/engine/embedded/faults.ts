// Errors of files as faults for clients. Undefined: a bug, not a failure of the store.
import { Fault } from '../../../base/fault.ts';

const meanings: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the disk is full',
  EIO: 'the disk that holds the logs does not answer as it should',
  EROFS: 'the logs can only be read',
  EACCES: 'the files of the logs can not be opened',
  EPERM: 'the files of the logs can not be opened',
  ENOENT: 'the files of the logs can not be opened',
  EMFILE: 'the files of the logs can not be opened',
};

export function logFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const meaning = meanings[code];
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, { cause: error });
}

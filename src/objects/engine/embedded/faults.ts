// Errors of files as faults for clients. Anything else is a bug, or comes from the body that is put: it stays as it is.
import { Fault } from '../../../base/fault.ts';

const meanings: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the disk is full',
  EIO: 'the disk that holds the objects does not answer as it should',
  EROFS: 'the objects can only be read',
  EACCES: 'the files of the objects can not be opened',
  EPERM: 'the files of the objects can not be opened',
  ENOENT: 'the files of the objects can not be opened',
  EMFILE: 'the files of the objects can not be opened',
  ENFILE: 'the files of the objects can not be opened',
};

export function blobFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const meaning = meanings[codeOf(error) ?? ''];
  return meaning === undefined ? error : new Fault('unavailable', `${meaning}: try again later`, { cause: error });
}

export const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT';

function codeOf(error: unknown): string | undefined {
  const isOfFiles = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfFiles ? String(error.code) : undefined;
}

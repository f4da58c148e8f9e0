// The meaning of SQLite's errors. Undefined: not the store's fault, but the caller's.
import { Fault } from '../../../base/fault.ts';

const meanings: Record<number, string> = {
  5: 'the state is in use by another process',
  6: 'the state is in use by another process',
  7: 'the memory is full',
  8: 'the state can only be read',
  9: 'the store was interrupted',
  10: 'the disk that holds the state does not answer as it should',
  11: 'the state is damaged',
  13: 'the disk is full',
  14: 'the files of the state can not be opened',
  15: 'the state is in use by another process',
  22: 'the disk that holds the state can not do what the store needs',
  23: 'the files of the state can not be opened',
  26: 'the state is damaged',
};

const codeOf = (error: unknown): number => {
  if (!(error instanceof Error)) return 0;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error && error.code === 'ERR_OUT_OF_RANGE' ? 11 : 0; // a number that we never write
};

export const isDamage = (error: unknown): boolean => damage.has(codeOf(error));

const damage: ReadonlySet<number> = new Set([11, 26]);

export const isFull = (error: unknown): boolean =>
  codeOf(error) === 13 || (error as NodeJS.ErrnoException).code === 'ENOSPC';

// For a row that SQLite reads without an error, but that is not in our format.
export const damaged = (place: string, id: string): Error =>
  Object.assign(new Error(`the row ${place}/${id} is damaged`), { errcode: 11 });

export function storeFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const meaning = meanings[codeOf(error)];
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, { cause: error });
}

// Converts errors of SQLite and of files to faults for clients. Undefined: a bug, not a failure of the store.
import { Fault } from '../../../base/fault.ts';
import { storeFailures } from '../../../base/file-error.ts';

const ofSqlite: Record<number, string> = {
  5: 'the metrics are in use by another process',
  6: 'the metrics are in use by another process',
  7: 'there is not enough memory',
  8: 'the metrics are read-only',
  10: 'the disk of the metrics has an I/O error',
  11: 'the metrics are damaged',
  13: 'the disk is full',
  14: 'the files of the metrics cannot be opened',
  26: 'the metrics are damaged',
};

const ofFiles = storeFailures('metrics');

export function metricFault(error: unknown, then: string): Fault | undefined {
  if (error instanceof Fault) return error;
  const meaning = meaningOf(error);
  return meaning === undefined ? undefined : new Fault('unavailable', `${meaning}: ${then}`, { cause: error });
}

function meaningOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return ofSqlite[error.errcode & 0xff];
  return 'code' in error && typeof error.code === 'string' ? ofFiles[error.code] : undefined;
}

// Errors that damaged bytes cause, in our decoders or in zstd.
export function damage(error: unknown): Fault | undefined {
  const isDamage = error instanceof RangeError || (error instanceof Error && /^(ZSTD_|ERR_BUFFER)/.test(codeOf(error)));
  return isDamage ? new Fault('unavailable', 'a block of the metrics is damaged', { cause: error }) : undefined;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

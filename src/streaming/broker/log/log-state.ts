// The state that a log keeps next to its segments: its start offset, and a snapshot of its producers, so that opening
// the log does not replay all of it. A snapshot that is ahead of the log (after a power failure) is not used.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { replaceFile } from '../../../base/files/whole-file.ts';
import { noneIfMissing } from '../../../base/missing-file.ts';
import type { ProducerSnapshot } from './producer-state.ts';

export interface EpochStart {
  epoch: number;
  startOffset: number;
}

export interface LogState extends ProducerSnapshot {
  startOffset: number;
  endOffset: number; // the snapshot covers everything below
  epochs: EpochStart[];
  isCompacted?: boolean; // the log may have gaps
}

export const logStateFile = 'state.json';

// Undefined: no state was written yet.
export async function readLogState(folder: string): Promise<LogState | undefined> {
  const text = await readFile(join(folder, logStateFile), 'utf8').catch(noneIfMissing);
  return text === undefined ? undefined : (parseCheckedJson(text) as LogState);
}

// `checkedJson` is called immediately, because the producers change in the meantime.
export const writeLogState = (folder: string, state: LogState): Promise<void> =>
  replaceFile(join(folder, logStateFile), checkedJson(state));

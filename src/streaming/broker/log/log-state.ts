// What a log remembers beside its segments: where it starts, and a snapshot of its producers, so that not all of it
// has to be replayed when it is opened. A snapshot that is ahead of the log (after a power failure) is not used.
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { noneIfMissing } from '../../../base/missing-file.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import type { ProducerSnapshot } from './producer-state.ts';

export interface EpochStart {
  epoch: number;
  startOffset: number;
}

export interface LogState extends ProducerSnapshot {
  startOffset: number;
  endOffset: number; // the snapshot holds for everything below
  epochs: EpochStart[];
  isCompacted?: boolean; // records may have been removed from its midst
}

export const logStateFile = 'state.json';

// Undefined: it was never written.
export async function readLogState(folder: string): Promise<LogState | undefined> {
  const text = await readFile(join(folder, logStateFile), 'utf8').catch(noneIfMissing);
  return text === undefined ? undefined : (parseCheckedJson(text) as LogState);
}

// Whole or not at all: a file of another name, synced, takes the place of the old one.
export async function writeLogState(folder: string, state: LogState): Promise<void> {
  const path = join(folder, logStateFile);
  const text = checkedJson(state); // the producers change while the file is opened
  const file = await open(`${path}.new`, 'w');
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

// Backups: the state to a file, and back. The same for a running region and a stopped one.
import { iso, machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { demandKey } from '../../core/region-secrets.ts';
import { type Counts, type OnPage, tapped, totalOf } from '../../core/state/dump/dump.ts';
import { checkDump, type DumpSummary, readDump, writeDump } from '../../core/state/dump/dump-file.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { programVersion } from '../program-version.ts';

export interface BackupResult {
  file: string;
  rows: Counts;
  total: number;
  tookMs: number;
}

export interface Restored extends BackupResult {
  made: string; // when the backup was
  program: string; // which version made it
}

export interface BackupRequest {
  file: string; // an absolute path
  force: boolean;
}

export async function backUp(engine: StateEngine, { file, force }: BackupRequest, look: OnPage): Promise<BackupResult> {
  const began = performance.now();
  const header = { program: programVersion(), time: iso(machineTime()) };
  const rows = await writeDump(file, tapped(engine.dump(), look), header, force);
  return { file, rows, total: totalOf(rows), tookMs: Math.round(performance.now() - began) };
}

// Throws if anything is wrong with the file, or if `key` does not open its secrets.
export async function checkBackup(file: string, key: string, look: OnPage): Promise<DumpSummary> {
  const demand = demandKey(key);
  let mismatch: unknown;
  const found = await checkDump(file, (page) => {
    look(page);
    try {
      demand(page);
    } catch (error) {
      mismatch ??= error; // thrown last: that the file is damaged says more
    }
  });
  if (mismatch) throw mismatch;
  if (totalOf(found.rows) === 0) throw new Fault('refused', `${file} is the backup of an empty state.`);
  return found;
}

// The file is checked again while it is read, in case it was changed meanwhile.
export async function restore(
  engine: StateEngine,
  file: string,
  checked: DumpSummary,
  look: OnPage,
): Promise<Restored> {
  const began = performance.now();
  await engine.load(tapped(readDump(file), look), true);
  const { rows, time: made, program } = checked;
  return { file, rows, total: totalOf(rows), made, program, tookMs: Math.round(performance.now() - began) };
}

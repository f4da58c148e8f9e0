// Backups: the state into a file, and a file into a state. The same for a region that runs and for one that does not.
import { iso, machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { demandKey } from '../../core/region-secrets.ts';
import { type Counts, type OnPage, tapped, totalOf } from '../../core/state/dump/dump.ts';
import { checkDump, type DumpSummary, readDump, writeDump } from '../../core/state/dump/dump-file.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { programVersion } from '../program-version.ts';

export interface BackupMade {
  file: string;
  rows: Counts;
  total: number;
  tookMs: number;
}

export interface Restored extends BackupMade {
  made: string; // when the backup was
  program: string; // which version made it
}

export interface BackupAsked {
  file: string; // a whole path
  force: boolean;
}

export async function backUp(engine: StateEngine, { file, force }: BackupAsked, look: OnPage): Promise<BackupMade> {
  const began = performance.now();
  const header = { program: programVersion(), time: iso(machineTime()) };
  const rows = await writeDump(file, tapped(engine.dump(), look), header, force);
  return { file, rows, total: totalOf(rows), tookMs: Math.round(performance.now() - began) };
}

// Throws where anything is wrong with the file, or where `key` does not open what is sealed in it.
export async function checkBackup(file: string, key: string, look: OnPage): Promise<DumpSummary> {
  const demand = demandKey(key);
  let mismatch: unknown;
  const found = await checkDump(file, (page) => {
    look(page);
    try {
      demand(page);
    } catch (error) {
      mismatch ??= error; // that it is damaged says more, and comes last
    }
  });
  if (mismatch) throw mismatch;
  if (totalOf(found.rows) === 0) throw new Fault('refused', `${file} is the backup of an empty state.`);
  return found;
}

// What it reads is checked once more on the way: whoever altered it meanwhile has changed nothing.
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

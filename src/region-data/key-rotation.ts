// Replaces the region's key while no region runs: a new key is written next to the old one, the state is replaced by
// one whose secrets are sealed with the new key, and the new key takes the place of the old one. The state changes in
// one transaction, so after a crash at any moment one of the two keys opens it, and `settleKey` finds out which.
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { iso, machineTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Seal } from '../base/seal.ts';
import { programVersion } from '../config/program-version.ts';
import {
  demandKey,
  keyDamage,
  nextKey,
  readOrMakeSeal,
  readSeal,
  replaceKey,
  settleKey,
} from '../core/region-secrets.ts';
import { type OnPage, tapped } from '../core/state/dump/dump.ts';
import { writeDump } from '../core/state/dump/dump-file.ts';
import { readDump } from '../core/state/dump/dump-reader.ts';
import { resealed } from '../core/state/dump/reseal.ts';
import type { DumpPage, StateEngine } from '../core/state/engine.ts';
import { Store } from '../core/store.ts';

export interface RotationRequest {
  key: string; // the file of the key
  to: string | undefined; // where the new key goes, if the old file stays
  isDryRun: boolean;
}

export interface Rotation {
  outcome: 'rotated' | 'completed' | 'checked'; // completed: an earlier rotation was interrupted
  secrets: number;
  key: string;
  old: string | undefined;
}

export interface RotationSteps {
  begin(doing: string): void;
  page(page: DumpPage): void;
}

export async function rotateKey(
  engine: StateEngine,
  { key, to, isDryRun }: RotationRequest,
  steps: RotationSteps,
): Promise<Rotation> {
  const store = new Store(engine);
  const done = to === undefined ? await settleKey(store, key) : await isSealedWith(store, to, key);
  if (done) return { outcome: 'completed', secrets: 0, key: to ?? key, old: undefined };
  const wrong = await keyDamage(store, key);
  if (wrong !== undefined) throw new Fault('refused', wrong);
  const own = readSeal(key);
  const demand = demandKey(key);
  const look: OnPage = (page) => {
    demand(page);
    steps.page(page);
  };
  steps.begin('Checking');
  const counted = counting(own);
  for await (const _ of resealed(tapped(engine.dump(), look), own, counted));
  const secrets = counted.closed;
  if (isDryRun) return { outcome: 'checked', secrets, key, old: undefined };
  const copy = join(dirname(to ?? key), 'key-rotation.state'); // of the state
  try {
    steps.begin('Copying');
    const header = { program: programVersion(), time: iso(machineTime()) };
    await writeDump(copy, { header, pages: tapped(engine.dump(), look) }, true);
    steps.begin('Writing the new key');
    const next = readOrMakeSeal(to ?? nextKey(key));
    steps.begin('Sealing');
    await engine.load(resealed(tapped(readDump(copy), steps.page), own, next), true);
    steps.begin('Replacing the key');
    const old = to === undefined ? replaceKey(key) : key;
    return { outcome: 'rotated', secrets, key: to ?? key, old };
  } finally {
    rmSync(copy, { force: true });
  }
}

const isSealedWith = async (store: Store, to: string, key: string): Promise<boolean> =>
  existsSync(to) && (await keyDamage(store, key)) !== undefined && (await keyDamage(store, to)) === undefined;

function counting(seal: Seal): Seal & { closed: number } {
  return {
    closed: 0,
    open: seal.open,
    close() {
      this.closed += 1;
      return '';
    },
  };
}

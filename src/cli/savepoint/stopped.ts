// Save points of a region that does not run.
import { existsSync } from 'node:fs';
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { silent } from '../../base/log.ts';
import type { Input } from '../../command/command.ts';
import { configOf } from '../../config/config.ts';
import type { Config } from '../../config/sections.ts';
import { loadClockOffset } from '../../core/region-clock.ts';
import { openState } from '../../core/state/open.ts';
import { Store } from '../../core/store.ts';
import { products } from '../../products.ts';
import { hasState, lockFolder } from '../../region-data/data-folder.ts';
import { home } from '../../region-data/save-points/restore-files.ts';
import { SavePoints } from '../../region-data/save-points/savepoints.ts';

// Does the work while this process has exclusive access to the data folder.
export async function whileLocked<T>(config: Config, work: (savePoints: SavePoints) => Promise<T>): Promise<T> {
  demandRegion(config);
  const folder = lockFolder(config.data);
  try {
    return await work(stoppedSavePoints(config));
  } finally {
    folder.release();
  }
}

// The first start creates the key that secrets are sealed with. A killed restore may have moved its state away, and is
// completed when the folder is locked.
function demandRegion({ data, state }: Config): void {
  if (state !== `sqlite:${data}` || hasState(data) || existsSync(home(data))) return;
  throw new Fault('missing', `The data folder ${data} has no region yet. Start one with: up`);
}

export const configIn = (input: Input): Config =>
  configOf(new Map(input.has('data') ? [['data', input.get('data') ?? '']] : []), products);

export const stoppedSavePoints = (config: Config): SavePoints =>
  new SavePoints(
    config,
    {
      now: () => regionTime(config),
      exclusively: (work) => work(), // the holder of the folder's lock is alone
      whileStopped: (_graceMs, work) => work(),
    },
    silent,
  );

async function regionTime({ state }: Config): Promise<number> {
  const engine = await openState(state, machineTime);
  try {
    return machineTime() + (await loadClockOffset(new Store(engine)));
  } finally {
    await engine.close();
  }
}

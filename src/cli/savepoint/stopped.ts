// Save points of a region that does not run.
import { machineTime } from '../../base/clock.ts';
import { silent } from '../../base/log.ts';
import type { Config } from '../../config/sections.ts';
import { loadClockOffset } from '../../core/region-clock.ts';
import { openState } from '../../core/state/open.ts';
import { Store } from '../../core/store.ts';
import { SavePoints } from './savepoints.ts';

export const stoppedSavePoints = (config: Config): SavePoints =>
  new SavePoints(
    config,
    {
      now: () => regionTime(config),
      exclusively: (work) => work(), // who has the folder's lock is alone
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

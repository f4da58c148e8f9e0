// Backup, restore and reset of a running region, one at a time, with progress. What does them reaches into every
// engine, and is loaded when it is asked for.
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { totalOf } from '../../core/state/dump/dump.ts';
import type { DumpPage, StateEngine } from '../../core/state/engine.ts';
import type { Region } from '../../platform.ts';
import type { Operations } from '../admin/operations.ts';
import type { BackupPlace } from './backup.ts';
import { inUse, liveNodes } from './location.ts';
import type { Checked } from './object-check.ts';
import type { Emptied } from './reset.ts';

export type Offline = <T>(work: (state: StateEngine) => Promise<T>) => Promise<T>;

type Backup = Operations['state/backup'];
type Restore = Operations['state/restore'];

export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

export class OnlineBackup {
  readonly #log: Log;
  readonly #alone: Exclusively;
  #progress: Operations['state/progress'][1] = { doing: '', rows: 0, of: 0 };

  constructor(log: Log, exclusively: Exclusively) {
    this.#log = log;
    this.#alone = exclusively;
  }

  progress(): Operations['state/progress'][1] {
    return this.#progress;
  }

  async backUp(region: Region, { file, force, ...more }: Backup[0]): Promise<Backup[1]> {
    demandPath(file);
    return this.#exclusively(async () => {
      this.#begin('Backing up');
      const letGo = region.objects.hold();
      try {
        const { backUp } = await import('./backup.ts');
        const asked = { ...more, file, force: force === true };
        const made = await backUp(region.store.engine, placeOf(region), asked, this.#page);
        this.#log.info('backed up', { file, rows: made.total });
        return made;
      } catch (error) {
        this.#log.warn('not backed up', { file, error });
        throw error;
      } finally {
        letGo();
      }
    });
  }

  // `offline` stops the region while the work lasts and starts it again, even if the work fails.
  async restore(region: Region, asked: Restore[0], offline: Offline): Promise<Restore[1]> {
    const { file } = asked;
    demandPath(file);
    return this.#exclusively(async () => {
      this.#begin('Checking');
      const { checkBackup, restore } = await import('./backup.ts');
      const place = placeOf(region);
      const checked = await checkBackup(asked, place, this.#page);
      return offlineAlone(region, offline, async (state) => {
        this.#begin('Restoring', totalOf(checked.rows));
        try {
          const restored = await restore(state, place, asked, checked, this.#page);
          this.#log.info('restored', { file, made: restored.made, rows: restored.total });
          return restored;
        } catch (error) {
          this.#log.error('not restored: the state is as it was', { file, error });
          throw error;
        }
      });
    });
  }

  // Rows, the files of all products, and the bytes of objects.
  async check(region: Region, asked: Operations['state/check'][0]): Promise<Checked> {
    const { withFiles } = await import('./file-checks.ts');
    const { notAsked, withObjects } = await import('./object-check.ts');
    const rows = await region.store.engine.check();
    const found = await withFiles(rows, region.store.engine, placeOf(region), true);
    if (asked.objects === false) return withObjects(found, notAsked);
    const bytes = await region.objects.check();
    return withObjects(found, bytes ?? 'The bytes of objects are kept by another node: check them there.');
  }

  reset(region: Region, offline: Offline): Promise<Emptied> {
    return this.#exclusively(async () => {
      this.#begin('Emptying');
      const { emptyRegion } = await import('./reset.ts');
      return offlineAlone(region, offline, async (state) => {
        const emptied = await emptyRegion(state, placeOf(region));
        this.#log.info('emptied', { ...emptied });
        return emptied;
      });
    });
  }

  #begin(doing: string, of = 0): void {
    this.#progress = { doing, rows: 0, of };
  }

  readonly #page = ({ rows }: DumpPage): void => {
    this.#progress = { ...this.#progress, rows: this.#progress.rows + rows.length };
  };

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      try {
        return await work();
      } finally {
        this.#begin('');
      }
    });
  }
}

// Only while no other node runs on the state.
async function offlineAlone<T>(region: Region, offline: Offline, work: (state: StateEngine) => Promise<T>): Promise<T> {
  const { engine } = region.store;
  const demandAlone = async (state: StateEngine, own?: string): Promise<void> => {
    const others = engine.exclusive ? [] : await liveNodes(state, own);
    if (others.length > 0) throw inUse("this region's state besides this one", others);
  };
  await demandAlone(engine, region.node.id);
  return offline(async (state) => {
    await demandAlone(state); // another node may have joined while this one stopped
    return work(state);
  });
}

const placeOf = ({ config: { data, key, monitoring, logging, objects } }: Region): BackupPlace => ({
  data,
  key,
  engines: { metrics: monitoring.engine, logs: logging.engine },
  objects: objects.engine,
  isServed: false,
});

function demandPath(file: unknown): void {
  if (typeof file !== 'string' || !isAbsolute(file))
    throw new Fault('refused', 'The absolute path of a file is expected.');
}

// Backup, restore, check and reset of a running region, one at a time, with progress. The modules that do the work are
// loaded when they are needed.
import { isAbsolute } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { enginesIn } from '../config/config.ts';
import type { Config } from '../config/sections.ts';
import type { Node } from '../core/nodes/node.ts';
import { totalOf } from '../core/state/dump/dump.ts';
import type { DumpPage, StateEngine } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { products } from '../products.ts';
import type { Ports } from '../surface/ports.ts';
import { runningData } from '../surface/product-data.ts';
import type { BackupRequest, BackupResult, Restored, RestoreRequest } from './backup.ts';
import type { Checked } from './check.ts';
import { inUse, liveNodes } from './location.ts';
import type { RegionPlace } from './parts.ts';
import type { Emptied } from './reset.ts';

export interface RunningRegion {
  store: Store;
  node: Node;
  ports: Ports;
  config: Config;
}

export type Offline = <T>(work: (state: StateEngine) => Promise<T>) => Promise<T>;
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

export interface BackupProgress {
  doing: string; // empty: nothing
  rows: number;
  of: number; // 0: the total is unknown
}

export class RegionWork {
  readonly #log: Log;
  readonly #alone: Exclusively;
  #progress: BackupProgress = { doing: '', rows: 0, of: 0 };

  constructor(log: Log, exclusively: Exclusively) {
    this.#log = log;
    this.#alone = exclusively;
  }

  progress(): BackupProgress {
    return this.#progress;
  }

  async backUp(region: RunningRegion, request: BackupRequest): Promise<BackupResult> {
    const { file } = request;
    demandPath(file);
    return this.#exclusively(async () => {
      this.#begin('Backing up');
      const letGo = region.ports.list(runningData).map((one) => one.hold());
      try {
        const { backUp } = await import('./backup.ts');
        const made = await backUp(region.store.engine, placeOf(region), request, this.#page);
        this.#log.info('backed up', { file, rows: made.total });
        return made;
      } catch (error) {
        this.#log.warn('not backed up', { file, error });
        throw error;
      } finally {
        for (const one of letGo) one();
      }
    });
  }

  // `offline` stops the region during the work and starts it again, even if the work fails.
  async restore(region: RunningRegion, request: RestoreRequest, offline: Offline): Promise<Restored> {
    const { file } = request;
    demandPath(file);
    return this.#exclusively(async () => {
      this.#begin('Checking');
      const { checkBackup, restore } = await import('./backup.ts');
      const place = placeOf(region);
      const checked = await checkBackup(request, place, this.#page);
      return offlineAlone(region, offline, async (state) => {
        this.#begin('Restoring', totalOf(checked.rows));
        try {
          const restored = await restore(state, place, request, checked, this.#page);
          this.#log.info('restored', { file, made: restored.made, rows: restored.total });
          return restored;
        } catch (error) {
          this.#log.error('not restored: the state is as it was', { file, error });
          throw error;
        }
      });
    });
  }

  async check(region: RunningRegion, leaveOut: readonly string[]): Promise<Checked> {
    const { checkRegion } = await import('./check.ts');
    const request = { isRunning: true, leaveOut, running: region.ports.list(runningData) };
    return checkRegion(region.store.engine, placeOf(region), request);
  }

  reset(region: RunningRegion, offline: Offline): Promise<Emptied> {
    return this.#exclusively(async () => {
      this.#begin('Emptying');
      const { emptyRegion } = await import('./reset.ts');
      return offlineAlone(region, offline, async (state) => {
        const emptied = await emptyRegion(state, placeOf(region));
        const { removed, kept } = emptied;
        this.#log.info('emptied', { removed, kept });
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
async function offlineAlone<T>(
  region: RunningRegion,
  offline: Offline,
  work: (state: StateEngine) => Promise<T>,
): Promise<T> {
  const { engine } = region.store;
  const demandAlone = async (state: StateEngine, own?: string): Promise<void> => {
    const others = engine.exclusive ? [] : await liveNodes(state, own);
    if (others.length > 0) throw inUse("this region's state together with this node", others);
  };
  await demandAlone(engine, region.node.id);
  return offline(async (state) => {
    await demandAlone(state); // another node may have joined while this one stopped
    return work(state);
  });
}

const placeOf = ({ config }: RunningRegion): RegionPlace => ({
  data: config.data,
  key: config.key,
  engines: enginesIn(config, products),
  isServed: false,
});

function demandPath(file: unknown): void {
  if (typeof file !== 'string' || !isAbsolute(file))
    throw new Fault('refused', 'Expected the absolute path of a file.');
}

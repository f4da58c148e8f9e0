// Backup and restore of a region that runs. One at a time; how far it is can be asked.
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { totalOf } from '../../core/state/dump/dump.ts';
import type { DumpPage, StateEngine } from '../../core/state/engine.ts';
import type { Region } from '../../platform.ts';
import type { Operations } from '../region/operations.ts';
import { backUp, checkBackup, restore } from './files.ts';
import { aliveNodes, inUse } from './places.ts';

export type Away = <T>(work: (state: StateEngine) => Promise<T>) => Promise<T>;

type Backup = Operations['state/backup'];
type Restore = Operations['state/restore'];

export class LiveState {
  readonly #log: Log;
  #far: Operations['state/progress'][1] = { doing: '', rows: 0, of: 0 };

  constructor(log: Log) {
    this.#log = log;
  }

  progress(): Operations['state/progress'][1] {
    return this.#far;
  }

  async backUp(region: Region, { file, force }: Backup[0]): Promise<Backup[1]> {
    demandPath(file);
    return this.#alone(async () => {
      this.#begin('Backing up');
      try {
        const made = await backUp(region.store.engine, { file, force: force === true }, this.#page);
        this.#log.info('backed up', { file, rows: made.total });
        return made;
      } catch (error) {
        this.#log.warn('not backed up', { file, error });
        throw error;
      }
    });
  }

  // `away` takes the region from its state for as long as the work lasts, and brings it back whatever becomes of that.
  async restore(region: Region, { file }: Restore[0], away: Away): Promise<Restore[1]> {
    demandPath(file);
    return this.#alone(async () => {
      this.#begin('Checking');
      const checked = await checkBackup(file, region.config.key, this.#page);
      const { engine } = region.store;
      const demandAlone = async (state: StateEngine, own?: string): Promise<void> => {
        const others = engine.exclusive ? [] : await aliveNodes(state, own);
        if (others.length > 0) throw inUse("this region's state besides this one", others);
      };
      await demandAlone(engine, region.node.id);
      return away(async (state) => {
        await demandAlone(state); // one may have come while this one was stopping
        this.#begin('Restoring', totalOf(checked.rows));
        try {
          const restored = await restore(state, file, checked, this.#page);
          this.#log.info('restored', { file, made: restored.made, rows: restored.total });
          return restored;
        } catch (error) {
          this.#log.error('not restored: the state is as it was', { file, error });
          throw error;
        }
      });
    });
  }

  #begin(doing: string, of = 0): void {
    this.#far = { doing, rows: 0, of };
  }

  readonly #page = ({ rows }: DumpPage): void => {
    this.#far = { ...this.#far, rows: this.#far.rows + rows.length };
  };

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#far.doing !== '')
      throw new Fault('conflict', 'A backup or a restore of this region is under way: wait for its end.');
    try {
      return await work();
    } finally {
      this.#begin('');
    }
  }
}

function demandPath(file: unknown): void {
  if (typeof file !== 'string' || !isAbsolute(file))
    throw new Fault('refused', 'The whole path of a file is expected.');
}

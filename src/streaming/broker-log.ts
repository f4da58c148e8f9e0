// What brokers log: into the region's own log, and into the central log of the contract that the cluster belongs to.
import { createLog, type Fields, type Level, type Log } from '../base/log.ts';
import type { LogSource, WriteOwnLine } from '../core/own-logs.ts';
import { idClaim, regionOf } from '../core/regional.ts';
import type { Store } from '../core/store.ts';
import { cluster } from './clusters/cluster.ts';

export class BrokerLog implements LogSource {
  readonly tag = 'kafka';
  readonly product = 'streaming';
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  #write: WriteOwnLine | undefined; // absent: nobody keeps central logs

  constructor(store: Store, log: Log, now: () => number) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  begin(write: WriteOwnLine): void {
    this.#write = write;
  }

  of(id: string): Log {
    const line =
      (level: Level) =>
      (message: string, fields: Fields = {}): void => {
        this.#log[level](message, { cluster: id, ...fields });
        void this.#tellOwner(id, level, message, fields);
      };
    return { info: line('info'), warn: line('warn'), error: line('error') };
  }

  async #tellOwner(id: string, level: Level, message: string, fields: Fields): Promise<void> {
    if (!this.#write) return;
    const timeMs = this.#now();
    const owner = await this.#store.claimed(idClaim(cluster, id)).catch(() => undefined);
    if (!owner) return;
    const write = (line: string): void =>
      this.#write?.(
        { contract: owner.contract, region: regionOf(owner.path) },
        { timeMs, line: line.trimEnd(), labels: { cluster_id: id, level } },
      );
    createLog(write, () => timeMs)[level](message, fields);
  }
}

// Writes log lines of brokers to the region's log and to the central log of the contract that owns the cluster.
import { createLog, type Fields, type Level, type Log } from '../base/log.ts';
import { idClaim, regionOf } from '../core/regional.ts';
import type { LogSource, WriteLogLine } from '../core/resource-logs.ts';
import type { Store } from '../core/store.ts';
import { cluster } from './clusters/cluster.ts';

export class BrokerLog implements LogSource {
  readonly tag = 'kafka';
  readonly product = 'streaming';
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  #write: WriteLogLine | undefined; // absent: there are no central logs

  constructor(store: Store, log: Log, now: () => number) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  begin(write: WriteLogLine): void {
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

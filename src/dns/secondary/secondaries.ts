// Keeps secondary zones equal to their primaries: transfers them when they are created, when a primary notifies, on
// request, and at intervals.
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ServedZones } from '../server/served-zones.ts';
import { demandNames, limits, maxContentBytes } from '../zones/limits.ts';
import { primaryOf } from '../zones/secondary-zone.ts';
import { type Transfer, transferZone } from './transfer-client.ts';
import { writeTransferred } from './transferred-rows.ts';

export interface TransferStatus {
  primaryIp: string;
  status: 'OK' | 'FAILED' | 'PENDING';
  errorMessage?: string;
}

interface Tools {
  store: Store;
  zones: ServedZones;
  log: Log;
  now(): number;
}

const refreshMs = 3_600_000;
const retryMs = 60_000;
const notifyPauseMs = 2000; // between transfers that notifications cause
const patienceMs = 1000;
const maxAtOnce = 8; // limits the number of waits for primaries that do not answer

export class Secondaries {
  readonly #tools: Tools;
  readonly #statuses = new Map<string, TransferStatus[]>(); // by the id of the zone
  readonly #due = new Map<string, number>(); // when it is retried; absent: now
  readonly #ended = new Map<string, number>(); // when the last transfer ended
  readonly #again = new Set<string>(); // notified during a transfer
  readonly #running = new Map<string, Promise<void>>();
  readonly #leaving = new AbortController();
  #round: Promise<void> | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  statusOf(zone: Row): TransferStatus[] {
    const { primaryIps } = JSON.parse(zone.body) as { primaryIps: string[] };
    return this.#statuses.get(zone.id) ?? primaryIps.map((primaryIp) => ({ primaryIp, status: 'PENDING' }));
  }

  // Notifications of other servers than the zone's primaries are ignored.
  notified(zoneName: string, from: string): void {
    this.#notified(zoneName, from).catch((error: unknown) => this.#failed(zoneName, error));
  }

  async #notified(zoneName: string, from: string): Promise<void> {
    const served = this.#tools.zones.named(zoneName);
    if (served?.kind !== 'secondaryzone') return;
    const row = await this.#tools.store.at(served.contract, served.path);
    if (!row) return;
    const { primaryIps } = JSON.parse(row.body) as { primaryIps: string[] };
    if (!primaryIps.some((text) => primaryOf(text)?.ip === from)) return;
    // The sender's address can be forged, so many notifications cause few transfers.
    const earliest = (this.#ended.get(row.id) ?? 0) + notifyPauseMs;
    if (this.#running.has(row.id)) this.#again.add(row.id);
    else if (this.#tools.now() >= earliest) await this.transfer(row);
    else this.#due.set(row.id, Math.min(earliest, this.#due.get(row.id) ?? earliest));
  }

  // The region stops, and transfers end at once; otherwise a primary that does not answer would delay the stop.
  leave(): void {
    this.#leaving.abort();
  }

  async close(): Promise<void> {
    this.leave();
    await Promise.allSettled([this.#round, ...this.#running.values()]);
  }

  // Waits for a short time only. A move of the clock waits for this, and a primary may not answer for long.
  async runDue(): Promise<void> {
    this.#round ??= this.#transferDue()
      .catch((error: unknown) => this.#failed('all', error))
      .finally(() => {
        this.#round = undefined;
      });
    await Promise.race([this.#round, setTimeout(patienceMs, undefined, { ref: false })]);
  }

  async #transferDue(): Promise<void> {
    const now = this.#tools.now();
    const all = this.#tools.zones.secondaries();
    this.#forgetOthers(new Set(all.map(({ id }) => id)));
    const due = all.filter(({ id }) => (this.#due.get(id) ?? 0) <= now).values();
    const work = async (): Promise<void> => {
      for (const { contract, path } of due) {
        if (this.#leaving.signal.aborted) return;
        const row = await this.#tools.store.at(contract, path);
        if (row && row.state !== 'DELETING') await this.transfer(row);
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, work));
  }

  #forgetOthers(ids: ReadonlySet<string>): void {
    for (const known of [this.#statuses, this.#due, this.#ended])
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  }

  // Runs in the background.
  transferSoon(zone: Row): void {
    this.transfer(zone).catch((error: unknown) => this.#failed(zone.id, error));
  }

  #failed(zone: string, error: unknown): void {
    this.#tools.log.error('a transfer failed', { zone, error });
  }

  // One at a time for each zone.
  transfer(zone: Row): Promise<void> {
    const running = this.#running.get(zone.id);
    if (running) return running;
    const started = this.#transfer(zone).finally(() => this.#running.delete(zone.id));
    this.#running.set(zone.id, started);
    return started;
  }

  async #transfer(zone: Row): Promise<void> {
    const { store, now, log } = this.#tools;
    const { primaryIps, zoneName } = JSON.parse(zone.body) as { primaryIps: string[]; zoneName: string };
    const statuses: TransferStatus[] = [];
    let isDone = false;
    for (const primaryIp of primaryIps) {
      const primary = primaryOf(primaryIp);
      if (isDone || !primary) continue;
      try {
        const transfer = await transferZone(primary, zoneName, this.#leaving.signal);
        // One after another, because the remaining space depends on the loaded zones.
        isDone = await store.runExclusive(`transfers ${zone.contract}`, () => this.#keep(zone, transfer));
        statuses.push({ primaryIp, status: isDone ? 'OK' : 'PENDING' });
        if (isDone) continue;
        this.#again.add(zone.id);
        break;
      } catch (error) {
        if (!(error instanceof Fault)) log.error('a transfer failed', { zone: zoneName, error });
        statuses.push({ primaryIp, status: 'FAILED', errorMessage: (error as Error).message });
      }
    }
    this.#statuses.set(zone.id, statuses);
    const pauseMs = this.#again.delete(zone.id) ? notifyPauseMs : isDone ? refreshMs : retryMs;
    this.#due.set(zone.id, now() + pauseMs);
    this.#ended.set(zone.id, now());
  }

  // False: the zone was changed or deleted during the transfer.
  async #keep(zone: Row, transfer: Transfer): Promise<boolean> {
    const { store, zones, now } = this.#tools;
    this.#demandRoom(zone, transfer);
    if (!(await writeTransferred(store, zone, transfer.serial, transfer.records, now()))) return false;
    await zones.reloadSecondary(zone.id);
    return true;
  }

  // Transferred records are kept in memory, as those of zones.
  #demandRoom({ contract, id }: Row, { records, names }: Transfer): void {
    const others = this.#tools.zones.secondaryUse(contract, id);
    demandNames(this.#tools.zones.names(contract, id) + names);
    const bytes = records.reduce((sum, { data }) => sum + data.length, others.bytes);
    if (others.records + records.length > limits.records || bytes > maxContentBytes)
      throw new Fault(
        'refused',
        `The secondary zones of the contract would have more than ${limits.records} records or ${maxContentBytes} bytes.`,
      );
  }
}

// Keeps real machines and the rows of their servers in agreement: a machine that ended by itself becomes SHUTOFF or
// CRASHED, one that should run is booted, and machines and disks that no row names are removed.

import type { Values } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { mark } from '../../core/metering/meter.ts';
import type { Model } from '../../core/model.ts';
import type { Reconciler, ReconcilerHome } from '../../core/reconciler.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { MachineEvent, MachineHandle } from './engine.ts';
import type { Engines } from './engines.ts';

export interface UpkeepTools {
  store: Store;
  model: Model;
  engines: Engines;
  home: ReconcilerHome; // the node that keeps the machines
  machineIn: (server: Row) => MachineHandle | undefined;
  turnOf: (id: string) => string; // of operations on one machine
  now: () => number;
  log: Log;
}

const everyMs = 5000;
const sideBySide = 4;
const kinds = new Set(['server', 'volume', 'snapshot']);

export class MachineUpkeep {
  readonly reconciler: Reconciler;
  readonly #tools: UpkeepTools;
  readonly #events = new Map<string, MachineEvent>(); // not yet written to a row, by the id of the server
  #forget: () => void = () => undefined;
  #sweep: NodeJS.Timeout | undefined;
  #isClosed = true;

  constructor(tools: UpkeepTools) {
    this.#tools = tools;
    const { home, store, log } = tools;
    this.reconciler = { name: 'machines', everyMs, home, run: () => this.#run() };
    home.follow(() => {
      if (!home.isHere) this.close();
      else this.#adopt().catch((error: unknown) => log.warn('machines were not adopted', { error }));
    });
    store.follow((writes) => {
      if (writes.some(({ op, ...write }) => op === 'remove' && 'table' in write && write.table === 'resource'))
        this.#soon();
    });
  }

  // Before operations are resumed.
  async start(): Promise<void> {
    if (this.#tools.home.isHere && this.#isClosed) await this.#adopt();
  }

  // Finds the machines of the previous process, or of the node that kept them before.
  async #adopt(): Promise<void> {
    const { engines, machineIn } = this.#tools;
    this.#isClosed = false;
    this.#forget = engines.machines.watch((event) => {
      this.#events.set(event.id, event);
      void this.#take(event);
    });
    const servers = await this.#servers();
    await engines.machines.adopt(servers.map((server) => machineIn(server) as MachineHandle));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#sweep);
    this.#forget();
  }

  // Rows were removed, so their machines and disks are removed too.
  #soon(): void {
    if (this.#isClosed) return;
    this.#sweep ??= setTimeout(() => {
      this.#sweep = undefined;
      this.#sweepAll().catch((error: unknown) => this.#tools.log.warn('machines were not swept', { error }));
    }, 200).unref();
  }

  async #run(): Promise<void> {
    for (const event of [...this.#events.values()]) await this.#take(event);
    const servers = await this.#servers();
    const work = servers[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: sideBySide }, async () => {
        for (const server of work) await this.#repair(server);
      }),
    );
    await this.#sweepAll();
  }

  async #sweepAll(): Promise<void> {
    const { machines, disks } = this.#tools.engines;
    const named = (ids: readonly string[]): Promise<ReadonlySet<string>> => this.#named(ids);
    await machines.sweep(named);
    await disks.sweep(named);
  }

  // If no operation is in progress, the machine is made to match its row.
  async #repair({ contract, id, ...server }: Row): Promise<void> {
    const { engines, machineIn, log } = this.#tools;
    if (this.#isClosed) return;
    try {
      await this.#inTurn(id, async () => {
        const row = await this.#idle(contract, pathOf({ id, ...server }));
        const machine = row && machineIn(row);
        if (machine && !this.#events.has(id)) await engines.machines.apply(machine);
      });
    } catch (error) {
      if (!this.#isClosed) log.warn('a machine could not be repaired', { server: id, error });
    }
  }

  async #take(event: MachineEvent): Promise<void> {
    const { log } = this.#tools;
    try {
      await this.#inTurn(event.id, () => this.#note(event));
    } catch (error) {
      if (!this.#isClosed) log.warn('an event of a machine was not noted', { server: event.id, error });
    }
  }

  // The event is kept while an operation is in progress, which may be ending the machine; the next run looks again.
  async #note(event: MachineEvent): Promise<void> {
    const { engines, machineIn, log } = this.#tools;
    if (this.#events.get(event.id) !== event || this.#isClosed) return;
    const found = (await this.#servers()).find(({ id }) => id === event.id);
    if (!found) return void this.#events.delete(event.id);
    const row = await this.#idle(found.contract, pathOf(found));
    if (!row) return;
    const machine = machineIn(row) as MachineHandle;
    const { boots } = await engines.machines.describe(machine);
    if (event.state === 'REBOOTING' && boots === event.boots) {
      const next = await engines.machines.reset(machine);
      if (!(await this.#write(row, next, 'RUNNING'))) return;
      this.#events.delete(event.id);
      await engines.machines.apply(next);
      return;
    }
    const next = engines.machines.noticed(machine, event);
    if (next && !(await this.#write(row, next, event.state))) return;
    this.#events.delete(event.id);
    if (!next) return;
    log.info('a machine ended', { server: event.id, state: event.state, reason: event.reason });
    await engines.machines.apply(next);
  }

  // False: the row has changed in the meantime.
  async #write(row: Row, machine: MachineHandle, vmState: string): Promise<boolean> {
    const { store, model, now } = this.#tools;
    const values = { ...(JSON.parse(row.body) as Values), vmState };
    const hidden = JSON.stringify({ ...(JSON.parse(row.hidden) as Values), machine });
    const { ok } = await store.apply([
      { op: 'update', table: 'resource', row: { ...row, body: JSON.stringify(values), hidden } },
      ...mark(model.get('server'), row.contract, pathOf(row), values, now()),
    ]);
    return ok;
  }

  async #idle(contract: number, path: string): Promise<Row | undefined> {
    const { store } = this.#tools;
    const row = await store.at(contract, path);
    if (row?.state !== 'AVAILABLE' || (await store.changing(contract, path))) return undefined;
    const datacenter = path.split('/').slice(0, 2).join('/');
    const isBusy = (await store.busyAt(contract, datacenter))(path);
    return isBusy ? undefined : row;
  }

  async #servers(): Promise<Row[]> {
    const servers: Row[] = [];
    for await (const row of this.#tools.store.each({ below: '' }))
      if (row.kind === 'server' && this.#tools.machineIn(row)) servers.push(row);
    return servers;
  }

  // Pending operations are read before rows: one that ends in between has written its names into rows.
  async #named(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { store } = this.#tools;
    const named = new Set<string>();
    const take = (text: string): void => {
      for (const id of ids) if (!named.has(id) && text.includes(id)) named.add(id);
    };
    for await (const { place, body } of store.each({ below: '' }, 'journal')) take(`${place} ${body}`);
    for await (const row of store.each({ below: '' })) if (kinds.has(row.kind)) take(`${row.id} ${row.hidden}`);
    return named;
  }

  #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    return this.#tools.store.runExclusive(this.#tools.turnOf(id), work);
  }
}

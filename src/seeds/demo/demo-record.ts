// The stored state of the demo of each contract: a restart of the region continues with it, and `reset` deletes it.
import type { Row } from '../../core/state/engine.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { DemoState } from '../../surface/ports.ts';

export interface DemoRecord {
  state: Exclude<DemoState, 'OFF'>;
  since: string; // of the state
  made: string[]; // the paths of what it created, in that order
  centralRegions: string[]; // where it switched central monitoring on
  shop?: string; // what its load sends to, sealed: it contains keys
  message?: string; // why it failed, or what it could not delete
}

const place = 'lab';
const prefix = 'demo-';

export class DemoRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async all(): Promise<Map<number, DemoRecord>> {
    const rows = await this.#store.range({ contract: 0, place, from: prefix, to: 'demo.', limit: 10_000 });
    return new Map(rows.map((row) => [Number(row.id.slice(prefix.length)), recordOf(row)]));
  }

  async load(contract: number): Promise<DemoRecord | undefined> {
    const row = await this.#row(contract);
    return row && recordOf(row);
  }

  save(contract: number, record: DemoRecord): Promise<void> {
    return this.#store.change(async () => {
      const row = await this.#row(contract);
      const next = { ...(row ?? rowOf({ ...keyOf(contract), kind: 'lab' })), body: JSON.stringify(record) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
    });
  }

  remove(contract: number): Promise<void> {
    return this.#store.change(() => {
      return { writes: [{ op: 'remove', table: 'resource', key: keyOf(contract), loose: true }], value: undefined };
    });
  }

  #row(contract: number): Promise<Row | undefined> {
    return this.#store.get(0, place, `${prefix}${contract}`);
  }
}

const keyOf = (contract: number) => ({ contract: 0, place, id: `${prefix}${contract}` });
const recordOf = ({ body }: Row): DemoRecord => JSON.parse(body) as DemoRecord;

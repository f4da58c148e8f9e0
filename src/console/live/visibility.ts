// Which changes a caller is told of: those of resources that a read would show them, by the same rules, and of their
// own requests. What can't be decided, such as the removal of something whose owner is not known, is not told.
import { type Caller, isAdmin } from '../../core/access.ts';
import { requestPlace, showsRequest } from '../../core/operation/request.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { PlainThings } from '../../surface/ports.ts';
import { surfaceOf } from '../../surface/resource-routes.ts';
import type { Batch, Change, What } from './change-batches.ts';
import type { DeclaredPlaces, Placed } from './declared-places.ts';

export type Told = [what: What, path: string]; // the path as in the API
export type Answer = readonly Told[] | 'all';

// Batches are shared by all streams of a contract: what is read for one of them serves the others.
export class Visibility {
  readonly #store: Store;
  readonly #places: DeclaredPlaces;
  readonly #things: readonly PlainThings[];
  readonly #forAdmins = new WeakMap<Batch, Answer>();
  readonly #rows = new WeakMap<Batch, Map<string, Promise<Row | undefined>>>();

  constructor(store: Store, places: DeclaredPlaces, things: readonly PlainThings[]) {
    this.#store = store;
    this.#places = places;
    this.#things = things;
  }

  async of(caller: Caller, batch: Batch): Promise<Answer> {
    if (caller.contract !== batch.contract) return [];
    const { changes } = batch;
    if (changes === 'all') return 'all';
    const known = isAdmin(caller) ? this.#forAdmins.get(batch) : undefined;
    if (known) return known;
    const told: Told[] = [];
    let isOfAllAdmins = isAdmin(caller);
    for (const [path, change] of changes) {
      const things = this.#things.find(({ place }) => path.startsWith(`${place}/`));
      if (things) isOfAllAdmins = false; // some are of one user alone
      const shown = things
        ? await this.#shownThing(caller, batch, things, path, change)
        : await this.#shown(caller, batch, path, change);
      if (shown !== undefined) told.push([change.what, shown]);
    }
    if (isOfAllAdmins) this.#forAdmins.set(batch, told);
    return told;
  }

  // Of one that is gone and whose row nobody knows, that the list has changed.
  async #shownThing(
    caller: Caller,
    batch: Batch,
    { table, place, address, shows }: PlainThings,
    path: string,
    { row: written }: Change,
  ): Promise<string | undefined> {
    const name = path.slice(place.length + 1);
    const read = (): Promise<Row | undefined> => this.#store.get(batch.contract, place, name, table);
    const row = written ?? (await this.#once(batch, path, read));
    if (!(await shows(caller, row))) return undefined;
    return row ? `${address}/${name}` : address;
  }

  async #shown(caller: Caller, batch: Batch, path: string, { row }: Change): Promise<string | undefined> {
    if (path.startsWith(`${requestPlace}/`)) return this.#shownRequest(caller, batch, path, row);
    const placed = this.#places.find(path);
    if (!placed || !(await this.#mayRead(caller, batch, placed))) return undefined;
    return this.#places.apiPath(placed, path);
  }

  async #mayRead(caller: Caller, batch: Batch, { resource, top }: Placed): Promise<boolean> {
    return isAdmin(caller) || showsTop(this.#store, caller, resource, await this.#topOf(batch, top));
  }

  #topOf(batch: Batch, path: string): Promise<Row | undefined> | Row | undefined {
    const written = batch.changes === 'all' ? undefined : batch.changes.get(path)?.row;
    return written ?? this.#once(batch, path, () => this.#store.at(batch.contract, path));
  }

  async #shownRequest(
    caller: Caller,
    batch: Batch,
    path: string,
    written: Row | undefined,
  ): Promise<string | undefined> {
    const id = path.slice(requestPlace.length + 1);
    const read = (): Promise<Row | undefined> => this.#store.get(batch.contract, requestPlace, id, 'request');
    const row = written ?? (isAdmin(caller) ? undefined : await this.#once(batch, path, read));
    return isAdmin(caller) || (row && showsRequest(caller, row)) ? this.#places.requestPath(id) : undefined;
  }

  #once(batch: Batch, path: string, read: () => Promise<Row | undefined>): Promise<Row | undefined> {
    const rows = this.#rows.get(batch) ?? new Map<string, Promise<Row | undefined>>();
    this.#rows.set(batch, rows);
    const row = rows.get(path) ?? read();
    rows.set(path, row);
    return row;
  }
}

// Whether a read of the resource shows what is below this row to somebody who is no administrator.
export const showsTop = async (
  store: Store,
  caller: Caller,
  resource: Resource,
  top: Row | undefined,
): Promise<boolean> =>
  resource.verbs.length > 0 && // others have rules of their own
  top !== undefined &&
  surfaceOf(resource).shows(store, caller, resource, top);

// Decides which changes a caller sees: those of resources that the caller may read, by the same rules, and of the
// caller's requests. Undecidable changes, such as the removal of a row with an unknown owner, are hidden.
import { type Caller, isAdmin } from '../../core/access.ts';
import { requestPlace, showsRequest } from '../../core/operation/request.ts';
import type { Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { UndeclaredCollection } from '../../surface/ports.ts';
import { surfaceOf } from '../../surface/resource-routes.ts';
import type { Batch, Change, What } from './change-batches.ts';
import type { DeclaredPlaces, Placed } from './declared-places.ts';

export type VisibleChange = [what: What, path: string]; // the API path
export type VisibleChanges = readonly VisibleChange[] | 'all';

// All streams of a contract share a batch, so rows are read once per batch.
export class Visibility {
  readonly #store: Store;
  readonly #places: DeclaredPlaces;
  readonly #undeclared: readonly UndeclaredCollection[];
  readonly #forAdmins = new WeakMap<Batch, VisibleChanges>();
  readonly #rows = new WeakMap<Batch, Map<string, Promise<Row | undefined>>>();

  constructor(store: Store, places: DeclaredPlaces, undeclared: readonly UndeclaredCollection[]) {
    this.#store = store;
    this.#places = places;
    this.#undeclared = undeclared;
  }

  async of(caller: Caller, batch: Batch): Promise<VisibleChanges> {
    if (caller.contract !== batch.contract) return [];
    const { changes } = batch;
    if (changes === 'all') return 'all';
    const known = isAdmin(caller) ? this.#forAdmins.get(batch) : undefined;
    if (known) return known;
    const visible: VisibleChange[] = [];
    let isOfAllAdmins = isAdmin(caller);
    for (const [path, change] of changes) {
      const undeclared = this.#undeclared.find(({ place }) => path.startsWith(`${place}/`));
      if (undeclared) isOfAllAdmins = false; // some belong to a single user
      const shown = undeclared
        ? await this.#shownUndeclared(caller, batch, undeclared, path, change)
        : await this.#shown(caller, batch, path, change);
      if (shown !== undefined) visible.push([change.what, shown]);
    }
    if (isOfAllAdmins) this.#forAdmins.set(batch, visible);
    return visible;
  }

  // If the row is deleted and unknown, the path is that of the list.
  async #shownUndeclared(
    caller: Caller,
    batch: Batch,
    { table, place, address, shows }: UndeclaredCollection,
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

// Whether a caller who isn't an administrator may read resources below this row.
export const showsTop = async (
  store: Store,
  caller: Caller,
  resource: Resource,
  top: Row | undefined,
): Promise<boolean> =>
  resource.verbs.length > 0 && // resources without verbs have special rules
  top !== undefined &&
  surfaceOf(resource).shows(store, caller, resource, top);

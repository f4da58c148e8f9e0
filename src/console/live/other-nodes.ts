// Changes by other nodes of the region, found by looking: new requests name what they change, and a row that has left
// the journal tells that its operation has ended. Changes without a request, such as labels, are not found.
import { requestHidden, requestPlace } from '../../core/operation/request.ts';
import type { Store } from '../../core/store.ts';
import type { ChangeFeed } from './change-feed.ts';

const everyMs = 1000;
const mostRequests = 200;
const mostOperations = 1000;

interface Seen {
  requests: ReadonlySet<string>;
  operations: ReadonlyMap<string, string>; // the path that each locks, by its request
}

export class OtherNodes {
  readonly #store: Store;
  readonly #feed: ChangeFeed;
  readonly #seen = new Map<number, Seen>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, feed: ChangeFeed) {
    this.#store = store;
    this.#feed = feed;
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#look(), everyMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  // What is there already when somebody begins to listen is no change.
  async begin(contract: number): Promise<void> {
    if (!this.#seen.has(contract)) await this.#lookAt(contract);
  }

  async #look(): Promise<void> {
    const { contracts } = this.#feed;
    for (const contract of this.#seen.keys()) if (!contracts.includes(contract)) this.#seen.delete(contract);
    // A state that does not answer is asked again.
    for (const contract of contracts) await this.#lookAt(contract).catch(() => undefined);
    if (this.#timer) this.start();
  }

  async #lookAt(contract: number): Promise<void> {
    const before = this.#seen.get(contract);
    const scan = { contract, place: requestPlace, reverse: true, limit: mostRequests };
    const operations = await this.#store.range({ contract, below: '', limit: mostOperations }, 'journal');
    const requests = await this.#store.range(scan, 'request');
    this.#seen.set(contract, {
      requests: new Set(requests.map(({ id }) => id)),
      operations: new Map(operations.map(({ id, place }) => [id, place])),
    });
    if (!before) return;
    const made = requests.filter(({ id }) => !before.requests.has(id));
    if (made.length === mostRequests) return this.#feed.addAll(contract);
    for (const row of made) {
      this.#feed.add(contract, `${requestPlace}/${row.id}`, 'made', row);
      for (const { path } of requestHidden(row).targets) this.#feed.add(contract, path, 'changed');
    }
    const pending = new Set(operations.map(({ id }) => id));
    for (const [request, path] of before.operations)
      if (!pending.has(request)) {
        this.#feed.add(contract, path, 'changed');
        this.#feed.add(contract, `${requestPlace}/${request}`, 'changed');
      }
  }
}

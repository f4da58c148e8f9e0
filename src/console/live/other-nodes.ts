// Sends changes between the nodes of a region, in batches, by notifications of the state engine. They contain only
// paths, so the receiver reads the current rows.
import type { StateEngine, WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Batch, ChangeBatches, type What } from './change-batches.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ChangesIn } from './changes-in-writes.ts';

export interface OtherNodesTools {
  store: Pick<Store, 'follow'> & { engine: Pick<StateEngine, 'apply' | 'watch'> };
  feed: ChangeFeed;
  changesIn: ChangesIn;
  isShown(path: string): boolean; // false for rows that no page shows
}

type Detail = readonly [contract: number, what?: What, path?: string]; // only the contract: too many changes

const topic = 'changes';
const maxChanges = 200; // of a batch
const longestPath = 2000; // a notification must have less than 8000 bytes

export class OtherNodes {
  readonly #tools: OtherNodesTools;
  readonly #batches = new ChangeBatches(maxChanges, (batches) => this.#send(batches));
  #unwatch: (() => void) | undefined; // undefined before start and after stop

  constructor(tools: OtherNodesTools) {
    this.#tools = tools;
    tools.store.follow((writes) => this.#follow(writes));
  }

  start(): void {
    this.#unwatch = this.#tools.store.engine.watch(topic, (detail) => this.#receive(detail));
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #follow(writes: WriteSet): void {
    if (!this.#unwatch) return;
    const { changesIn, isShown } = this.#tools;
    for (const write of writes)
      for (const { contract, path, what } of changesIn(write))
        if (isShown(path)) this.#batches.add(contract, path, what);
  }

  #send(batches: readonly Batch[]): void {
    if (!this.#unwatch) return;
    const details = batches.flatMap(detailsOf).map((detail) => `${topic} ${JSON.stringify(detail)}`);
    // A lost notification only delays the update until the page is opened again.
    this.#tools.store.engine.apply([], details).catch(() => undefined);
  }

  #receive(detail: string): void {
    const { feed } = this.#tools;
    if (detail === '') {
      for (const contract of feed.contracts) feed.addAll(contract);
      return;
    }
    const [contract, what, path] = JSON.parse(detail) as Detail;
    if (what === undefined || path === undefined) feed.addAll(contract);
    else feed.add(contract, path, what);
  }
}

function detailsOf({ contract, changes }: Batch): Detail[] {
  if (changes === 'all' || [...changes.keys()].some((path) => path.length > longestPath)) return [[contract]];
  return [...changes].map(([path, { what }]) => [contract, what, path]);
}

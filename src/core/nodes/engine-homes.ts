// The homes of all data engines of this node.
import type { Log } from '../../base/log.ts';
import type { Reconciler } from '../reconciler.ts';
import type { Store } from '../store.ts';
import { EngineHome, type HomeOptions } from './engine-home.ts';
import type { NameTag, Node } from './node.ts';

export class EngineHomes {
  readonly #homes: EngineHome[] = [];
  readonly #store: Store;
  readonly #tagOf: (name: string) => NameTag;
  readonly #host: string;
  readonly #node: Pick<Node, 'others'>;

  constructor(store: Store, tagOf: (name: string) => NameTag, host: string, node: Pick<Node, 'others'>) {
    this.#store = store;
    this.#tagOf = tagOf;
    this.#host = host;
    this.#node = node;
  }

  add(options: HomeOptions): EngineHome {
    const home = new EngineHome(this.#store, options, this.#tagOf(options.name), this.#host);
    this.#homes.push(home);
    return home;
  }

  // Before this node serves anything.
  async demandSameEngines(log: Log): Promise<void> {
    const running = await this.#node.others();
    for (const home of this.#homes) {
      const change = await home.demandSameEngine(running);
      if (change) log.warn('the engine of a product changes, and its data are not moved', { ...change });
    }
  }

  // Why this node must not serve; undefined: it may.
  conflict(): string | undefined {
    return this.#homes.find(({ conflict }) => conflict)?.conflict;
  }

  // `address`: at which other nodes reach this one.
  async settle(address: string): Promise<void> {
    for (const home of this.#homes) await home.settle(address);
  }

  // Notifications of the state report a change at once. This check finds missed ones.
  reconciler(): Reconciler {
    return { name: 'engine-homes', everyMs: 5000, everywhere: true, run: () => this.#check() };
  }

  async #check(): Promise<void> {
    for (const home of this.#homes) await home.check();
  }
}

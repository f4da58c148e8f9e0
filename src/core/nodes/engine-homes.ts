// The homes of all data engines of this node.
import type { Reconciler } from '../reconciler.ts';
import type { Store } from '../store.ts';
import { EngineHome, type HomeOptions } from './engine-home.ts';
import type { NameTag } from './node.ts';

export class EngineHomes {
  readonly #homes: EngineHome[] = [];
  readonly #store: Store;
  readonly #tagOf: (name: string) => NameTag;
  readonly #host: string;

  constructor(store: Store, tagOf: (name: string) => NameTag, host: string) {
    this.#store = store;
    this.#tagOf = tagOf;
    this.#host = host;
  }

  add(options: HomeOptions): EngineHome {
    const home = new EngineHome(this.#store, options, this.#tagOf(options.name), this.#host);
    this.#homes.push(home);
    return home;
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

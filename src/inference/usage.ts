// What contracts used up, for the bills: tokens and images by model. It is gathered in memory and written every minute,
// so a crash loses a minute of it at most. Only numbers are kept.
import { counter, type Figures } from '../core/figures.ts';
import { consumptionEntry } from '../core/meter.ts';
import type { Store } from '../core/store.ts';

export interface Amounts {
  inputTokens?: number;
  outputTokens?: number;
  images?: number;
}

export const usageFigures = {
  inputTokens: counter('Tokens of prompts and of texts that were embedded.'),
  outputTokens: counter('Tokens that models made.'),
  images: counter('Images that were made.'),
} as const;

export class InferenceUsage {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #total = { inputTokens: 0, outputTokens: 0, images: 0 };
  #used = new Map<string, { contract: number; model: string; amounts: Record<string, number> }>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  add(contract: number, model: string, amounts: Amounts): void {
    const key = `${contract} ${model}`;
    const known = this.#used.get(key) ?? { contract, model, amounts: {} };
    this.#used.set(key, known);
    for (const [name, amount] of Object.entries(amounts)) {
      const meter = `${name} ${model}`;
      known.amounts[meter] = (known.amounts[meter] ?? 0) + amount;
      this.#total[name as keyof Amounts] += amount;
    }
  }

  figures(): Figures<typeof usageFigures> {
    return { ...this.#total };
  }

  async flush(): Promise<void> {
    const used = [...this.#used.values()];
    this.#used = new Map();
    const writes = used.map(({ contract, model, amounts }) =>
      consumptionEntry(contract, { path: `inference/models/${model}`, kind: 'model', amounts }, this.#now()),
    );
    if (writes.length > 0) await this.#store.must(writes);
  }
}

// The usage of contracts for the bills: tokens and images by model. Only numbers are kept.
import { counter, type Figures } from '../core/figures.ts';
import { GatheredUsage } from '../core/metering/gathered-usage.ts';
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
  readonly #used: GatheredUsage;
  readonly #total = { inputTokens: 0, outputTokens: 0, images: 0 };

  constructor(store: Store, now: () => number) {
    this.#used = new GatheredUsage(store, now);
  }

  add(contract: number, model: string, amounts: Amounts): void {
    const entries = Object.entries(amounts);
    for (const [name, amount] of entries) this.#total[name as keyof Amounts] += amount;
    const metered = Object.fromEntries(entries.map(([name, amount]) => [`${name} ${model}`, amount]));
    this.#used.add(contract, { path: `inference/models/${model}`, kind: 'model', amounts: metered });
  }

  figures(): Figures<typeof usageFigures> {
    return { ...this.#total };
  }

  flush(): Promise<void> {
    return this.#used.flush();
  }
}

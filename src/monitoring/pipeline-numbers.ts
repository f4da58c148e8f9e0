// The numbers by which agents name pipelines: small, and unique in all regions and contracts. A claim holds each, so it
// leads to its pipeline; the highest that is claimed tells the next.
import type { Store } from '../core/store.ts';

const scope = 'metric-number';
const digits = 12; // key order is number order

export const numberClaim = (number: number): string => `${scope} ${String(number).padStart(digits, '0')}`;

// As it stands in an address; undefined where no pipeline can have it.
export const numberIn = (text: string): number | undefined =>
  /^[1-9]\d*$/.test(text) && text.length <= digits ? Number(text) : undefined;

export interface NumberedPipeline {
  contract: number;
  path: string;
}

export const pipelineAt = (store: Store, number: number): Promise<NumberedPipeline | undefined> =>
  store.claimed(numberClaim(number));

export async function* numberedPipelines(store: Store): AsyncGenerator<NumberedPipeline> {
  for await (const { body } of store.each({ contract: 0, place: scope }, 'claim'))
    yield JSON.parse(body) as NumberedPipeline;
}

export class PipelineNumbers {
  #store: Store;
  #last = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  // Memory goes ahead of the state, so that those who make some at once do not race each other. Where another node is
  // faster, its claim decides, and who was second comes again.
  async next(): Promise<number> {
    const [highest] = await this.#store.range({ contract: 0, place: scope, limit: 1, reverse: true }, 'claim');
    this.#last = Math.max(this.#last, Number(highest?.id ?? 0)) + 1;
    return this.#last;
  }
}

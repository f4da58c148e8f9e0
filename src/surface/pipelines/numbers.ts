// The numbers by which agents address pipelines: small, and unique in all regions and contracts. A claim holds each
// number and leads to its pipeline; the next number follows the highest claim. `scope` is a product's own word in front
// of its claims.
import type { Store } from '../../core/store.ts';

const digits = 12; // key order is number order

const placeOf = (scope: string): string => `${scope}-number`;

export const numberClaim = (scope: string, number: number): string =>
  `${placeOf(scope)} ${String(number).padStart(digits, '0')}`;

// The number in an address; undefined where it is none.
export const numberIn = (text: string): number | undefined =>
  /^[1-9]\d*$/.test(text) && text.length <= digits ? Number(text) : undefined;

export interface NumberedPipeline {
  contract: number;
  path: string;
}

export const pipelineAt = (store: Store, scope: string, number: number): Promise<NumberedPipeline | undefined> =>
  store.claimed(numberClaim(scope, number));

export async function* numberedPipelines(store: Store, scope: string): AsyncGenerator<NumberedPipeline> {
  for await (const { body } of store.each({ contract: 0, place: placeOf(scope) }, 'claim'))
    yield JSON.parse(body) as NumberedPipeline;
}

export class PipelineNumbers {
  readonly #store: Store;
  readonly #place: string;
  #last = 0;

  constructor(store: Store, scope: string) {
    this.#store = store;
    this.#place = placeOf(scope);
  }

  // The last number is also kept in memory, so that concurrent creations do not collide. Where another node was faster,
  // its claim wins, and the creation is retried.
  async next(): Promise<number> {
    const [highest] = await this.#store.range({ contract: 0, place: this.#place, limit: 1, reverse: true }, 'claim');
    this.#last = Math.max(this.#last, Number(highest?.id ?? 0)) + 1;
    return this.#last;
  }
}

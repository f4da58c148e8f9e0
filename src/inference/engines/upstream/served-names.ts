// Which model really serves a model of an upstream. Another region reports it in its list of models, so that a tiny
// model there is visible here too; other servers serve the model that they name.
import { isObject } from '../../../base/json.ts';
import type { Upstream } from './connection.ts';

const freshMs = 60_000;
const againMs = 10_000; // after a failure
const limitMs = 3000; // listing models must not wait long
const longest = 300; // characters

export class ServedNames {
  readonly #upstream: Upstream;
  #servedBy = new Map<string, string>();
  #asking: Promise<void> | undefined;
  #until = 0;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  of(name: string): string {
    const servedBy = this.#servedBy.get(name);
    const here = `${name} at ${this.#upstream.host}`;
    return servedBy === undefined ? here : `${here}, there served by ${servedBy}`;
  }

  // Asks the upstream again when the known names are old.
  refresh(): Promise<void> {
    if (!this.#asking && performance.now() < this.#until) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      const { body } = await this.#upstream.ask<{ data?: unknown }>(
        '/models',
        undefined,
        AbortSignal.timeout(limitMs), // deadline
      );
      this.#servedBy = new Map(Array.isArray(body.data) ? body.data.flatMap(servedIn) : []);
      this.#until = performance.now() + freshMs;
    } catch {
      this.#until = performance.now() + againMs;
    }
  }
}

function servedIn(model: unknown): [string, string][] {
  if (!isObject(model)) return [];
  const { id, served_by: servedBy } = model;
  return typeof id === 'string' && typeof servedBy === 'string' ? [[id, servedBy.slice(0, longest)]] : [];
}

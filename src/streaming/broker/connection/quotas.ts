// Client quotas: bytes per second that a user or a client may produce or consume. A client over its quota gets its
// answer with the time it has to wait, and its connection is not read for that long. Quotas have the same entities as
// in Apache Kafka: user and client-id, each with a default.
import type { KeyValueLog } from '../log/key-value-log.ts';

// The user and client that send or read.
export interface QuotaCaller {
  user: string;
  clientId: string;
}

export interface QuotaEntity {
  user?: string | null; // null is the default of all users
  'client-id'?: string | null;
}

export type QuotaValues = Record<string, number>;

export interface QuotaEntry {
  entity: QuotaEntity;
  values: QuotaValues;
}

export const quotaKeys = ['producer_byte_rate', 'consumer_byte_rate', 'request_percentage', 'controller_mutation_rate'];

interface Bucket {
  tokens: number;
  atMs: number;
}

const longestThrottleMs = 30_000;
const burstSeconds = 2;
const mostBuckets = 10_000;

export class Quotas {
  readonly #state: KeyValueLog;
  readonly #now: () => number;
  readonly #entries = new Map<string, QuotaEntry>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(state: KeyValueLog, now: () => number) {
    this.#state = state;
    this.#now = now;
    for (const [key, value] of state.entries('quota/')) this.#entries.set(key, value as QuotaEntry);
  }

  get entries(): QuotaEntry[] {
    return [...this.#entries.values()];
  }

  // A null value removes the quota.
  async change(entity: QuotaEntity, changes: Record<string, number | null>): Promise<void> {
    const key = JSON.stringify([entity.user, entity['client-id']].map((name) => (name === undefined ? [] : [name])));
    const merged = { ...this.#entries.get(key)?.values, ...changes };
    const values = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as QuotaValues;
    const isEmpty = Object.keys(values).length === 0;
    if (isEmpty) this.#entries.delete(key);
    else this.#entries.set(key, { entity, values });
    this.#buckets.clear();
    await this.#state.put([[`quota/${key}`, isEmpty ? null : { entity, values }]]);
  }

  // Both return how many milliseconds the client has to wait.
  produced(caller: QuotaCaller, bytes: number): number {
    return this.#take(caller, 'producer_byte_rate', bytes);
  }

  consumed(caller: QuotaCaller, bytes: number): number {
    return this.#take(caller, 'consumer_byte_rate', bytes);
  }

  #take({ user, clientId }: QuotaCaller, key: string, bytes: number): number {
    if (this.#entries.size === 0 || bytes === 0) return 0;
    const found = this.#find(user, clientId, key);
    if (!found) return 0;
    const { rate, name } = found;
    const nowMs = this.#now();
    if (this.#buckets.size > mostBuckets) this.#buckets.clear();
    const bucket = this.#buckets.get(name) ?? { tokens: rate * burstSeconds, atMs: nowMs };
    bucket.tokens = Math.min(rate * burstSeconds, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * rate) - bytes;
    bucket.atMs = nowMs;
    this.#buckets.set(name, bucket);
    return bucket.tokens >= 0 ? 0 : Math.min(longestThrottleMs, Math.ceil((-bucket.tokens / rate) * 1000));
  }

  // The most specific quota applies: user with client, then user, then client, each before its default.
  #find(user: string, clientId: string, key: string): { rate: number; name: string } | undefined {
    const names = (name: string): (string | null | undefined)[] => [name, null, undefined];
    for (const userName of names(user)) {
      for (const clientName of names(clientId)) {
        const lookup = JSON.stringify([userName, clientName].map((name) => (name === undefined ? [] : [name])));
        const rate = this.#entries.get(lookup)?.values[key];
        if (rate === undefined) continue;
        const who = [userName === undefined ? '' : user, clientName === undefined ? '' : clientId];
        return { rate, name: JSON.stringify([key, lookup, ...who]) };
      }
    }
    return undefined;
  }
}

// What routes of declared resources work with.
import type { Model } from '../core/model.ts';
import type { Bounds } from '../core/operation/reservations.ts';
import type { Runner } from '../core/operation/runner.ts';
import type { RecentCache } from '../core/recent-cache.ts';
import type { Store } from '../core/store.ts';
import type { View } from './core-dialect/envelope.ts';
import type { LongAnswers } from './core-dialect/long-answer.ts';
import type { Exchange, Reply } from './http/exchange.ts';
import type { PageCache } from './page-cache.ts';

export interface Machinery {
  store: Store;
  pages: PageCache;
  drawn: RecentCache<Reply>; // for reads of single resources
  long: LongAnswers; // those too long to be put together at once
  model: Model;
  runner: Runner;
  now: () => number;
  regions: { readonly home: string }; // the region of creations that name none
  bounds(contract: number): Promise<Bounds>; // the contract's limits
}

// How a caller sees the resources at this path and below.
export async function viewOf({ store, model }: Machinery, x: Exchange, path: string): Promise<View> {
  const { contract } = x.who;
  const busy = await store.busyAt(contract, path);
  return { store, reader: store, model, base: x.base, contract, caller: x.who, busy };
}

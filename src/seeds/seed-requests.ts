// Follows the requests of a seed in the region's own process, which is cheaper than calls for their status.
import { findRequest, requestHidden } from '../core/operation/request.ts';
import { shownPath } from '../core/resource.ts';
import type { Context } from '../surface/product.ts';

const mostWaitMs = 250; // another node may have ended it

export interface SideEffects {
  others: string[]; // paths of resources elsewhere that can be removed
  isEmpty: boolean; // nothing was created in the resource
}

export class SeedRequests {
  readonly #region: Pick<Context, 'store' | 'model' | 'waiters'>;
  readonly #contract: number;

  constructor(region: Pick<Context, 'store' | 'model' | 'waiters'>, contract: number) {
    this.#region = region;
    this.#contract = contract;
  }

  // Other resources that a creation has created with the resource of this id.
  async sideEffects(request: string, id: string): Promise<SideEffects> {
    const { store, model } = this.#region;
    const row = await findRequest(store, this.#contract, request);
    const targets = row ? requestHidden(row).targets.filter(({ action }) => action.endsWith('.create')) : [];
    const isInside = (path: string): boolean => shownPath(path).split('/').slice(0, -1).includes(id);
    const elsewhere = targets.filter(({ path }) => !shownPath(path).split('/').includes(id));
    return {
      others: elsewhere
        .filter(({ kind }) => model.find(kind)?.verbs.includes('remove'))
        .map(({ path }) => shownPath(path)),
      isEmpty: targets.length > 0 && !targets.some(({ path }) => isInside(path)),
    };
  }

  // Resolves with the reason if the request failed.
  async ended(request: string): Promise<string | undefined> {
    const { store, waiters } = this.#region;
    for (;;) {
      const row = await findRequest(store, this.#contract, request);
      if (row?.state === 'FAILED') return requestHidden(row).message;
      if (row?.state !== 'BUSY') return undefined; // there was nothing to wait for, or it is done
      await waiters.wait(request, mostWaitMs);
    }
  }
}

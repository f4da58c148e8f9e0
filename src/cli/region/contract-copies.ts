// Copies of contracts of the platform or of other regions, for the lab. The last copy stays in memory until it is
// created or another contract is read; its token and its key do not.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { checkedFetch } from '../../base/outbound/outbound-fetch.ts';
import { environment } from '../../config/environment.ts';
import { declaredEndpoints, declaredHomes, declaredOffer, declaredResources } from '../../products.ts';
import { type RemoteDump, remoteDump } from '../../seeds/dump/remote-dump.ts';
import { placeholderLines } from '../../seeds/placeholders.ts';
import { seedInMemory } from '../../seeds/plan/seed-in-memory.ts';
import { planOf, type SeedPlan } from '../../seeds/plan/seed-plan.ts';
import type { SeedSource } from '../../seeds/plan/seed-source.ts';
import { applyCopy } from '../../seeds/region-seed.ts';
import { leftBehind } from '../../seeds/undo.ts';
import { entitySection, sectionsOf } from '../../surface/docs/seed-sections.ts';
import type { ContractCopies, CopyCall, CopyContents, CopyOutcome, CopySource } from '../../surface/ports.ts';
import type { RunningRegion } from '../admin/handlers.ts';
import { sourceAddress } from './source-address.ts';

// What every region offers.
export async function declaredTarget(): Promise<
  Pick<RemoteDump, 'endpoints' | 'regions' | 'home' | 'sections' | 'offer'>
> {
  const offer = await declaredOffer(environment.catalogue());
  const sections = sectionsOf(await declaredResources(), declaredHomes());
  return { endpoints: declaredEndpoints(), regions: offer.regions.all, home: offer.regions.home, sections, offer };
}

export class RegionCopies implements ContractCopies {
  readonly #region: () => RunningRegion['region'];
  #last: { id: string; source: SeedSource } | undefined;

  constructor(region: () => RunningRegion['region']) {
    this.#region = region;
  }

  async read(source: CopySource, { signal, onProgress }: CopyCall): Promise<CopyContents> {
    const from = sourceAddress(source.from);
    const target = await declaredTarget();
    const { seed, notes } = await remoteDump({
      ...target,
      ...source,
      from,
      signal,
      fetch: checkedFetch(notRead),
      mostResources,
      onProgress: ({ lists: done, known, resources }) => onProgress({ done, known, resources }),
    });
    const id = uuid();
    const copy = seedInMemory(seed, target.sections);
    this.#last = { id, source: copy };
    return { id, counts: countsOf(planOf([copy], target.sections)), notes };
  }

  async apply(id: string, { keepsIds, signal, onProgress }: CopyCall & { keepsIds: boolean }): Promise<CopyOutcome> {
    const last = this.#last;
    if (last?.id !== id) throw new Fault('missing', notInMemory);
    const region = this.#region();
    const onItem = (done: number, known: number): void => onProgress({ done, known, resources: done });
    const applied = await applyCopy(region, last.source, { keepsIds, onItem, signal }).catch((error: unknown) => {
      const left = leftBehind(error); // no one receives the answer of a cancelled copy
      if (left.length > 0) region.log.error('the undo of a copy left resources behind', { left });
      throw error;
    });
    const { placeholders, keysFile, created, existing, datacenters } = applied;
    if (this.#last === last) this.#last = undefined;
    const lines = placeholderLines(placeholders);
    return { created, existing, hasKeys: keysFile !== undefined, placeholders: lines, datacenters };
  }
}

const mostResources = 100_000; // they are in the memory of the region

const notInMemory =
  'This node does not have the copy in memory: another node has read it, another contract was read since, or the ' +
  'region was restarted. Read the source again; of several nodes, use the address of one for both calls.';

const notRead = (host: string, why: string): Fault => new Fault('refused', `${host} can't be read: ${why}.`);

function countsOf({ items, buckets }: SeedPlan): CopyContents['counts'] {
  const counts = new Map<string, number>();
  const add = (kind: string, count: number): void => void counts.set(kind, (counts.get(kind) ?? 0) + count);
  for (const { section, entities } of items) {
    add(section.resource.name, 1);
    for (const [name, list] of Object.entries(entities)) {
      add(entitySection(section, name)?.resource.name ?? name, (list as { items: object[] }).items.length);
    }
  }
  if (buckets.length > 0) add('bucket', buckets.length);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

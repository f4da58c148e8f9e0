// A copy of another region chooses ids. Networks and machines of all contracts are named by the ids of their
// datacenters and servers, so a copy can't use the id of another contract's.
import { takenId } from '../core/operation/draft.ts';
import type { DecisionContext, Draft } from '../core/resource.ts';
import type { ComputeTools } from './tools.ts';

export async function demandUnusedId(draft: Draft, { store, tools }: DecisionContext<ComputeTools>): Promise<void> {
  const { caller, id } = draft;
  if (!caller.copies) return;
  for (const contract of await tools.contracts())
    for await (const datacenter of store.each({ contract, place: 'datacenters' }))
      if (datacenter.id === id || (await store.get(contract, `datacenters/${datacenter.id}/servers`, id)))
        throw takenId(draft);
}

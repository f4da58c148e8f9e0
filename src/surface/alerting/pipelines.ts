// What rules can belong to in a product: one of its pipelines, or the central one of a contract.

import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { demandPrivilege, mayEdit, maySee, type Privilege } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { idClaim } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Owned } from '../pipelines/addresses.ts';
import type { PipelineKind } from '../pipelines/key-check.ts';
import type { Regions } from '../product.ts';
import type { AlertPipeline, PipelineFinder } from './source.ts';

export interface PipelineFinderOptions {
  source: string;
  store: Store;
  regions: Pick<Regions, 'all'>;
  kind: PipelineKind;
  centralId(owned: Owned): string;
  privilege: Privilege;
}

export function pipelineFinder(options: PipelineFinderOptions): PipelineFinder {
  const { source, store, regions, kind, centralId, privilege } = options;
  const rowOf = async (contract: number, id: string): Promise<Row | undefined> => {
    const claimed = isUuid(id) ? await store.claimed(idClaim(kind.resource, id)) : undefined;
    const row = claimed?.contract === contract ? await store.at(contract, claimed.path) : undefined;
    return row?.state === 'DELETING' ? undefined : row;
  };
  const plain = (row: Row): AlertPipeline => {
    const { id, contract, region } = kind.factsOf(row);
    return { source, id, contract, region };
  };
  const centralOf = (contract: number, id: string): AlertPipeline | undefined => {
    const region = regions.all.find((one) => centralId({ contract, region: one }) === id);
    return region === undefined ? undefined : { source, id, contract, region };
  };
  return {
    async find(contract, id) {
      const row = await rowOf(contract, id);
      return row ? plain(row) : centralOf(contract, id);
    },
    async see(x, text, changes) {
      demandPrivilege(x.who, privilege);
      const { contract } = x.who;
      const id = text.toLowerCase();
      const row = await rowOf(contract, id);
      const found = row ? plain(row) : centralOf(contract, id);
      if (!found || (row && !maySee(x.who, row))) throw missingResource({ name: 'pipeline' }, id);
      if (x.region !== undefined && x.region !== found.region) throw missingResource({ name: 'pipeline' }, id);
      if (changes && row && !mayEdit(x.who, row))
        throw new Fault('forbidden', 'You may see this pipeline but not change it.');
      if (row) x.rows = [row];
      return found;
    },
  };
}

// What rules can belong to: a pipeline, or the central monitoring of a contract.
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { demandPrivilege, mayEdit, maySee } from '../../core/access.ts';
import { idClaim } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Regions } from '../../surface/product.ts';
import { missing } from '../../surface/regional-dialect/find.ts';
import { centralId } from '../central.ts';
import { metricPipelines, pipeline, privilege } from '../pipeline.ts';
import type { AlertPipeline } from './alert-rows.ts';
import type { PipelinePort } from './ports.ts';

export function pipelinePort(store: Store, regions: Pick<Regions, 'all'>): PipelinePort {
  const rowOf = async (contract: number, id: string): Promise<Row | undefined> => {
    const claimed = isUuid(id) ? await store.claimed(idClaim(pipeline, id)) : undefined;
    const row = claimed?.contract === contract ? await store.at(contract, claimed.path) : undefined;
    return row?.state === 'DELETING' ? undefined : row;
  };
  const centralOf = (contract: number, id: string): AlertPipeline | undefined => {
    const region = regions.all.find((one) => centralId({ contract, region: one }) === id);
    return region === undefined ? undefined : { id, contract, region };
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
      if (!found || (row && !maySee(x.who, row))) throw missing();
      if (x.region !== undefined && x.region !== found.region) throw missing();
      if (changes && row && !mayEdit(x.who, row))
        throw new Fault('forbidden', 'You may see this pipeline but not change it.');
      if (row) x.rows = [row];
      return found;
    },
  };
}

const plain = (row: Row): AlertPipeline => {
  const { id, contract, region } = metricPipelines.factsOf(row);
  return { id, contract, region };
};

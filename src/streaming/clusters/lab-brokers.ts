// The brokers of a cluster as the lab stops and starts them.
import { Fault } from '../../base/fault.ts';
import { idClaim } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { LabBrokers } from '../../surface/ports.ts';
import type { SingleBrokers, StreamingEngine } from '../engine/engine.ts';
import { addressesOf, cluster, hiddenOf } from './cluster.ts';
import { everyCluster } from './cluster-rows.ts';

export interface LabBrokersOptions {
  store: Store;
  engine: StreamingEngine;
  elsewhere(): Promise<string | undefined>; // the address of the node that has the brokers, where that is another one
}

export function brokerLab({ store, engine, elsewhere }: LabBrokersOptions): LabBrokers {
  const single = async (): Promise<SingleBrokers> => {
    if ((await elsewhere()) !== undefined)
      throw new Fault('unavailable', 'The brokers of this region run on another node: ask that one.');
    if (engine.brokers) return engine.brokers;
    throw new Fault('refused', 'Brokers of Apache Kafka are processes of their own: kill one instead.');
  };
  return {
    // By its id, or by a name that is unique in the contract.
    async find(contract, name) {
      const claimed = await store.claimed(idClaim(cluster, name));
      if (claimed) return claimed.contract === contract ? store.at(contract, claimed.path) : undefined;
      const named: Row[] = [];
      for await (const row of everyCluster(store))
        if (row.contract === contract && (JSON.parse(row.body) as { name: string }).name === name) named.push(row);
      return named.length === 1 ? named[0] : undefined;
    },
    async look(row) {
      const addresses = addressesOf(hiddenOf(row).brokers);
      const brokers = (await (await single()).list(row.id)).map(({ id, isServing, leads }) => ({
        id,
        address: addresses[id - 1] ?? '',
        serving: isServing,
        leads,
      }));
      return { id: row.id, brokers };
    },
    async setServing(row, brokerId, serving) {
      if (!hiddenOf(row).brokers.some(({ id }) => id === brokerId))
        throw new Fault('missing', `The cluster has no broker ${brokerId}.`);
      await (await single()).setServing(row.id, brokerId, serving);
    },
  };
}

// Stops and starts single brokers of a cluster for the lab.
import { Fault } from '../../base/fault.ts';
import type { EngineHome } from '../../core/nodes/engine-home.ts';
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
  home: EngineHome;
}

export function brokerLab({ store, engine, home }: LabBrokersOptions): LabBrokers {
  const single = async (): Promise<SingleBrokers> => {
    await home.demandHere(); // commands on this machine are not forwarded
    if (engine.brokers) return engine.brokers;
    throw new Fault('refused', 'Brokers of Apache Kafka are separate processes. Kill the process of a broker instead.');
  };
  return {
    home,
    // Finds a cluster by its id, or by a name that is unique in the contract.
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

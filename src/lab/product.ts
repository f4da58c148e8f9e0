// The lab as a product. Where its routes are switched off, a node still follows the clock and the faults that another
// node has set.
import {
  contracts,
  labBrokers,
  labGroups,
  labMachines,
  labTraffic,
  type Ports,
  regionProcess,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { followLab, labService } from './index.ts';

export interface LabSettings {
  isServed: boolean;
}

export function openLab(context: Context, ports: Ports, { isServed }: LabSettings): Product {
  const { store, log } = context;
  store.engine.watch('lab', () => followLab(context, log));
  return {
    name: 'lab',
    resources: [],
    services: () => (isServed ? [labService({ ...context, ...labPorts(ports) })] : []),
  };
}

const labPorts = (ports: Ports) => ({
  machines: ports.use(labMachines),
  traffic: ports.use(labTraffic),
  groups: ports.use(labGroups),
  own: ports.find(regionProcess),
  brokers: ports.use(labBrokers),
  firstContract: ports.use(contracts).first,
});

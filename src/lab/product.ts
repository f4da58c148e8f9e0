// The lab as a product. If its routes are switched off, a node still follows the clock and the faults that another
// node has set.
import { operatorLab } from '../surface/operator.ts';
import {
  consoleParts,
  contracts,
  labBrokers,
  labGroups,
  labMachines,
  labTraffic,
  type Ports,
  regionProcess,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { ownParts } from './console-parts.ts';
import { followLab, labService } from './index.ts';
import { operatorLabOf } from './operator.ts';
import type { LabSettings } from './settings.ts';

export function openLab(context: Context, ports: Ports, { isServed }: LabSettings): Product {
  ports.add(consoleParts, ownParts);
  const { store, log } = context;
  store.engine.watch('lab', () => followLab(context, log));
  ports.fill(operatorLab, operatorLabOf(context, ports, isServed));
  return {
    resources: [],
    services: () => (isServed ? [labService({ ...context, ...labPorts(ports) })] : []),
  };
}

const labPorts = (ports: Ports) => ({
  machines: ports.use(labMachines),
  traffic: ports.use(labTraffic),
  groups: ports.find(labGroups),
  own: ports.find(regionProcess),
  brokers: ports.find(labBrokers),
  firstContract: ports.use(contracts).first,
});

// The lab as the platform sees it. Where its service is switched off, what another node has moved or planted is
// followed all the same.
import { labMachines, labTraffic, type Ports } from '../surface/ports.ts';
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
    services: () =>
      isServed ? [labService({ ...context, machines: ports.use(labMachines), traffic: ports.use(labTraffic) })] : [],
  };
}

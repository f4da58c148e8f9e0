// Core infrastructure as the platform sees it: datacenters and what stands in them, on engines for machines, disks
// and the network.
import { randomText } from '../base/ids.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import {
  buckets,
  contractLimits,
  labMachines,
  labTraffic,
  type ObjectWriter,
  objectWriter,
  ownNumbers,
  type Ports,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { FlowCapture } from './flow-log/capture.ts';
import { flowLogPublisher } from './flow-log/publisher.ts';
import { computeResources, computeRoutes, computeTools, operationGroups } from './index.ts';
import { machineLab } from './machine/lab.ts';
import { SimulatedDisks } from './machine/simulated-disks.ts';
import { SimulatedMachines } from './machine/simulated-machines.ts';
import { machineMetrics } from './machine/usage-metrics.ts';
import { trafficLab } from './network/lab.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';
import { regionRanges } from './network/traffic.ts';
import { machineIn } from './server/server-machine.ts';

export interface ComputeSettings {
  holdMs: number; // how long a request's status waits for its end
}

export async function openCompute(context: Context, ports: Ports, settings: ComputeSettings): Promise<Product> {
  const { store, model, clock, secrets, waiters } = context;
  const machines = new SimulatedMachines(clock.now);
  const disks = new SimulatedDisks(await secrets.kept('disks', () => randomText(32)));
  const network = new SimulatedNetwork({ now: clock.now, ranges: regionRanges });
  const screens = { machines, now: clock.now, key: await secrets.kept('screens', () => randomText(32)) };
  ports.fill(labMachines, machineLab(store, machines, machineIn));
  const writer = (): ObjectWriter | undefined => ports.find(objectWriter);
  const capture = new FlowCapture(store);
  // Without object storage nothing is captured: nobody could ever read it.
  ports.fill(
    labTraffic,
    trafficLab(store, network, { now: clock.now, capture: () => (writer() ? capture : undefined) }),
  );
  ports.add(ownNumbers, machineMetrics(store, machines, machineIn));
  const tools = computeTools(store, {
    limits: (contract) => ports.use(contractLimits).limits(contract),
    // Without object storage every name will do.
    buckets: {
      exists: async (contract, name) => (await ports.find(buckets)?.exists(contract, name)) ?? true,
      canWrite: async (contract, name) => (await writer()?.canWrite(contract, name)) ?? true,
    },
    machines,
    disks,
  });
  const resources = model.add(computeResources, tools);
  return {
    name: 'compute',
    resources,
    services: () => [
      {
        name: 'cloudapi',
        title: 'Core infrastructure',
        version: '6.0',
        description: 'Datacenters and everything in them, users and groups, requests.',
        prefixes: ['/cloudapi/v6'],
        hosts: ['api'],
        takesBasic: true,
        notBuilt: { k8s: 'Managed Kubernetes' },
        groups: operationGroups,
        routes: [
          ...routesOf(context, resources),
          ...computeRoutes(context, { disks, screens }, { store, waiters, holdMs: settings.holdMs }),
        ],
        renderFault: (fault) => renderPlatformFault(fault),
      },
    ],
    reconcilers: [flowLogPublisher({ ...context, writer })],
    close: () => network.close(),
  };
}

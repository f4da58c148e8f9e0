// Core infrastructure as the platform sees it: datacenters and what stands in them, on engines for machines, disks
// and the network.
import { randomText } from '../base/ids.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import {
  addressOwner,
  buckets,
  contractLimits,
  heldCertificates,
  labMachines,
  labTraffic,
  type ObjectWriter,
  objectWriter,
  ownLogs,
  ownNumbers,
  type Ports,
  replicaServers,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { BalancerAccess } from './balancing/access-lines.ts';
import { FlowCapture } from './flow-log/capture.ts';
import { flowLogPublisher } from './flow-log/publisher.ts';
import { computeResources, computeRoutes, computeTools, operationGroups } from './index.ts';
import { consoleLog } from './machine/console-log.ts';
import { machineLab } from './machine/lab.ts';
import { MachineMeter } from './machine/meter.ts';
import { trafficRetention } from './machine/received-traffic.ts';
import { SimulatedDisks } from './machine/simulated-disks.ts';
import { SimulatedMachines } from './machine/simulated-machines.ts';
import { machineMetrics } from './machine/usage-metrics.ts';
import { trafficLab } from './network/lab.ts';
import { ownerOf } from './network/packet-scope.ts';
import { reachabilityService } from './network/reachability.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';
import { regionRanges, Traffic } from './network/traffic.ts';
import { replicasOf } from './server/replica-servers.ts';
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
  const meter = new MachineMeter(store, machines, machineIn);
  ports.fill(labMachines, machineLab(store, machines, meter, machineIn));
  ports.fill(replicaServers, replicasOf(context, meter));
  const writer = (): ObjectWriter | undefined => ports.find(objectWriter);
  const capture = new FlowCapture(store);
  const balancers = new BalancerAccess(store, clock.now);
  // Without object storage nothing is captured: nobody could ever read it.
  const capturing = (): FlowCapture | undefined => (writer() ? capture : undefined);
  const traffic = new Traffic(store, network, { now: clock.now, capture: capturing, balancers });
  ports.fill(labTraffic, trafficLab(store, traffic));
  ports.fill(addressOwner, (ip) => ownerOf(store, ip));
  ports.add(ownNumbers, machineMetrics(store, meter));
  ports.add(ownLogs, consoleLog(store, machines, machineIn));
  ports.add(ownLogs, balancers);
  const tools = computeTools(store, {
    limits: (contract) => ports.use(contractLimits).limits(contract),
    // Without object storage every name will do.
    buckets: {
      exists: async (caller, name) => (await ports.find(buckets)?.exists(caller, name)) ?? true,
      canWrite: async (contract, name) => (await writer()?.canWrite(contract, name)) ?? true,
    },
    certificate: async (contract, id) => ports.find(heldCertificates)?.find(contract, id),
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
      reachabilityService(traffic),
    ],
    reconcilers: [flowLogPublisher({ ...context, writer }), trafficRetention(store)],
    close: () => network.close(),
  };
}

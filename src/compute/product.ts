// Core infrastructure as the platform sees it: datacenters and their resources, on engines for machines, disks and the
// network.
import { randomHex, randomText } from '../base/ids.ts';
import { opener } from '../core/engines/engine-table.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import {
  addressOwner,
  advertisedBrokers,
  buckets,
  consoleParts,
  consoleRoutes,
  contractLabels,
  contractLimits,
  contracts,
  heldCertificates,
  labMachines,
  labTraffic,
  logSources,
  machineEngine,
  metricSources,
  type ObjectWriter,
  objectWriter,
  type Ports,
  regionProcess,
  replicaServers,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { machinesFolder } from '../surface/stored-disks.ts';
import { BalancerAccess } from './balancing/access-lines.ts';
import { ownParts } from './console-parts.ts';
import { FlowCapture } from './flow-log/capture.ts';
import { flowLogPublisher } from './flow-log/publisher.ts';
import { computeResources, computeRoutes, computeTools, operationGroups } from './index.ts';
import { labelsOf } from './label.ts';
import { demandEngine } from './machine/chosen-engine.ts';
import { consoleLog } from './machine/console-log.ts';
import { abilityTable, type Engines } from './machine/engines.ts';
import { engineCallService, type HomedTools, homedEngines } from './machine/homed-engines.ts';
import { machineLab } from './machine/lab.ts';
import { MachineUpkeep } from './machine/machine-upkeep.ts';
import { MachineMeter } from './machine/meter.ts';
import { trafficRetention } from './machine/received-traffic.ts';
import { machineMetrics } from './machine/usage-metrics.ts';
import { machineEngines } from './machine-engines.ts';
import { BalancerMetrics } from './network/balancer-metrics.ts';
import { trafficLab } from './network/lab.ts';
import { liveTrafficRoute } from './network/live-traffic.ts';
import { NetworkUpkeep } from './network/network-upkeep.ts';
import { ownerOf } from './network/packet-scope.ts';
import { reachabilityService } from './network/reachability.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';
import { regionRanges, Traffic } from './network/traffic.ts';
import { machineTurn } from './server/machine-steps.ts';
import { replicasOf } from './server/replica-servers.ts';
import { machineIn } from './server/server-machine.ts';
import type { ComputeSettings } from './settings.ts';

export async function openCompute(context: Context, ports: Ports, settings: ComputeSettings): Promise<Product> {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, secrets, waiters, log } = context;
  const own = await enginesOf(context, settings, () => ports.find(advertisedBrokers));
  const isReal = own.machines.abilities.realTime;
  const isShared = !isReal;
  const home = context.homes.add({
    ...{ name: 'machines', data: 'machines', isShared, takes: settings.takesMachines },
    remedy: 'Start that node, or replace it: start a node that reaches its machine engine with --machines-here.',
  });
  const inTurn: HomedTools['inTurn'] = (id, work) => store.runExclusive(machineTurn(id), work);
  const homedTools = { home, seal: secrets.seal, real: clock.real, inTurn };
  const engines = homedEngines(own, homedTools);
  const { machines, disks } = engines;
  const upkeep = new MachineUpkeep({
    ...{ store, model, home, machineIn, log },
    engines: own,
    turnOf: machineTurn,
    now: clock.now,
  });
  ports.fill(machineEngine, { title: engines.title, isReal, abilities: abilityTable(machines.abilities) });
  const network = new SimulatedNetwork({ now: clock.now, ranges: regionRanges });
  const screens = { machines, now: clock.now, key: await secrets.kept('screens', () => randomText(32)) };
  const meter = new MachineMeter(store, machines, machineIn);
  ports.fill(labMachines, machineLab(store, machines, meter, machineIn));
  ports.fill(replicaServers, replicasOf(context, meter, machines));
  const writer = (): ObjectWriter | undefined => ports.find(objectWriter);
  const capture = new FlowCapture(store);
  const balancers = new BalancerAccess(store, clock.now);
  // Without object storage nothing is captured, because the flows could never be read.
  const capturing = (): FlowCapture | undefined => (writer() ? capture : undefined);
  const balancerMetrics = new BalancerMetrics(store, clock.now);
  const networks =
    own.network &&
    new NetworkUpkeep({
      ...{ store, home, log, network: own.network, ranges: regionRanges },
      ...{ now: clock.now, capture: capturing, balancers: balancerMetrics },
      ...{ accessLog: balancers, clockOffset: clock.offset },
      contracts: () => ports.use(contracts).numbers(),
      certificate: async (contract, id) => ports.find(heldCertificates)?.pem(contract, id),
    });
  const traffic = new Traffic(store, network, { now: clock.now, capture: capturing, balancers }, engines.network);
  ports.fill(labTraffic, trafficLab(store, traffic));
  ports.add(consoleRoutes, liveTrafficRoute({ store, traffic, network: own.network, home, real: clock.real }));
  ports.fill(contractLabels, { of: (contract) => labelsOf(store, contract) });
  ports.fill(addressOwner, (ip) => ownerOf(store, ip));
  ports.add(metricSources, machineMetrics(store, meter));
  if (networks) ports.add(metricSources, balancerMetrics.source);
  ports.add(logSources, consoleLog(store, machines, machineIn));
  ports.add(logSources, balancers);
  const tools = computeTools(store, {
    contracts: () => ports.use(contracts).numbers(),
    limits: (contract) => ports.use(contractLimits).limits(contract),
    // Without object storage every name is accepted.
    buckets: {
      exists: async (caller, name) => (await ports.find(buckets)?.exists(caller, name)) ?? true,
      canWrite: async (contract, name) => (await writer()?.canWrite(contract, name)) ?? true,
    },
    certificate: async (contract, id) => ports.find(heldCertificates)?.find(contract, id),
    certificatePem: async (contract, id) => ports.find(heldCertificates)?.pem(contract, id),
    machines,
    disks,
  });
  const resources = model.add(computeResources, tools);
  return {
    resources,
    services: () => [
      {
        name: 'cloudapi',
        title: 'Core infrastructure',
        version: '6.0',
        description: 'Datacenters and their resources, users and groups, requests.',
        prefixes: ['/cloudapi/v6'],
        hosts: ['api'],
        restApiPage: 'cloud',
        takesBasic: true,
        notBuilt: { k8s: 'Managed Kubernetes' },
        groups: operationGroups,
        routes: [
          ...routesOf(context, resources),
          ...computeRoutes(context, { disks, screens, home }, { store, waiters, holdMs: context.holdMs }),
        ],
        renderFault: (fault) => renderPlatformFault(fault),
      },
      reachabilityService(traffic),
      ...(home.isShared ? [] : [engineCallService(own, homedTools)]),
    ],
    figures: networks ? [balancerMetrics.figures] : [],
    reconcilers: [
      flowLogPublisher({ ...context, writer }),
      trafficRetention(store),
      ...(isReal ? [upkeep.reconciler] : []),
      ...(networks?.reconcilers ?? []),
    ],
    start: async () => {
      if (!isReal) return;
      if (home.isHere && own.absence) throw own.absence;
      if (home.isHere) await secrets.save(engineFacts, own.facts ?? '');
      await upkeep.start();
      networks?.start();
    },
    close: async () => {
      await network.close();
      upkeep.close();
      await networks?.close();
      if (home.isHere && !ports.find(regionProcess)?.keepsMachines?.()) {
        await own.halt(haltMs);
        await own.network?.remove(regionRanges);
      }
      await machines.close?.();
    },
  };
}

const engineFacts = 'machine-engine-facts';
const haltMs = 10_000; // for the systems of machines to shut down, when the region stops

async function enginesOf(
  { store, secrets, clock, log, dataFolder, authority, addresses }: Context,
  settings: ComputeSettings,
  brokers: () => { host: string; port: number } | undefined,
): Promise<Engines> {
  await demandEngine(store, secrets, settings.engine, dataFolder);
  const open = opener(machineEngines, settings.engine);
  return open({
    settings,
    region: () => secrets.kept('machine-region', () => randomHex(6)),
    key: await secrets.kept('disks', () => randomText(32)),
    services: {
      domains: addresses.domains,
      certificate: authority.certificate,
      brokers,
      place: (port) => {
        if (port !== 80 && port !== 443) return { host: '127.0.0.1', port };
        const { hostname, port: plain } = new URL(addresses.gateway());
        return { host: hostname.replace(/^\[|\]$/g, ''), port: port === 443 ? addresses.securePort() : Number(plain) };
      },
    },
    seal: secrets.seal,
    folder: machinesFolder(dataFolder),
    facts: store.engine.exclusive ? undefined : await secrets.load(engineFacts),
    now: clock.now,
    real: clock.real,
    log,
  });
}

// The table of contents: config → state → products → listeners. Products never import each other; what one needs of
// another comes by a port.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { openActivity } from './activity/product.ts';
import { openAgent } from './agent/product.ts';
import { openAutoscaling } from './autoscaling/product.ts';
import { machineTime } from './base/clock.ts';
import { watchRoom } from './base/free-space.ts';
import { folderDamage } from './base/held-folders.ts';
import type { Log } from './base/log.ts';
import { openBilling } from './billing/product.ts';
import { openCertificates } from './certificates/product.ts';
import { catalogue, loadCatalogue } from './compute/catalogue/catalogue.ts';
import { openCompute } from './compute/product.ts';
import type { Config } from './config/sections.ts';
import { openConsole } from './console/product.ts';
import { openContext } from './context.ts';
import { nodeFigures } from './core/nodes/node.ts';
import { operationFigures } from './core/operation/runner.ts';
import type { StateEngine } from './core/state/engine.ts';
import { stateFigures } from './core/state/figures.ts';
import { openState } from './core/state/open.ts';
import { openDns } from './dns/product.ts';
import { openFront, servicesOf } from './front.ts';
import { type FirstOwner, firstOwner } from './identity/accounts/first-owner.ts';
import { openIdentity, operatorTokens } from './identity/product.ts';
import type { TokenTools } from './identity/tokens/token.ts';
import { openInference } from './inference/product.ts';
import { openLab } from './lab/product.ts';
import { openLogging } from './logging/product.ts';
import { openMonitoring } from './monitoring/product.ts';
import { openObjects } from './objects/product.ts';
import { openStreaming } from './streaming/product.ts';
import type { Service } from './surface/http/exchange.ts';
import type { Gateway } from './surface/http/gateway.ts';
import { connectionFigures, type Listening } from './surface/http/listener.ts';
import { RequestFeed } from './surface/http/request-feed.ts';
import type { Metrics } from './surface/metrics.ts';
import {
  type LabBrokers,
  type LabGroups,
  type LabMachines,
  type LabTraffic,
  labBrokers,
  labGroups,
  labMachines,
  labTraffic,
  type ObjectBytes,
  objectBytes,
  Ports,
  type RegionProcess,
  regionProcess,
} from './surface/ports.ts';
import { openMetrics } from './surface/process-figures.ts';
import type { Context, OpenProduct, Product } from './surface/product.ts';

// In the order of the API pages. Each is handed its own settings.
const productsOf = (config: Config, documented: () => readonly Service[]): OpenProduct[] => [
  (context, ports) => openConsole(context, ports, documented),
  (context, ports) => openCompute(context, ports, config.operations),
  openAutoscaling,
  openIdentity,
  openActivity,
  (context, ports) => openMonitoring(context, ports, config.monitoring),
  (context, ports) => openLogging(context, ports, config.logging),
  (context, ports) => openObjects(context, ports, config.objects),
  (context, ports) => openDns(context, ports, { ...config.dns, host: config.gateway.host }),
  (context, ports) => openCertificates(context, ports, config.certificates),
  (context, ports) => openBilling(context, ports, config.billing),
  (context, ports) => openStreaming(context, ports, config.streaming),
  (context) => openInference(context, config.inference),
  openAgent,
  (context, ports) => openLab(context, ports, config.lab),
];

export interface Region extends Context {
  config: Config;
  gateway: Gateway;
  tokens: TokenTools;
  objects: ObjectBytes; // the same
  lab: { machines: LabMachines; traffic: LabTraffic; groups: LabGroups; brokers: LabBrokers }; // for the operator
  owner: FirstOwner | undefined; // on the first start only
  services: readonly Service[];
  listening: readonly Listening[];
  feed: RequestFeed;
  // Calls and operations that are under way have so long to end; absent: the usual time.
  stop(graceMs?: number): Promise<void>;
}

export async function startPlatform(
  config: Config,
  version: string,
  ownerPassword: string | undefined,
  log: Log,
  metrics = openMetrics(version),
  feed = new RequestFeed(),
  own?: RegionProcess,
): Promise<Region> {
  loadCatalogue(config.compute.catalogue);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const engine = await openState(config.state, machineTime);
  try {
    return await assemble(config, version, ownerPassword, log, metrics, feed, own, engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function assemble(
  config: Config,
  version: string,
  ownerPassword: string | undefined,
  log: Log,
  metrics: Metrics,
  feed: RequestFeed,
  own: RegionProcess | undefined,
  engine: StateEngine,
): Promise<Region> {
  const ports = new Ports();
  if (own) ports.fill(regionProcess, own);
  let opened: Gateway | undefined; // known before anybody can ask
  let documented: readonly Service[] = [];
  let ready = false;
  const regions = { all: catalogue.regions, home: catalogue.defaultRegion };
  const context = await openContext({ config, version, log, engine, regions, ports, gateway: () => opened });
  const { store, clock, runner, node, reconcilers } = context;

  const products: Product[] = [];
  for (const open of productsOf(config, () => documented)) products.push(await open(context, ports));
  const damaged = damageOf(config.data, products); // before an engine is opened and creates a missing file again
  for (const damage of damaged) log.error('damaged data', { damage });
  const fullFolder = watchRoom(foldersOf(config));
  const unready = (): string | undefined =>
    ready
      ? (own?.unready?.() ?? troubleOf(context, fullFolder) ?? damageText(damaged))
      : 'The region is starting or stopping.';
  const services = servicesOf(products);
  const listeners = products.flatMap((product) => product.listeners ?? []);
  const hint = hintOf(config);
  const front = await openFront({ config, context, ports, metrics, feed, services, listeners, hint, unready });
  const { gateway } = front;
  opened = gateway;
  documented = front.documented;
  for (const product of products) {
    await product.start?.();
    for (const reconciler of product.reconcilers ?? []) reconcilers.add(reconciler);
    for (const source of product.figures ?? []) metrics.add(source);
  }
  metrics.add({ of: 'cumulet_connections', table: connectionFigures, read: () => gateway.figures() });
  metrics.add({ of: 'cumulet_operations', table: operationFigures, read: () => runner.figures() });
  metrics.add({ of: 'cumulet_state', table: stateFigures, read: () => engine.figures() });
  metrics.add({ of: 'cumulet_nodes', table: nodeFigures, read: () => node.figures() });
  // Not before the ports are ours: whoever has to start again shall still be shown the account.
  const { contract, ownerEmail: email } = config.identity;
  const first = { contract, email, password: ownerPassword, folder: config.data };
  const owner = await firstOwner(store, first, clock.now());
  await node.join(runner);
  reconcilers.start();
  ready = true;

  const stop = async (graceMs = 5000): Promise<void> => {
    ready = false;
    for (const product of products) product.leave?.();
    await eachInTurn(log, [
      // With others to go to, nobody's connection is closed under a call that is just being sent.
      ['connections', () => front.close({ politeMs: engine.exclusive ? 0 : 1000, graceMs })],
      ['operations', () => runner.drain(engine.exclusive ? graceMs : 1000)], // others can go on with it
      ['the other nodes', () => node.leave()],
      ['metrics', () => metrics.settle()],
      ['reconcilers', () => reconcilers.stop()],
      ...products.toReversed().map(({ name, close }): Step => [name, async () => close?.()]),
      ['the state', () => engine.close()],
    ]);
  };
  const tokens = ports.use(operatorTokens);
  const lab = {
    machines: ports.use(labMachines),
    traffic: ports.use(labTraffic),
    groups: ports.use(labGroups),
    brokers: ports.use(labBrokers),
  };
  return {
    ...context,
    config,
    gateway,
    tokens,
    lab,
    objects: ports.use(objectBytes),
    owner,
    services: documented,
    listening: front.listening,
    feed,
    stop,
  };
}

type Step = [name: string, run: () => Promise<unknown>];

const slowStopMs = 5000;

// One that fails, as on a full disk, keeps none of the others from its turn. The first failure is thrown at the end.
async function eachInTurn(log: Log, steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = [];
  for (const [name, run] of steps) {
    const slow = setTimeout(() => log.warn('still stopping', { waitsFor: name }), slowStopMs).unref();
    await run().catch((error: unknown) => failures.push(error));
    clearTimeout(slow);
  }
  if (failures.length > 0) throw failures[0];
}

function troubleOf({ store, node }: Context, fullFolder: () => string | undefined): string | undefined {
  const { connected, damaged, full } = store.engine.figures();
  if (damaged === 1) return 'A part of the state can not be read, and nothing is changed any more: restore a copy.';
  if (connected === 0 || !node.isHeard) return 'The state does not answer.';
  if (full === 1 || fullFolder() !== undefined)
    return 'The disk that holds the data folder is full, and changes are refused: make room on it.';
  return undefined;
}

function damageOf(data: string, products: readonly Product[]): string[] {
  return [...folderDamage(data), ...products.flatMap((product) => product.damage?.() ?? [])];
}

function damageText([first, ...others]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `Stored data are damaged: ${first}${more}. Run \`state check\` to list all damage, then restore a backup.`;
}

// The folders that the region writes to.
const foldersOf = ({ data, state }: Config): string[] =>
  state.startsWith('sqlite:') ? [data, state.slice('sqlite:'.length)] : [data];

// For whoever sits at this machine; nobody else is told where things lie.
const hintOf = ({ data, gateway: { host, publicUrl } }: Config): string =>
  host === '127.0.0.1' && publicUrl === undefined && data !== resolve('data') ? ` --data '${data}'` : '';

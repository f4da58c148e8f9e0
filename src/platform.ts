// The table of contents: config → state → products → listeners. Products never import each other; what one needs of
// another comes by a port.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machineTime } from './base/clock.ts';
import { spaceOf, watchRoom } from './base/free-space.ts';
import { folderDamage } from './base/held-folders.ts';
import type { Log } from './base/log.ts';
import { catalogue, loadCatalogue } from './compute/catalogue/catalogue.ts';
import type { Config } from './config/sections.ts';
import { openContext } from './context.ts';
import { type Figures, gauge } from './core/figures.ts';
import { nodeFigures } from './core/nodes/node.ts';
import { operationFigures } from './core/operation/runner.ts';
import type { StateEngine } from './core/state/engine.ts';
import { stateFigures } from './core/state/figures.ts';
import { openState } from './core/state/open.ts';
import { traceFigures } from './core/tracing/exporter.ts';
import { openFront, servicesOf } from './front.ts';
import { type FirstOwner, firstOwner } from './identity/accounts/first-owner.ts';
import { products as allProducts } from './products.ts';
import type { Service } from './surface/http/exchange.ts';
import type { Gateway } from './surface/http/gateway.ts';
import { connectionFigures, type Listening } from './surface/http/listener.ts';
import { RequestFeed } from './surface/http/request-feed.ts';
import type { Metrics } from './surface/metrics.ts';
import { Ports, type RegionProcess, regionProcess } from './surface/ports.ts';
import { openMetrics } from './surface/process-figures.ts';
import type { Context, Declaration, Product } from './surface/product.ts';

export interface Region extends Context {
  config: Config;
  gateway: Gateway;
  ports: Ports;
  owner: FirstOwner | undefined; // on the first start only
  listening: readonly Listening[];
  feed: RequestFeed;
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  drainMs?: number | undefined; // new calls are still served for so long; /ready is 503 already
  graceMs?: number | undefined; // that running calls and operations have to end
  streamsMs?: number; // that generated streams have to end
  onClosed?: () => Promise<void>; // called when the ports are closed
}

export interface PlatformOptions {
  version: string;
  ownerPassword?: string | undefined; // of the first contract, on the first start
  log: Log;
  metrics?: Metrics;
  feed?: RequestFeed;
  own?: RegionProcess;
  products?: readonly Declaration[]; // all unless given
}

export async function startPlatform(config: Config, options: PlatformOptions): Promise<Region> {
  loadCatalogue(config.catalogue);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const engine = await openState(config.state, machineTime);
  try {
    return await assemble(config, options, engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function assemble(config: Config, options: PlatformOptions, engine: StateEngine): Promise<Region> {
  const { version, ownerPassword, log, own, products: declarations = allProducts } = options;
  const { metrics = openMetrics(version), feed = new RequestFeed() } = options;
  const ports = new Ports();
  if (own) ports.fill(regionProcess, own);
  let opened: Gateway | undefined; // known before anybody can ask
  let documented: readonly Service[] = [];
  let ready = false;
  const regions = { all: catalogue.regions, home: catalogue.defaultRegion };
  const domains = declarations.flatMap((product) => product.domains ?? []);
  const seen = { gateway: () => opened, services: () => documented };
  const context = await openContext({ config, version, log, engine, regions, ports, domains, ...seen });
  const { store, clock, runner, node, reconcilers, spans } = context;

  const names = new Map<Product, string>();
  for (const { name, open } of declarations) names.set(await open(context, ports, config.products[name] ?? {}), name);
  const products = [...names.keys()];
  await context.homes.demandSameEngines(log);
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
  await context.homes.settle(context.addresses.node());
  reconcilers.add(context.homes.reconciler());
  for (const product of products) {
    await product.start?.();
    for (const reconciler of product.reconcilers ?? []) reconcilers.add(reconciler);
    for (const source of product.figures ?? []) metrics.add(source);
  }
  metrics.add({ of: 'cumulet_node', table: healthFigures, read: () => healthOf(config.data, unready() === undefined) });
  metrics.add({ of: 'cumulet_connections', table: connectionFigures, read: () => gateway.figures() });
  metrics.add({ of: 'cumulet_operations', table: operationFigures, read: () => runner.figures() });
  metrics.add({ of: 'cumulet_state', table: stateFigures, read: () => engine.figures() });
  metrics.add({ of: 'cumulet_nodes', table: nodeFigures, read: () => node.figures() });
  if (spans) metrics.add({ of: 'cumulet_traces', table: traceFigures, read: () => spans.figures() });
  // Only after the ports are open: a user who has to start again must still be shown the account.
  const { contract, ownerEmail: email } = config.identity;
  const first = { contract, email, password: ownerPassword, folder: config.data };
  const owner = await firstOwner(store, first, clock.now());
  await node.join(runner);
  reconcilers.start();
  ready = true;

  const stop = async (stopping: StopOptions = {}): Promise<void> => {
    const { drainMs: politeMs = engine.exclusive ? 0 : 1000, graceMs = 5000, streamsMs = 0 } = stopping;
    ready = false;
    await eachInTurn(log, [
      // Clients and balancers get time to move to other nodes, so that no connection is closed during a call.
      [
        'connections',
        async () => {
          const closed = front.close({ politeMs, graceMs });
          await pause(politeMs);
          for (const product of products) product.leave?.(streamsMs);
          await closed;
        },
      ],
      ['ports', async () => stopping.onClosed?.()],
      ['operations', () => runner.drain(engine.exclusive ? graceMs : 1000)], // another node can continue them
      ['traces', async () => spans?.close()],
      ['the other nodes', () => node.leave()],
      ['metrics', () => metrics.settle()],
      ['reconcilers', () => reconcilers.stop()],
      ...products.toReversed().map((one): Step => [names.get(one) ?? '', async () => one.close?.()]),
      ['the state', () => engine.close()],
    ]);
  };
  return {
    ...context,
    config,
    gateway,
    ports,
    owner,
    listening: front.listening,
    feed,
    stop,
  };
}

const healthFigures = {
  ready: gauge('1 if /ready answers 200.'),
  diskFreeBytes: gauge('Free space on the disk of the data folder.'),
  diskBytes: gauge('Size of the disk of the data folder.'),
};

function healthOf(folder: string, isReady: boolean): Figures<typeof healthFigures> {
  const { freeBytes, bytes } = spaceOf(folder);
  return { ready: Number(isReady), diskFreeBytes: freeBytes, diskBytes: bytes };
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

function troubleOf({ store, node, homes }: Context, fullFolder: () => string | undefined): string | undefined {
  const { connected, damaged, full } = store.engine.figures();
  if (damaged === 1) return 'A part of the state can not be read, so changes are refused. Restore a backup.';
  if (connected === 0 || !node.isHeard) return 'The state does not answer.';
  if (full === 1 || fullFolder() !== undefined)
    return 'The disk that holds the data folder is full, so changes are refused. Free space on it.';
  return homes.conflict();
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

// Only a client on this machine may learn the paths of its files.
const hintOf = ({ data, gateway: { host, publicUrl } }: Config): string =>
  host === '127.0.0.1' && publicUrl === undefined && data !== resolve('data') ? ` --data '${data}'` : '';

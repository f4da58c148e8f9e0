// A product is one plain object: what it declares, serves, listens on and looks after. `platform.ts` lists the products
// and runs one loop over them; nothing else knows them all.
import type { CertificatePair } from '../base/certificate.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ReadLog } from '../core/audit/read-log.ts';
import type { FigureSource } from '../core/figures.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import type { Node } from '../core/nodes/node.ts';
import type { PlantedFaults } from '../core/operation/planted-faults.ts';
import type { Waiters } from '../core/operation/request.ts';
import type { Reconciler, Reconcilers } from '../core/reconciler.ts';
import type { RegionSecrets } from '../core/region-secrets.ts';
import type { Resource } from '../core/resource.ts';
import type { Route, Service } from './http/exchange.ts';
import type { Listener } from './http/listener.ts';
import type { Machinery } from './machinery.ts';
import type { Ports } from './ports.ts';

export interface Product {
  name: string;
  resources: readonly Resource[]; // what it has declared in the model
  services(): readonly Service[]; // asked for once, when all products are open
  routes?(): Readonly<Record<string, readonly Route[]>>; // for services of other products, by their names
  listeners?: readonly Listener[]; // on ports of their own
  reconcilers?: readonly Reconciler[];
  figures?: readonly FigureSource[];
  // Damage of files that it opens only when it is used. Every start calls it, so it reads lists and looks whether files
  // exist, and never reads the data itself.
  damage?(): string[];
  start?(): Promise<void>; // when all products are open and the gateway listens
  leave?(): void; // the region is about to stop: ends answers that would never end by themselves
  close?(): Promise<void>;
}

// Settings of its own are handed to it besides, where it has any.
export type OpenProduct = (context: Context, ports: Ports) => Promise<Product> | Product;

// What every product may use. Whatever else it needs of the region is another product's, and comes by a port.
export interface Context extends Machinery {
  version: string;
  dataFolder: string; // a product keeps its files in a folder of its own below it
  clock: Clock;
  log: Log;
  secrets: RegionSecrets;
  authority: CertificatePair; // the region's own CA
  faults: PlantedFaults;
  waiters: Waiters;
  reads: ReadLog;
  node: Node;
  reconcilers: Reconcilers;
  regions: Regions;
  addresses: Addresses;
  engineHome(name: string): EngineHome; // of an embedded data engine that keeps its data in this node's folder
}

export interface Regions {
  all: readonly string[]; // de-txl …
  home: string; // where things are made that name no region
}

// How the gateway is reached. What depends on its ports is known once it listens.
export interface Addresses {
  publicUrl: string | undefined; // how clients elsewhere reach it
  domain: string | undefined; // whose names lead here; absent: none was given
  gateway(): string; // on this machine
  securePort(): number;
  node(): string; // from other nodes of the region
}

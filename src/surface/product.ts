// A product has a declaration, which is known without a region, and one plain object per region: what it serves,
// listens on and runs. `src/products.ts` lists the declarations, and `platform.ts` opens them; nothing else knows all.
import type { CertificatePair } from '../base/certificate.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CommandEntry } from '../command/command.ts';
import type { Section } from '../config/section.ts';
import type { ReadLog } from '../core/audit/read-log.ts';
import type { BodyMemory } from '../core/body-memory.ts';
import type { FigureSource } from '../core/figures.ts';
import type { EngineHomes } from '../core/nodes/engine-homes.ts';
import type { Node } from '../core/nodes/node.ts';
import type { PlantedFaults } from '../core/operation/planted-faults.ts';
import type { Waiters } from '../core/operation/request.ts';
import type { Reconciler, Reconcilers } from '../core/reconciler.ts';
import type { RegionSecrets } from '../core/region-secrets.ts';
import type { Resource } from '../core/resource.ts';
import type { SpanExporter } from '../core/tracing/exporter.ts';
import type { Route, Service } from './http/exchange.ts';
import type { Listener } from './http/listener.ts';
import type { Machinery } from './machinery.ts';
import type { Ports } from './ports.ts';
import type { ProductData } from './product-data.ts';

// Settings: those that only this product reads.
export interface Declaration<Settings extends object = object> {
  name: string;
  domains?: readonly string[]; // of hosts that clients have built in, in addition to the platform's
  labels?: Readonly<Record<string, string>>; // of its services and listeners in the output of `up`; absent: the name
  clientEndpoints?: readonly ClientEndpoint[]; // in the file that `env --config` writes
  settings?: Section<Settings>;
  resources?(): Promise<readonly Resource[]>; // all that it declares, for callers that open no region
  offer?(catalogue?: string): Promise<RegionOffer>; // of every region with this catalogue file, also without one
  data?: ProductData; // what it keeps: for save points, backups, checks and resets
  commands?: readonly CommandEntry[];
  // Loads the product's code: commands that start no region read declarations only.
  open(context: Context, ports: Ports, settings: Settings): Promise<Product>;
}

export interface RegionOffer {
  regions: Regions;
  image(location: string, idOrAlias: string): string | undefined; // the id
  templates: readonly OfferedTemplate[];
}

export interface OfferedTemplate {
  id: string;
  name: string;
  cores: number;
  ram: number; // MB
  storageSize: number; // GB
  storageType: string;
  gpus: readonly unknown[]; // empty: a template of Cubes
}

export interface ClientEndpoint {
  name: string; // of the product in that file
  path: string; // at the gateway
  host?: string; // in front of the platform's domain: `api`, `monitoring.<region>`; absent: the product has others
  isRegional?: true; // one for each region, too
  locations?: readonly string[]; // one for each of these, too
}

export interface Product {
  resources: readonly Resource[]; // what it has declared in the model
  services(): readonly Service[]; // asked for once, when all products are open
  routes?(): Readonly<Record<string, readonly Route[]>>; // for services of other products, by their names
  listeners?: readonly Listener[]; // on their own ports
  reconcilers?: readonly Reconciler[];
  figures?: readonly FigureSource[];
  // Damage of files that it opens only when it is used. Every start calls it, so it reads lists and looks whether files
  // exist, and never reads the data itself.
  damage?(): string[];
  start?(): Promise<void>; // when all products are open and the gateway listens
  // The node stops: ends answers that would never end by themselves now, and long ones before the limit.
  leave?(limitMs: number): void;
  close?(): Promise<void>;
}

// What every product may use. Whatever else it needs of the region is another product's, and comes by a port.
export interface Context extends Machinery {
  version: string;
  dataFolder: string; // a product keeps its files in a folder below it
  clock: Clock;
  log: Log;
  secrets: RegionSecrets;
  authority: CertificatePair; // the region's own CA
  faults: PlantedFaults;
  waiters: Waiters;
  reads: ReadLog;
  bodyMemory: BodyMemory; // for messages that are not calls of a service
  node: Node;
  reconcilers: Reconcilers;
  regions: Regions;
  firstContract: number; // that the first start creates
  services(): readonly Service[]; // of all products, those with API pages; known once the gateway listens
  holdMs: number; // how long a request's status waits for its end
  addresses: Addresses;
  homes: EngineHomes; // of data engines: which node has the data
  spans: SpanExporter | undefined; // absent: traces are not exported
}

export interface Regions {
  all: readonly string[]; // de-txl …
  home: string; // the location of new resources that name no region
}

// How the gateway is reached. What depends on its ports is known once it listens.
export interface Addresses {
  publicUrl: string | undefined; // how clients elsewhere reach it
  host: string; // that listeners bind to
  grafana: string | undefined; // that pipelines name as their dashboard
  domains: readonly string[]; // the platform's, those of products and the region's own
  domain: string | undefined; // whose names lead here; absent: none was given
  gateway(): string; // on this machine
  securePort(): number;
  node(): string; // from other nodes of the region
}

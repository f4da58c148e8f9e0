// The parts of a region that every product uses: the state, the clock, the secrets, the model and the runner of
// operations. This file knows no product.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type CertificatePair, createAuthority } from './base/certificate.ts';
import { createClock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { type Config, defaults } from './config/sections.ts';
import { ReadLog } from './core/audit/read-log.ts';
import { BodyMemory, bodyMemoryLimit } from './core/body-memory.ts';
import { Model } from './core/model.ts';
import { EngineHomes } from './core/nodes/engine-homes.ts';
import { type NameTag, Node } from './core/nodes/node.ts';
import { PlantedFaults } from './core/operation/planted-faults.ts';
import { Waiters } from './core/operation/request.ts';
import { Runner } from './core/operation/runner.ts';
import { RecentCache } from './core/recent-cache.ts';
import { Reconcilers } from './core/reconciler.ts';
import { loadClockOffset } from './core/region-clock.ts';
import { openSecrets } from './core/region-secrets.ts';
import type { StateEngine } from './core/state/engine.ts';
import { Store } from './core/store.ts';
import { SpanExporter } from './core/tracing/exporter.ts';
import { LongAnswers } from './surface/core-dialect/long-answer.ts';
import type { Service } from './surface/http/exchange.ts';
import type { Gateway } from './surface/http/gateway.ts';
import { builtInDomain, certifiedDomains } from './surface/http/host-names.ts';
import { reachable } from './surface/http/listener.ts';
import { PageCache } from './surface/page-cache.ts';
import { contractLimits, type Ports } from './surface/ports.ts';
import type { Context, Regions } from './surface/product.ts';

const mostBusyWaitMs = 2000; // before what is BUSY is refused

export interface ContextOptions {
  config: Config;
  version: string;
  log: Log;
  engine: StateEngine;
  regions: Regions;
  ports: Ports;
  domains: readonly string[]; // of products, in addition to the platform's
  gateway(): Gateway | undefined; // once it listens
  services(): readonly Service[]; // with API pages, once the gateway listens
}

export async function openContext(options: ContextOptions): Promise<Context> {
  const { config, version, log, engine, regions, ports } = options;
  const store = new Store(engine);
  store.busyWaitMs = Math.min(8 * config.operations.holdMs, mostBusyWaitMs);
  const secrets = await openSecrets(store, config.key);
  const clock = createClock(await loadClockOffset(store));
  const domains = certifiedDomains(options.domains, config.gateway.domain, config.gateway.publicUrl);
  const authority = JSON.parse(await secrets.kept('authority', () => newAuthority(domains, clock.real))) as Authority;
  const unknown = domains.filter((domain) => !isPermitted(authority, domain));
  if (unknown.length > 0)
    log.warn('clients refuse certificates for these domains: the CA of this region was made without them', { unknown });
  const faults = new PlantedFaults(store, log);
  await faults.load();
  const waiters = new Waiters();
  const node = new Node(store, log, nameTag(join(config.data, 'node')), aboutNode(config));
  const model = new Model(store, clock.now);
  const spans = config.traces === undefined ? undefined : exporterOf(config.traces, options, node);
  const local = `http://${reachable(config.gateway.host)}`;
  const gatewayUrl = (): string => `${local}:${options.gateway()?.port ?? config.gateway.port}`;
  return {
    version,
    dataFolder: config.data,
    store,
    model,
    runner: new Runner({
      ...{ store, model, faults, waiters, node, spans, log },
      now: clock.now,
      paceMs: config.operations.paceMs,
    }),
    pages: new PageCache(store),
    drawn: new RecentCache(),
    long: new LongAnswers(),
    now: clock.now,
    bounds: (contract) => ports.use(contractLimits).bounds(contract),
    clock,
    log,
    secrets,
    authority,
    faults,
    waiters,
    reads: new ReadLog(store, clock),
    bodyMemory: new BodyMemory(bodyMemoryLimit()),
    node,
    reconcilers: new Reconcilers(clock, log, node),
    regions,
    firstContract: config.identity.contract,
    services: options.services,
    holdMs: config.operations.holdMs,
    addresses: {
      host: config.gateway.host,
      grafana: config.grafana,
      publicUrl: config.gateway.publicUrl,
      domains: [...new Set([builtInDomain, ...options.domains, config.gateway.domain])],
      domain: config.gateway.domain === defaults.gateway.domain ? undefined : config.gateway.domain,
      gateway: gatewayUrl,
      securePort: () => options.gateway()?.securePort ?? config.gateway.securePort,
      node: () => config.gateway.nodeUrl ?? gatewayUrl(),
    },
    homes: new EngineHomes(store, (name) => nameTag(join(config.data, `${name}.id`)), hostname(), node),
    spans,
  };
}

// A name that operators recognise: the URL of the node, or its host and data folder.
const aboutNode = ({ data, gateway: { nodeUrl = `${hostname()}:${data}` } }: Config): string =>
  `${nodeUrl} (pid ${process.pid})`;

// A node gets its id when it joins the region, and another one if its lease has ended. A region of one node has none.
const exporterOf = (url: string, { version, log }: ContextOptions, node: Node): SpanExporter =>
  new SpanExporter({
    url,
    log,
    resource: () => ({
      'service.name': 'cumulet',
      'service.version': version,
      'service.instance.id': node.id || undefined,
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
  });

const nameTag = (file: string): NameTag => ({
  load: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined),
  save: (id) => writeFileSync(file, `${id}\n`, { mode: 0o600 }),
});

export interface Authority extends CertificatePair {
  domains?: string[]; // that its name constraints permit; absent: it is older than these, and permits all
}

const newAuthority = async (domains: string[], now: () => number): Promise<string> =>
  JSON.stringify({
    ...(await createAuthority({ commonName: 'Cumulet region CA', days: 3650, now }, domains)),
    domains,
  } satisfies Authority);

export const isPermitted = ({ domains }: Authority, name: string): boolean =>
  domains === undefined || domains.some((domain) => name === domain || name.endsWith(`.${domain}`));

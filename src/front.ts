// The front of the region: the services of all products behind one pipeline, on the gateway's two ports, and the
// listeners of products on their own ports.
import { isIP } from 'node:net';
import type { CertificatePair } from './base/certificate.ts';
import { type Config, defaultPort } from './config/sections.ts';
import { type Authority, isPermitted } from './context.ts';
import { bodyFigures } from './core/body-memory.ts';
import type { RegionSecrets } from './core/region-secrets.ts';
import { callRefusal } from './surface/call-refusal.ts';
import { byAuthorization } from './surface/http/authentication.ts';
import type { RenderRefusal, Service } from './surface/http/exchange.ts';
import { type Gateway, openGateway } from './surface/http/gateway.ts';
import { builtInDomain, certifiedDomains, HostNames, plain } from './surface/http/host-names.ts';
import { createHttpServer, type HttpServerOptions } from './surface/http/http-server.ts';
import {
  Connections,
  type Leaving,
  type Listener,
  type Listening,
  openListener,
  portFor,
  type ServeHttp,
} from './surface/http/listener.ts';
import { createHandler } from './surface/http/pipeline.ts';
import type { ConnectProxy } from './surface/http/proxy.ts';
import { renderPlatformRefusal } from './surface/http/refusals.ts';
import type { RequestFeed } from './surface/http/request-feed.ts';
import { Router } from './surface/http/router.ts';
import type { Surface } from './surface/http/stages.ts';
import { Throttle } from './surface/http/throttle.ts';
import { createTlsContexts, type TlsContextsOptions } from './surface/http/tls.ts';
import { createUpgrades } from './surface/http/upgrades.ts';
import type { Metrics } from './surface/metrics.ts';
import {
  assignedCertificates,
  authentication,
  callRefusals,
  certificateTargets,
  type Ports,
  webFiles,
} from './surface/ports.ts';
import type { Context, Product } from './surface/product.ts';
import { regionService } from './surface/region-service.ts';
import { restApiPages } from './surface/rest-api-pages.ts';
import { rootService } from './surface/root-paths.ts';

export interface FrontOptions {
  config: Config;
  context: Context;
  ports: Ports;
  metrics: Metrics;
  feed: RequestFeed;
  services: readonly Service[];
  listeners: readonly Listener[];
  hint: string; // further arguments that commands on this region need, for the API pages
  unready(): string | undefined; // why, where it is not ready
}

export interface Front {
  gateway: Gateway;
  documented: readonly Service[]; // those with API pages, the region's own among them
  listening: readonly Listening[]; // the products' own
  close(leaving: Leaving): Promise<void>;
}

export async function openFront(options: FrontOptions): Promise<Front> {
  const { config, context, ports, metrics, feed, services, hint, unready } = options;
  const { clock, log, reads, bodyMemory, version, authority, secrets } = context;
  const domains = [...new Set([builtInDomain, config.gateway.domain])];
  const regions = context.regions.all;
  const documented = services.filter(({ isHidden }) => !isHidden);
  const webFile = async (name: string): Promise<string | undefined> => ports.find(webFiles)?.address(name);
  const resources = () => context.model.all();
  const tools = { domains, regions, version, hint, webFile, metrics, resources, unready };
  const region = regionService({ ...tools, services: () => documented });
  const pages = restApiPages({ services: () => documented, regions });
  const routed = [...services, pages, rootService(documented), region]; // what has no prefix comes last
  const names = new HostNames(routed, domains);
  documented.push(region);
  const connections = new Connections(config.gateway.mostConnections);
  metrics.add({ of: 'cumulet_bodies', table: bodyFigures, read: () => bodyMemory.figures() });
  let proxy: ConnectProxy | undefined;
  const surface: Surface = {
    table: { services: routed, domains, names, regions },
    claiming: routed.filter(({ claims }) => claims),
    routers: new Map(routed.map((service) => [service, new Router(service.routes)])),
    findCaller: byAuthorization(ports.use(authentication)),
    contracts: new Throttle(config.gateway.rateLimit, config.gateway.rateBurst, clock.real),
    failures: new Throttle(6000, 3000, clock.real),
    connections,
    bodyMemory,
    reads,
    metrics,
    feed,
    log,
    publicUrl: config.gateway.publicUrl,
    seal: secrets.seal,
    spans: context.spans,
    absoluteTarget: (url) => proxy?.absoluteTarget(url) ?? 'refused',
  };
  ports.fill(callRefusals, callRefusal(surface));
  const keep = certificatesIn(secrets);
  const { domain, publicUrl } = config.gateway;
  const reserved = certifiedDomains(context.addresses.domains, domain, publicUrl);
  const contexts = await createTlsContexts({
    authority,
    now: clock.real,
    names,
    hosts: machineHosts(config, context.authority),
    assigned: assignedContexts(ports, names, domains, reserved),
    keep,
  });
  const refused = (status: number): void => metrics.request('none', 'none', status, 0);
  const refusalsFor = (host = ''): RenderRefusal =>
    services.find(({ claimsHost }) => claimsHost?.(host))?.renderRefusal ?? renderPlatformRefusal;
  const gateway = await openGateway(
    {
      host: config.gateway.host,
      port: config.gateway.port,
      securePort: config.gateway.securePort,
      names,
      contexts,
      passthrough: config.gateway.proxyPassthrough,
      connections,
      handle: createHandler(surface),
      upgrades: createUpgrades(surface),
      refused,
      refusalsFor,
    },
    (made) => {
      proxy = made;
    },
  );
  const http: ServeHttp = (name) => {
    const service = services.find((one) => one.name === name);
    if (!service) throw new Error(`a listener serves ${name}, which is not a service`);
    const { renderRefusal = renderPlatformRefusal } = service;
    const handle = createHandler(surface, service);
    return createHttpServer({ handle, refused, refusalsFor: () => renderRefusal, connect: refuseConnect });
  };
  const { host, port } = config.gateway;
  const listening: Listening[] = [];
  const close = async (leaving: Leaving): Promise<void> => {
    await Promise.all([gateway.close(leaving), ...listening.map((one) => one.close(leaving))]);
  };
  try {
    for (const one of options.listeners) {
      const chosen = config.listenerPorts[one.name] ?? portFor(one, port === defaultPort);
      const place = { host, port: chosen, contexts, connections, http };
      listening.push(await openListener(one, place));
    }
  } catch (error) {
    await close({ politeMs: 0, graceMs: 0 });
    throw error;
  }
  return { gateway, documented, listening, close };
}

// A CA that was created without the public host must not certify it: clients would refuse the whole certificate.
function machineHosts({ gateway: { domain, publicUrl } }: Config, authority: Authority): string[] {
  const host = publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')];
  return [domain, ...host.filter((name) => isIP(name) !== 0 || isPermitted(authority, name))];
}

// An assigned certificate is presented for the hosts of its target, and for names that the region does not have. It
// never replaces the certificate of another service or of the region itself.
function assignedContexts(
  ports: Ports,
  names: HostNames,
  domains: readonly string[],
  reserved: readonly string[], // names of the region itself
): NonNullable<TlsContextsOptions['assigned']> {
  const targets = ports
    .list(certificateTargets)
    .map((one) => ({ name: one.name, hosts: new HostNames([one], domains) }));
  return async (host) =>
    ports.find(assignedCertificates)?.contextFor(plain(host), (target) => {
      const serving = targets.find(({ hosts }) => hosts.has(host));
      return serving ? serving.name === target : !names.has(host) && !reserved.includes(plain(host));
    });
}

const refuseConnect: HttpServerOptions['connect'] = (_req, socket, _head, refuse) =>
  refuse(socket.resume(), 400, "The proxy is served on the gateway's port.");

// Routes that one product has for the service of another are put into that service.
export function servicesOf(products: readonly Product[]): Service[] {
  const services = products.flatMap((product) => product.services());
  for (const product of products)
    for (const [name, routes] of Object.entries(product.routes?.() ?? {})) {
      const service = services.find((one) => one.name === name);
      if (!service) throw new Error(`a product has routes for the service ${name}, which no product declares`);
      service.routes.push(...routes);
    }
  return services;
}

const certificatesIn = (secrets: RegionSecrets): TlsContextsOptions['keep'] => ({
  async load(suffix) {
    const text = await secrets.load(`certificate ${suffix}`);
    return text === undefined ? undefined : (JSON.parse(text) as CertificatePair);
  },
  save: (suffix, pair) => secrets.save(`certificate ${suffix}`, JSON.stringify(pair)),
});

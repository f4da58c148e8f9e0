// The HTTP front of the region: the services of all products behind one pipeline, on the gateway's two ports.
import type { CertificatePair } from './base/certificate.ts';
import type { Config } from './config/sections.ts';
import type { RegionSecrets } from './core/region-secrets.ts';
import { byAuthorization } from './surface/http/authentication.ts';
import type { Service } from './surface/http/exchange.ts';
import { type Gateway, openGateway } from './surface/http/gateway.ts';
import { builtInDomain } from './surface/http/host-names.ts';
import { Connections } from './surface/http/listener.ts';
import { createHandler } from './surface/http/pipeline.ts';
import type { ConnectProxy } from './surface/http/proxy.ts';
import { Router } from './surface/http/router.ts';
import type { Surface } from './surface/http/stages.ts';
import { Throttle } from './surface/http/throttle.ts';
import { createTlsContexts, type TlsContextsOptions } from './surface/http/tls.ts';
import { createUpgrades } from './surface/http/upgrades.ts';
import type { Metrics } from './surface/metrics.ts';
import { authentication, type Ports } from './surface/ports.ts';
import type { Context, Product } from './surface/product.ts';
import { regionService } from './surface/region-service.ts';
import { rootService } from './surface/root-paths.ts';

export interface FrontOptions {
  config: Config;
  context: Context;
  ports: Ports;
  metrics: Metrics;
  services: readonly Service[];
  hint: string; // what commands on this region need besides, for the API pages
  unready(): string | undefined; // why, where it is not ready
}

// Also the region's own service, in the list that all of them are told in.
export async function openFront(options: FrontOptions): Promise<{ gateway: Gateway; documented: readonly Service[] }> {
  const { config, context, ports, metrics, services, hint, unready } = options;
  const { clock, log, reads, version, authority, secrets } = context;
  const domains = [...new Set([builtInDomain, config.gateway.domain])];
  const regions = context.regions.all;
  const documented = services.filter(({ isHidden }) => !isHidden);
  const region = regionService({ domains, regions, version, hint, services: () => documented, metrics, unready });
  const routed = [...services, rootService(documented), region]; // what has no prefix comes last
  documented.push(region);
  let proxy: ConnectProxy | undefined;
  const surface: Surface = {
    table: { services: routed, domains, regions },
    routers: new Map(routed.map((service) => [service, new Router(service.routes)])),
    findCaller: byAuthorization(ports.use(authentication)),
    contracts: new Throttle(config.gateway.rateLimit, config.gateway.rateBurst, clock.real),
    failures: new Throttle(6000, 3000, clock.real),
    reads,
    metrics,
    log,
    publicUrl: config.gateway.publicUrl,
    absoluteTarget: (url) => proxy?.absoluteTarget(url) ?? 'refused',
  };
  const keep = certificatesIn(secrets);
  const contexts = await createTlsContexts({
    authority,
    now: clock.real,
    domains,
    hosts: [config.gateway.domain],
    keep,
  });
  const gateway = await openGateway(
    {
      host: config.gateway.host,
      port: config.gateway.port,
      securePort: config.gateway.securePort,
      domains,
      contexts,
      passthrough: config.gateway.proxyPassthrough,
      connections: new Connections(config.gateway.mostConnections),
      handle: createHandler(surface),
      upgrades: createUpgrades(surface),
      refused: (status) => metrics.request('none', 'none', status, 0),
    },
    (made) => {
      proxy = made;
    },
  );
  return { gateway, documented };
}

// Routes that one product has for the service of another are put into that service.
export function servicesOf(products: readonly Product[]): Service[] {
  const services = products.flatMap((product) => product.services());
  for (const product of products)
    for (const [name, routes] of Object.entries(product.routes?.() ?? {})) {
      const service = services.find((one) => one.name === name);
      if (!service) throw new Error(`${product.name} has routes for the service ${name}, which nobody serves`);
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

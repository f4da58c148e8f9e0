// The table of contents: config → state → products → listeners. Products never import each other; what one needs of
// another is handed to it here.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { activityService } from './activity/index.ts';
import { type CertificatePair, createAuthority } from './base/certificate.ts';
import { type Clock, createClock, machineTime } from './base/clock.ts';
import { randomText } from './base/ids.ts';
import type { Log } from './base/log.ts';
import { catalogue, loadCatalogue } from './compute/catalogue/catalogue.ts';
import { computeResources, computeRoutes, computeTools, countedProperties } from './compute/index.ts';
import { machineLab } from './compute/machine/lab.ts';
import { SimulatedDisks } from './compute/machine/simulated-disks.ts';
import { SimulatedMachines } from './compute/machine/simulated-machines.ts';
import { machineNumbers } from './compute/machine/usages.ts';
import { trafficLab } from './compute/network/lab.ts';
import { SimulatedNetwork } from './compute/network/simulated.ts';
import { regionRanges } from './compute/network/traffic.ts';
import { machineIn } from './compute/server/machines.ts';
import { type Config, defaults } from './config.ts';
import { consoleService } from './console/index.ts';
import { pruneActivity, pruneRequests } from './core/audit/audit-log.ts';
import { Reads } from './core/audit/read-log.ts';
import { Model } from './core/model.ts';
import { EngineHome } from './core/nodes/engine-home.ts';
import { type NameTag, Node, nodeFigures } from './core/nodes/node.ts';
import { PlantedFaults } from './core/operation/planted-faults.ts';
import { Waiters } from './core/operation/request.ts';
import { operationFigures, Runner } from './core/operation/runner.ts';
import { Recent } from './core/recent.ts';
import { Reconcilers } from './core/reconciler.ts';
import { openSecrets, type RegionSecrets } from './core/region-secrets.ts';
import type { StateEngine } from './core/state/engine.ts';
import { stateFigures } from './core/state/figures.ts';
import { openState } from './core/state/open.ts';
import { Store } from './core/store.ts';
import { addContract, listContracts } from './identity/accounts.ts';
import { createAuthenticator, memberOf } from './identity/authenticator.ts';
import { knownLimits } from './identity/contract.ts';
import { contractNumbers } from './identity/contract-numbers.ts';
import { identityResources, identityRoutes, keyResources } from './identity/index.ts';
import { createSigner, newSigningKey } from './identity/jwt.ts';
import { createLoginNotes } from './identity/login-notes.ts';
import { Logins } from './identity/logins.ts';
import { sessionCaller, sessionRoutes } from './identity/session-routes.ts';
import { Sessions } from './identity/sessions.ts';
import { lifetimes, mostTokens, type TokenTools, tokenService } from './identity/token.ts';
import { followLab, type LabTools, labService, loadClock } from './lab/index.ts';
import { openMonitoring } from './monitoring/product.ts';
import { routesOf } from './surface/core-dialect/crud.ts';
import { LongAnswers } from './surface/core-dialect/long-answer.ts';
import type { Service } from './surface/http/exchange.ts';
import { connectionFigures, type Gateway, openGateway, reachable } from './surface/http/gateway.ts';
import { builtInDomain } from './surface/http/host-names.ts';
import { renderPlatformFault } from './surface/http/payload.ts';
import { createHandler } from './surface/http/pipeline.ts';
import type { ConnectProxy } from './surface/http/proxy.ts';
import { Router } from './surface/http/router.ts';
import type { Surface } from './surface/http/stages.ts';
import { Throttle } from './surface/http/throttle.ts';
import { createTlsContexts, type TlsContextsOptions } from './surface/http/tls.ts';
import type { Machinery } from './surface/machinery.ts';
import type { Metrics } from './surface/metrics.ts';
import { PageCache } from './surface/page-cache.ts';
import { openMetrics } from './surface/process-figures.ts';
import { regionService } from './surface/region-service.ts';
import { rootService } from './surface/root-paths.ts';

export interface Region {
  config: Config;
  gateway: Gateway;
  store: Store;
  clock: Clock;
  tokens: TokenTools;
  lab: LabTools;
  authority: CertificatePair;
  owner: { email: string; password: string } | undefined; // on the first start only
  services: readonly Service[];
  runner: Runner;
  node: Node;
  stop(): Promise<void>;
}

export async function startPlatform(
  config: Config,
  version: string,
  ownerPassword: string | undefined,
  log: Log,
  metrics = openMetrics(version),
): Promise<Region> {
  loadCatalogue(config.catalogue);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const engine = await openState(config.state, machineTime);
  try {
    return await assemble(config, version, ownerPassword, log, metrics, engine);
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
  engine: StateEngine,
): Promise<Region> {
  const store = new Store(engine);
  const secrets = await openSecrets(store, config.key);
  const clock = createClock(await loadClock(store));
  const signer = createSigner(await secrets.kept('signing', newSigningKey));
  const authority = JSON.parse(await secrets.kept('authority', () => newAuthority(clock))) as CertificatePair;
  const faults = new PlantedFaults(store, log);
  await faults.load();
  const waiters = new Waiters();
  const node = new Node(store, log, nameTag(join(config.data, 'node')), `${hostname()} pid ${process.pid}`);
  const reconcilers = new Reconcilers(clock, log, node);
  const reads = new Reads(store, clock);
  const model = new Model(store, clock.now);
  const runner = new Runner({ store, model, faults, waiters, node, now: clock.now, paceMs: config.paceMs, log });
  store.patienceMs = Math.min(8 * config.holdMs, mostPatienceMs);
  const limits = knownLimits(store);
  const machinery: Machinery = {
    store,
    pages: new PageCache(store),
    drawn: new Recent(),
    long: new LongAnswers(),
    model,
    runner,
    now: clock.now,
    bounds: limits.bounds,
    counted: countedProperties,
  };
  const logins = new Logins(store, clock, log);
  const tokens: TokenTools = { store, clock, signer, logins };

  model.add(identityResources, undefined);
  model.add(keyResources, { seal: secrets.seal });
  const machines = new SimulatedMachines(clock.now);
  const disks = new SimulatedDisks(await secrets.kept('disks', () => randomText(32)));
  const compute = computeTools(store, { limits: limits.limits, machines, disks });
  const screens = { machines, now: clock.now, key: await secrets.kept('screens', () => randomText(32)) };
  model.add(computeResources, compute);
  let opened: Gateway | undefined; // told before anybody can ask
  const ownRegions = { all: catalogue.regions, home: catalogue.defaultRegion };
  const isEmbedded = config.metrics === 'embedded' || config.metrics === 'here';
  const metricHome = isEmbedded
    ? new EngineHome(store, 'metrics', nameTag(join(config.data, 'metrics.id')), hostname())
    : undefined;
  const monitoring = openMonitoring({
    machinery,
    clock,
    log,
    seal: secrets.seal,
    authorities: [authority.certificate],
    engine: isEmbedded ? `embedded:${join(config.data, 'metrics')}` : config.metrics,
    home: metricHome,
    regions: ownRegions,
    addresses: {
      publicUrl: config.publicUrl,
      domain: config.domain === defaults.domain ? undefined : config.domain,
      grafana: config.grafana,
      gateway: () => `http://${reachable(config.host)}:${opened?.port ?? config.port}`,
      securePort: () => opened?.securePort ?? config.securePort,
    },
    numbers: [machineNumbers(store, machines, machineIn), contractNumbers(store, limits.limits, ownRegions.home)],
  });
  const network = new SimulatedNetwork({ now: clock.now, ranges: regionRanges });
  const lab: LabTools = {
    store,
    clock,
    model,
    faults,
    reconcilers,
    machines: machineLab(store, machines, machineIn),
    traffic: trafficLab(store, network),
  };

  let ready = false;
  const services: Service[] = [
    {
      name: 'cloudapi',
      title: 'Core infrastructure',
      version: '6.0',
      description: 'Datacenters and everything in them, users and groups, requests.',
      prefixes: ['/cloudapi/v6'],
      hosts: ['api'],
      takesBasic: true,
      routes: [
        ...routesOf(machinery, model.all()),
        ...computeRoutes(machinery, { disks, screens }, { store, waiters, holdMs: config.holdMs }),
        ...identityRoutes(machinery),
      ],
      renderFault: (fault) => renderPlatformFault(fault),
    },
    tokenService(tokens),
    activityService(store, (caller, contract) => memberOf(store, caller.user, contract)),
    ...monitoring.services,
    ...(config.lab ? [labService(lab)] : []),
  ];
  const domains = [...new Set([builtInDomain, config.domain])];
  const { regions } = catalogue;
  const unready = (): string | undefined => {
    if (!ready) return 'The region is starting or stopping.';
    const { connected, damaged } = engine.figures();
    if (damaged === 1) return 'A part of the state can not be read, and nothing is changed any more: restore a copy.';
    return connected === 0 || !node.isHeard ? 'The state does not answer.' : undefined;
  };
  const about = { domains, regions, version, hint: hintOf(config) };
  const root = rootService(services);
  const region = regionService({ ...about, services: () => services, metrics, unready });
  const loginNotes = createLoginNotes(store, clock.now, log);
  const authenticator = createAuthenticator({ store, clock, signer, ...loginNotes, logins });
  const sessions = new Sessions({ ...tokens, credentials: authenticator.credentials, ...loginNotes });
  const webConsole = consoleService({
    version,
    regions,
    services: () => services,
    lifetimes,
    mostTokens,
    sessionRoutes: sessionRoutes({ sessions, store, now: clock.now }),
  });
  const routed = [webConsole, ...services, root, region]; // what has no prefix comes last
  services.push(region);

  let proxy: ConnectProxy | undefined;
  const surface: Surface = {
    table: { services: routed, domains, regions },
    routers: new Map(routed.map((service) => [service, new Router(service.routes)])),
    authenticator: { authenticate: authenticator.authenticate, session: (x) => sessionCaller(sessions, x) },
    contracts: new Throttle(config.rateLimit, config.rateBurst, clock.real),
    failures: new Throttle(6000, 3000, clock.real),
    reads,
    metrics,
    log,
    publicUrl: config.publicUrl,
    absoluteTarget: (url) => proxy?.absoluteTarget(url) ?? 'refused',
  };
  const contexts = createTlsContexts({
    authority,
    now: clock.real,
    domains,
    hosts: [config.domain],
    keep: certificatesOf(secrets),
  });
  const gateway = await openGateway(
    {
      host: config.host,
      port: config.port,
      securePort: config.securePort,
      domains,
      contexts,
      passthrough: config.proxyPassthrough,
      mostConnections: config.mostConnections,
      handle: createHandler(surface),
      refused: (status) => metrics.request('none', 'none', status, 0),
    },
    (made) => {
      proxy = made;
    },
  );
  opened = gateway;
  const nodeUrl = config.nodeUrl ?? `http://${reachable(config.host)}:${gateway.port}`;
  await metricHome?.settle(nodeUrl, config.metrics === 'here');

  reconcilers.add({ name: 'activity-flush', everyMs: 1000, everywhere: true, run: () => reads.flush() });
  reconcilers.add({ name: 'login-flush', everyMs: 1000, everywhere: true, run: () => logins.flush() });
  reconcilers.add({ name: 'activity-retention', everyMs: 3_600_000, run: () => pruneAll(store, clock) });
  for (const reconciler of monitoring.reconcilers) reconcilers.add(reconciler);
  reconcilers.add({ name: 'session-retention', everyMs: 3_600_000, run: () => sessions.prune() });
  metrics.add({ of: 'cumulet_connections', table: connectionFigures, read: () => gateway.figures() });
  metrics.add({ of: 'cumulet_operations', table: operationFigures, read: () => runner.figures() });
  metrics.add({ of: 'cumulet_state', table: stateFigures, read: () => engine.figures() });
  metrics.add({ of: 'cumulet_nodes', table: nodeFigures, read: () => node.figures() });
  metrics.add(monitoring.figures);
  engine.watch('lab', () => followLab(lab, log));
  // Not before the ports are ours: whoever has to start again shall still be shown the account.
  const owner = await firstOwner(store, config, ownerPassword, clock.now());
  await node.join(runner);
  reconcilers.start();
  ready = true;

  const stop = async (): Promise<void> => {
    ready = false;
    // With others to go to, nobody's connection is closed under a call that is just being sent.
    await gateway.close({ politeMs: engine.exclusive ? 0 : 250, graceMs: 5000 });
    await runner.drain(engine.exclusive ? 5000 : 1000); // others can go on with it
    await node.leave();
    await metrics.settle();
    await reconcilers.stop();
    await reads.flush();
    await logins.flush();
    await network.close();
    await monitoring.close();
    await engine.close();
  };
  return { config, gateway, store, clock, tokens, lab, authority, owner, services, runner, node, stop };
}

const mostPatienceMs = 2000; // before what is BUSY is refused

const nameTag = (file: string): NameTag => ({
  load: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined),
  save: (id) => writeFileSync(file, `${id}\n`, { mode: 0o600 }),
});

// For whoever sits at this machine; nobody else is told where things lie.
const hintOf = ({ data, host, publicUrl }: Config): string =>
  host === '127.0.0.1' && publicUrl === undefined && data !== resolve('data') ? ` --data '${data}'` : '';

const newAuthority = (clock: Clock): string =>
  JSON.stringify(createAuthority({ commonName: 'Cumulet region CA', days: 3650, now: clock.real }));

const certificatesOf = (secrets: RegionSecrets): TlsContextsOptions['keep'] => ({
  async load(suffix) {
    const text = await secrets.load(`certificate ${suffix}`);
    return text === undefined ? undefined : (JSON.parse(text) as CertificatePair);
  },
  save: (suffix, pair) => secrets.save(`certificate ${suffix}`, JSON.stringify(pair)),
});

// The first start makes a contract. The file is there before the contract is, so the password can't be lost between.
async function firstOwner(
  store: Store,
  config: Config,
  given: string | undefined,
  now: number,
): Promise<Region['owner']> {
  if ((await listContracts(store)).length > 0) return undefined;
  const { ownerEmail: email, contract } = config;
  const password = given ?? randomText(12);
  const told = given === undefined ? { email, password, contract } : { email, contract };
  writeFileSync(join(config.data, 'owner.json'), `${JSON.stringify(told, null, 2)}\n`, { mode: 0o600, flush: true });
  try {
    await addContract(store, contract, { email, password, role: 'owner' }, {}, now);
  } catch (error) {
    // Another node was faster: what it told is the truth.
    if (store.engine.exclusive || (await listContracts(store)).length === 0) throw error;
    rmSync(join(config.data, 'owner.json'), { force: true });
    return undefined;
  }
  return { email, password };
}

// It answers, and what it holds can be read.
async function pruneAll(store: Store, clock: Clock): Promise<void> {
  for (const { number } of await listContracts(store)) {
    await pruneActivity(store, number, clock.now());
    await pruneRequests(store, number, clock.now());
  }
}

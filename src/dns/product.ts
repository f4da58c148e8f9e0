// DNS: zones and records by the API, and a name server that answers for them.
import { isIPv6 } from 'node:net';
import {
  addressOwner,
  challengeRecords,
  consoleParts,
  consoleRoutes,
  contracts,
  type Ports,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { challengesIn } from './challenges.ts';
import { lookupRoute } from './console-lookup.ts';
import { ownParts } from './console-parts.ts';
import { dnsResources, dnsService } from './index.ts';
import { Secondaries } from './secondary/secondaries.ts';
import { NameServer, nameServerFigures } from './server/name-server.ts';
import { sendNotify } from './server/notify.ts';
import { ServedZones } from './server/served-zones.ts';
import type { DnsSettings } from './settings.ts';

export function openDns(context: Context, ports: Ports, settings: DnsSettings): Product {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, log, secrets } = context;
  const { seal } = secrets;
  const zones = new ServedZones({ store, seal, log, realNow: clock.real });
  const secondaries = new Secondaries({ store, zones, log, now: clock.now });
  const peers = new Set(settings.peers.map((peer) => peer.replace(/[#@].*$/, '')));
  const server = new NameServer({
    zones,
    peers,
    log,
    notified: (zoneName, from) => secondaries.notified(zoneName, from),
  });
  const numbers = (): Promise<number[]> => ports.use(contracts).numbers();
  zones.onChange(({ data, kind }) => {
    if (kind === 'zone') for (const peer of settings.peers) sendNotify(peer, data.name, log);
  });
  const tools = {
    owns: async (contract: number, ip: string) => (await ports.use(addressOwner)(ip)) === contract,
    served: zones,
  };
  ports.fill(challengeRecords, challengesIn(context));
  let address = ''; // of the listener, once it listens
  ports.add(consoleRoutes, lookupRoute({ ask: (query) => server.ask(query), server: () => address }));
  let loading: Promise<void> = Promise.resolve();
  return {
    resources: model.add(dnsResources, tools),
    services: () => [dnsService(context, seal, secondaries, zones)],
    listeners: [
      {
        name: 'dnsserver',
        scheme: 'dns',
        defaultPort: 7053,
        option: '--dns-port',
        port: settings.port,
        open: () => ({ servers: server.open(isIPv6(context.addresses.host)), stop: () => server.stop() }),
        listening({ port }) {
          address = `${context.addresses.host}:${port}`;
        },
      },
    ],
    reconcilers: [
      { name: 'dns-transfers', everyMs: 5000, run: () => secondaries.runDue() },
      {
        name: 'dns-refresh',
        everyMs: 2000,
        everywhere: true,
        run: async () => (store.engine.exclusive ? undefined : zones.refresh(await numbers())),
      },
    ],
    figures: [{ of: 'cumulet_dns', table: nameServerFigures, read: () => server.figures() }],
    async start() {
      loading = zones
        .load(await numbers())
        .catch((error: unknown) => log.error("the zones can't be loaded", { error }));
    },
    leave: () => secondaries.leave(),
    async close() {
      await secondaries.close();
      await loading;
    },
  };
}

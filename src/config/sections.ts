// The settings: the region's own, and those of each product, which only that product reads.
export interface Config {
  data: string;
  state: string; // sqlite:FOLDER or postgres://…
  key: string; // the file of the region's key
  gateway: GatewaySection;
  listenerPorts: Readonly<Record<string, number>>; // those that a region which starts again had before, by name
  operations: { paceMs: number; holdMs: number };
  identity: { ownerEmail: string; contract: number }; // of the first contract
  catalogue: string | undefined; // the file of what the region offers; absent: the built-in one
  grafana: string | undefined; // that pipelines name as their dashboard
  traces: string | undefined; // the URL that spans are sent to; absent: they are not exported
  products: Readonly<Record<string, object>>; // the settings of each product, by its name
}

export interface GatewaySection {
  host: string;
  port: number;
  securePort: number;
  domain: string;
  publicUrl: string | undefined;
  nodeUrl: string | undefined; // how other nodes reach this one; absent: by its host and port
  proxyPassthrough: boolean;
  rateLimit: number; // calls a minute and contract
  rateBurst: number;
  mostConnections: number;
  drainMs: number | undefined; // absent: by the state engine
  stopLimitMs: number; // of calls that are running when the node no longer takes new ones
}

export const defaultPort = 7070;
export const defaultSecurePort = 7443;

export const defaults: Readonly<Config> = {
  data: 'data',
  state: '',
  key: '',
  listenerPorts: {},
  gateway: {
    host: '127.0.0.1',
    port: defaultPort,
    securePort: defaultSecurePort,
    domain: 'cumulet.local',
    publicUrl: undefined,
    nodeUrl: undefined,
    proxyPassthrough: false,
    rateLimit: 600_000,
    rateBurst: 2000,
    mostConnections: 10_000,
    drainMs: undefined,
    stopLimitMs: 5000,
  },
  operations: { paceMs: 20, holdMs: 250 },
  identity: { ownerEmail: 'owner@cumulet.local', contract: 31_000_001 },
  catalogue: undefined,
  grafana: undefined,
  traces: undefined,
  products: {},
};

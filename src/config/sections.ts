// The typed settings in sections: the process's own, the gateway's, and one for each product, which only that product
// is given.
export interface Config {
  data: string;
  state: string; // sqlite:FOLDER or postgres://…
  key: string; // the file of the region's key
  gateway: GatewaySection;
  listenerPorts: Readonly<Record<string, number>>; // those that a region which starts again had before, by name
  operations: { paceMs: number; holdMs: number };
  identity: { ownerEmail: string; contract: number }; // of the first contract
  compute: { catalogue: string | undefined }; // the file of what the region offers; absent: the built-in one
  monitoring: { engine: string; grafana: string | undefined }; // embedded, here, or prometheus+http(s)://…
  // Its engine: embedded, here, loki+http(s)://… or victorialogs+http(s)://…
  logging: { engine: string; port: number | undefined; grafana: string | undefined };
  objects: { engine: string; port: number | undefined }; // embedded, here, or s3+http(s)://…
  streaming: StreamingSection;
  inference: InferenceSection;
  dns: { port: number | undefined; peers: string[] }; // peers: name servers that may transfer zones
  // Whether public CAs are asked themselves, and the file of certificates that ACME servers are trusted by.
  certificates: { asksPublic: boolean; acmeCa: string | undefined };
  billing: { prices: string | undefined }; // the file of the price list; absent: the built-in one
  lab: { isServed: boolean };
}

export interface StreamingSection {
  engine: string; // embedded, here, kafka+jvm:FOLDER, or kafka://…
  advertised: { host: string; port: number } | undefined; // of brokers that clients elsewhere reach; absent: loopback
  flushMs: number; // how often the embedded broker syncs what it acknowledged; 0: before it acknowledges
}

export interface InferenceSection {
  engine: string; // embedded, or openai+http(s)://HOST/v1
  key: string; // that the upstream asks for; empty: none
  names: Record<string, string>; // the upstream's names of models by ours; `*` is for all others
  perSecond: number; // requests of a contract
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
  },
  operations: { paceMs: 20, holdMs: 250 },
  identity: { ownerEmail: 'owner@cumulet.local', contract: 31_000_001 },
  compute: { catalogue: undefined },
  monitoring: { engine: 'embedded', grafana: undefined },
  logging: { engine: 'embedded', port: undefined, grafana: undefined },
  objects: { engine: 'embedded', port: undefined },
  streaming: { engine: 'embedded', advertised: undefined, flushMs: 1000 },
  inference: { engine: 'embedded', key: '', names: {}, perSecond: 5 },
  dns: { port: undefined, peers: [] },
  certificates: { asksPublic: false, acmeCa: undefined },
  billing: { prices: undefined },
  lab: { isServed: true },
};

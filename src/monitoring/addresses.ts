// The addresses of a pipeline: where agents push to, and its dashboards. An address by --domain or --public-url is
// fixed when the pipeline is created, because agents have it in their settings. Without these it is the address of this
// machine with its current port.

export interface AddressSettings {
  publicUrl: string | undefined; // how clients elsewhere reach the gateway
  domain: string | undefined; // whose names lead here; absent: none was given
  grafana: string | undefined; // a real Grafana, instead of our own pages
  gateway(): string; // on this machine
  securePort(): number;
}

// The stored part; empty: derived from the current address of this machine.
export interface FixedAddresses {
  http?: string;
  console?: string;
}

export interface Owned {
  contract: number;
  region: string;
}

export function fixedAddresses(settings: AddressSettings, number: number, { contract, region }: Owned): FixedAddresses {
  const { publicUrl, domain } = settings;
  if (publicUrl === undefined && domain === undefined) return {};
  const { protocol, port } = new URL(publicUrl ?? `https://${domain}:${settings.securePort()}`);
  const behind = port === '' ? '' : `:${port}`;
  return {
    http: domain
      ? `${protocol}//${number}-metrics.${contract}.monitoring.${region}.${domain}${behind}`
      : `${publicUrl}${pathOf(number)}`,
    console: publicUrl ?? `https://api.${domain}${behind}`,
  };
}

export const httpEndpoint = (settings: AddressSettings, number: number, fixed: FixedAddresses): string =>
  fixed.http ?? `${settings.gateway()}${pathOf(number)}`;

// One dashboard for each contract and region.
export const grafanaEndpoint = (
  settings: AddressSettings,
  { contract, region }: Owned,
  fixed: FixedAddresses,
): string =>
  settings.grafana ?? `${fixed.console ?? settings.gateway()}/console/monitoring/${region}?contract=${contract}`;

const pathOf = (number: number): string => `/monitoring/ingest/${number}`;

// The addresses of a pipeline: where agents push to, and its dashboards. An address by --domain or --public-url is
// fixed when the pipeline is created, because agents have it in their settings. Without these it is the address of this
// machine with its current port.
import { regionOf } from '../../core/regional.ts';
import type { Row } from '../../core/state/engine.ts';

export interface AddressSettings {
  publicUrl: string | undefined; // how clients elsewhere reach the gateway
  domain: string | undefined; // the domain whose names lead to this region; absent: none was given
  grafana: string | undefined; // a real Grafana, instead of the built-in pages
  gateway(): string; // on this machine
  securePort(): number;
}

// How a product names the addresses of its pipelines.
export interface AddressNames {
  service: string; // monitoring: in the host name, and the prefix of the path
  what: string; // metrics: follows the number in the host name
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

export const ownedBy = ({ contract, place }: Pick<Row, 'contract' | 'place'>): Owned => ({
  contract,
  region: regionOf(place),
});

export function fixedAddresses(
  names: AddressNames,
  settings: AddressSettings,
  number: number,
  owned: Owned,
): FixedAddresses {
  const { publicUrl, domain } = settings;
  if (publicUrl === undefined && domain === undefined) return {};
  const { protocol, port } = new URL(publicUrl ?? `https://${domain}:${settings.securePort()}`);
  const behind = port === '' ? '' : `:${port}`;
  return {
    http: domain
      ? `${protocol}//${pipelineHost(names, number, owned, domain)}${behind}`
      : `${publicUrl}${pathOf(names, number)}`,
    console: publicUrl ?? `https://api.${domain}${behind}`,
  };
}

export const pipelineHost = (
  { service, what }: AddressNames,
  number: number,
  { contract, region }: Owned,
  domain: string,
): string => `${number}-${what}.${contract}.${service}.${region}.${domain}`;

export const httpAddress = (
  names: AddressNames,
  settings: AddressSettings,
  number: number,
  fixed: FixedAddresses,
): string => fixed.http ?? `${settings.gateway()}${pathOf(names, number)}`;

// One dashboard for each contract and region.
export const dashboardAddress = (
  { service }: AddressNames,
  settings: AddressSettings,
  { contract, region }: Owned,
  fixed: FixedAddresses,
): string =>
  settings.grafana ?? `${fixed.console ?? settings.gateway()}/console/${service}/${region}?contract=${contract}`;

const pathOf = ({ service }: AddressNames, number: number): string => `/${service}/ingest/${number}`;

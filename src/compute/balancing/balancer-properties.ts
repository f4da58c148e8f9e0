// Schema parts shared by balancers, gateways and their rules.
import { isIPv4 } from 'node:net';
import { isObject, type Values } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import type { Draft, Report, Sample } from '../../core/resource.ts';
import { flag, integer, list, type Properties, type Property, text } from '../../core/schema.ts';

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const four = `${octet}(\\.${octet}){3}`;
const mask = '/(3[0-2]|[12]?\\d)';

type Marks = Parameters<typeof text>[0];

export const ipv4 = (marks: Marks = {}) =>
  text({ pattern: new RegExp(`^${four}$`), says: 'Expected an IPv4 address, such as 10.1.2.3', ...marks });
// Without a prefix length, a single address.
export const subnet = (marks: Marks = {}) =>
  text({ pattern: new RegExp(`^${four}(${mask})?$`), says: 'Expected an IPv4 network, such as 10.1.2.0/24', ...marks });
// Clients clear it with an empty text.
export const optional = (property: Property): Property => ({
  ...property,
  pattern: new RegExp(`^$|${property.pattern?.source}`),
});
// An address with its prefix length, which clients may omit.
export const hostAddress = () =>
  text({
    pattern: new RegExp(`^${four}(${mask})?$`),
    says: 'Expected an IPv4 address with its network, such as 10.1.2.3/24',
  });

export const port = (marks: Marks = {}) => integer({ min: 1, max: 65_535, example: 80, ...marks });
export const milliseconds = (marks: Marks = {}) => integer({ min: 0, unit: 'ms', ...marks });
export const retries = (marks: Marks = {}) => integer({ min: 0, max: 65_535, ...marks });
export const title = () => text({ required: true, min: 1, max: 255, example: 'example' });
export const algorithm = () =>
  text({
    required: true,
    oneOf: ['ROUND_ROBIN', 'LEAST_CONNECTION', 'RANDOM', 'SOURCE_IP'],
    example: 'ROUND_ROBIN',
  });
export const proxyProtocol = () => text({ oneOf: ['none', 'v1', 'v2', 'v2ssl'], default: 'none' });

// Shared by network and application load balancers.
export const balancerProperties: Properties = {
  name: title(),
  listenerLan: integer({ required: true, min: 1, example: 1, description: 'The number of the listener LAN' }),
  ips: list(ipv4(), {
    max: 100,
    description: 'Listener addresses: reserved ones in a public LAN. In a private LAN, one is assigned if empty',
  }),
  targetLan: integer({ required: true, min: 1, example: 2, description: 'The number of the LAN with the targets' }),
  lbPrivateIps: list(hostAddress(), {
    title: 'Private IPs',
    max: 100,
    description: 'Addresses in the target LAN; one is assigned if empty',
  }),
  centralLogging: flag({ default: false }),
  loggingFormat: text(),
};

export const balancerSample = (ip: string): Sample => ({
  needs: { listener: 'lan', target: 'lan' },
  properties: (near) => ({
    listenerLan: Number(near('listener').id),
    targetLan: Number(near('target').id),
    ips: [ip],
  }),
  change: { name: 'changed', lbPrivateIps: ['10.202.0.3/24'] },
});

const usualLength = 24;

// The stored form: each address with its prefix length.
export const withLength = (address: string): string => (address.includes('/') ? address : `${address}/${usualLength}`);
export const bare = (address: string): string => address.split('/', 1)[0] as string;

export const textsOf = (value: Values[string] | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

// The schema reports values that are not addresses at all.
export function checkPrivate(addresses: readonly string[], at: string, report: Report): void {
  for (const [index, address] of addresses.entries())
    if (isIPv4(bare(address)) && !isPrivate(bare(address)))
      report(`${at}.[${index}]`, `${address.slice(0, 60)} is not a private address`);
}

export function checkDistinct(values: readonly (string | number)[], at: string, what: string, report: Report): void {
  for (const [index, value] of values.entries())
    if (values.indexOf(value) < index) report(`${at}.[${index}]`, `${what} ${value} is in the list twice`);
}

// A PATCH may send a part of it: the rest is unchanged, or has its default where nothing is stored.
export function fillHealthCheck({ values, previous, way }: Draft, defaults: Values): void {
  const sent = isObject(values.healthCheck) ? values.healthCheck : {};
  const stands =
    way === 'change' && values.healthCheck !== null && isObject(previous.healthCheck) ? previous.healthCheck : {};
  values.healthCheck = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, sent[name] ?? stands[name] ?? defaults[name] ?? null]),
  );
}

// Which service a request is for, and which region: by its Host when that is one of the platform's names,
// otherwise by its path. A region in the path (/de-fra/monitoring) or in the host means that region alone.
import type { Service } from './exchange.ts';
import type { HostNames } from './host-names.ts';

export interface Located {
  service: Service;
  region: string | undefined;
  path: string; // below the service's prefix
  prefix: string; // the part before it
}

export interface AddressTable {
  services: readonly Service[];
  domains: readonly string[];
  names: HostNames;
  regions: readonly string[]; // slugs: de-fra
}

export function locate(table: AddressTable, host: string, path: string): Located | undefined {
  const { label, isApi, isPlatform } = hostOf(table, host);
  const found = label === undefined ? undefined : byHost(table, label, path);
  if (found) return found;
  // A host of the platform whose product is not served: no other product may answer for it.
  if (isPlatform && !isApi) return undefined;
  return byRegionPath(table, path) ?? byPath(table, path, undefined, '');
}

interface HostFacts {
  label: string | undefined; // the labels before one of our domains
  isApi: boolean;
  isPlatform: boolean;
}

// A bounded cache: clients name the same few hosts.
const hosts = new WeakMap<AddressTable, Map<string, HostFacts>>();

function hostOf(table: AddressTable, host: string): HostFacts {
  const known = hosts.get(table) ?? new Map<string, HostFacts>();
  hosts.set(table, known);
  const found = known.get(host);
  if (found) return found;
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
  const domain = table.domains.find((one) => name.endsWith(`.${one}`));
  const facts = {
    label: domain && name.slice(0, -domain.length - 1),
    isApi: name.startsWith('api.'),
    isPlatform: table.names.has(name),
  };
  if (known.size >= 1000) known.clear();
  known.set(host, facts);
  return facts;
}

// `api` serves several products by path; `monitoring.de-fra` is one product at its root.
function byHost(table: AddressTable, label: string, path: string): Located | undefined {
  const cut = label.lastIndexOf('.');
  const slug = label.slice(cut + 1);
  const region = cut > 0 && table.regions.includes(slug) ? slug : undefined;
  const wanted = region ? `${label.slice(0, cut)}.<region>` : label;
  // A product that is in one location alone names it, and has no regions.
  const single = table.services.find((service) => region !== undefined && service.hosts.includes(label));
  if (single)
    return underPrefix(single, path, undefined, '') ?? { service: single, region: undefined, path, prefix: '' };
  const candidates = table.services.filter((service) => service.hosts.includes(wanted));
  for (const service of candidates) {
    const found = underPrefix(service, path, region, '');
    if (found) return found;
  }
  // The host of one product alone; `api` is that of several.
  const only = candidates.length === 1 || region !== undefined ? candidates[0] : undefined;
  if (only && wanted !== 'api') return { service: only, region, path, prefix: '' };
  return region === undefined ? undefined : byOwnHost(table, wanted, region, path);
}

// The host of one resource, such as a pipeline's: its number becomes the first part of the path.
function byOwnHost({ services }: AddressTable, wanted: string, region: string, path: string): Located | undefined {
  for (const service of services)
    for (const host of service.hosts) {
      const number = host.includes('<number>') ? numberPattern(host).exec(wanted)?.[1] : undefined;
      if (number !== undefined) return { service, region, path: `/${number}${path === '/' ? '' : path}`, prefix: '' };
    }
  return undefined;
}

const numberPatterns = new Map<string, RegExp>();

function numberPattern(host: string): RegExp {
  const known = numberPatterns.get(host);
  if (known) return known;
  const parts = host.split(/(<number>|<account>)/).map((part) => hostParts[part] ?? RegExp.escape(part));
  const pattern = new RegExp(`^${parts.join('')}$`);
  numberPatterns.set(host, pattern);
  return pattern;
}

const hostParts: Record<string, string> = { '<number>': '(\\d{1,12})', '<account>': '[a-z0-9-]{1,63}' };

function byPath(table: AddressTable, path: string, region: string | undefined, before: string): Located | undefined {
  for (const service of table.services) {
    const found = underPrefix(service, path, region, before);
    if (found) return found;
    if (service.roots?.includes(firstPart(path))) return { service, region, path, prefix: before };
  }
  return undefined;
}

export function firstPart(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end < 0 ? undefined : end);
}

function byRegionPath(table: AddressTable, path: string): Located | undefined {
  const cut = path.indexOf('/', 1);
  const slug = firstPart(path);
  if (!table.regions.includes(slug)) return undefined;
  const regional = { ...table, services: table.services.filter(hasRegions) };
  const found = byPath(regional, cut < 0 ? '/' : path.slice(cut), slug, `/${slug}`);
  // Links to resources of a product with one location name a region too, which has no effect there.
  return found && !isInRegions(found.service) ? { ...found, region: undefined } : found;
}

const isInRegions = ({ hosts }: Service): boolean => hosts.some((host) => host.includes('<region>'));
const hasRegions = (service: Service): boolean =>
  isInRegions(service) || service.hosts.some((host) => /\.[a-z]{2}-[a-z]{3}$/.test(host));

export function underPrefix(
  service: Service,
  path: string,
  region: string | undefined,
  before: string,
): Located | undefined {
  for (const prefix of service.prefixes) {
    if (
      path.startsWith(prefix) &&
      (path.length === prefix.length || path.charCodeAt(prefix.length) === 0x2f || prefix === '')
    )
      return { service, region, path: path.slice(prefix.length) || '/', prefix: before + prefix };
  }
  return undefined;
}

// The addresses of a platform's services: one gateway with a prefix for each service, or the separate hosts that
// clients of the platform have built in. An endpoint file, as `env --config` writes it, overrides them.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { isObject, type Json } from '../../base/json.ts';

export interface DeclaredEndpoint {
  name: string;
  path: string;
  host?: string;
  locations?: readonly string[];
}

export interface GivenEndpoint {
  product: string;
  url: string;
  location: string | undefined; // de/txl
}

export interface AddressOptions {
  from: string;
  endpoints: readonly DeclaredEndpoint[];
  regions: readonly string[];
  given?: readonly GivenEndpoint[];
}

// Returns the URL of a path that is written as the gateway of a region has it: /de-txl/monitoring/pipelines.
export function addressesOf({ from, endpoints, regions, given = [] }: AddressOptions): (path: string) => string {
  const origin = from.replace(/\/+$/, '').replace(/\/cloudapi\/v6$/, '');
  const { protocol, hostname, port } = new URL(origin);
  const domain = hostname.startsWith('api.') ? hostname.slice('api.'.length) : undefined;
  const byLength = endpoints.filter(({ host }) => host !== undefined).toSorted((a, b) => b.path.length - a.path.length);
  return (path) => {
    const [, first = ''] = path.split('/');
    const region = regions.includes(first) ? first : undefined;
    const rest = region === undefined ? path : path.slice(region.length + 1);
    const endpoint = byLength.find((one) => rest === one.path || rest.startsWith(`${one.path}/`));
    if (!endpoint) return origin + path;
    const below = rest.slice(endpoint.path.length);
    const location = region?.replaceAll('-', '/');
    const own = given.filter(({ product }) => product === endpoint.name);
    const chosen = own.find((one) => one.location === location) ?? own.find((one) => one.location === undefined);
    if (chosen) return withPath(chosen.url, endpoint) + below;
    if (domain === undefined) return origin + path;
    const host = `${endpoint.host?.replace('<region>', region ?? '')}.${domain}${port === '' ? '' : `:${port}`}`;
    return `${protocol}//${host}${endpoint.host === 'api' ? endpoint.path : ''}${below}`;
  };
}

// An endpoint of the common host may be given without the path of its service.
function withPath(url: string, { host, path }: DeclaredEndpoint): string {
  const plain = url.replace(/\/+$/, '');
  return host === 'api' && new URL(plain).pathname === '/' ? plain + path : plain;
}

export function checkedUrl(from: string): string {
  const url = URL.parse(from);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new Fault('refused', 'The source must be an address, such as https://api.ionos.com.');
  if (url.username !== '' || url.password !== '')
    throw new Fault('refused', 'The address of the source must not have credentials. Pass the token separately.');
  return url.href.replace(/\/+$/, '');
}

export function readEndpoints(file: string): GivenEndpoint[] {
  const value = contentOf(file);
  const list = (one: Json | undefined, name: string): Json[] => {
    const inner = isObject(one) ? one[name] : undefined;
    return Array.isArray(inner) ? inner : [];
  };
  const current = isObject(value) ? value.currentProfile : undefined;
  const profile = list(value, 'profiles').find((one) => isObject(one) && one.name === current);
  const environments = list(value, 'environments');
  const wanted = isObject(profile) ? profile.environment : undefined;
  const environment = environments.find((one) => isObject(one) && one.name === wanted) ?? environments[0];
  const found = list(environment, 'products').flatMap((product) =>
    list(product, 'endpoints').flatMap((endpoint): GivenEndpoint[] => {
      if (!isObject(product) || !isObject(endpoint) || typeof endpoint.name !== 'string') return [];
      if (!URL.canParse(endpoint.name)) throw new Fault('refused', `${file}: '${endpoint.name}' is not an address.`);
      const location = typeof endpoint.location === 'string' ? endpoint.location : undefined;
      return [{ product: String(product.name), url: endpoint.name, location }];
    }),
  );
  if (found.length > 0) return found;
  throw new Fault('refused', `${file} has no endpoints. Expected a file as 'cumulet env --config' writes it.`);
}

function contentOf(file: string): Json {
  try {
    return parse(readFileSync(file, 'utf8')) as Json;
  } catch (error) {
    const isSyntax = (error as Error).name === 'YAMLParseError';
    throw new Fault('refused', isSyntax ? `${file} is not valid YAML.` : `${file} can't be read: ${fileError(error)}.`);
  }
}

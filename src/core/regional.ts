// Where the rows of regional products are: each region has its own place, so a list of one region is one range of
// rows, and a list of all of them is another. Children are below their parent: `streaming/clusters@de-txl/ID/topics`.
// The id of a resource without parents is unique in all regions and contracts: a claim has its path, for calls that
// name no region, and for clients that choose the id of what they create.
import { createHash } from 'node:crypto';
import type { Values } from '../base/json.ts';
import type { Row } from './state/engine.ts';

interface Placed {
  readonly root: string;
  readonly plural: string;
}

// `monitoring/pipelines@de-txl`
export const placeIn = (resource: Placed, region: string): string => `${placesOf(resource)}${region}`;

// The prefix of its places in all regions, and of no other resource's.
export const placesOf = ({ root, plural }: Placed): string => `${root}${plural}@`;

export function regionOf(path: string): string {
  const from = path.indexOf('@') + 1;
  const to = path.indexOf('/', from);
  return path.slice(from, to < 0 ? undefined : to);
}

// `de/txl` for the region `de-txl`
export const locationOf = (region: string): string => region.replaceAll('-', '/');

// The path of it below its service: `pipelines/ID`
export const servicePath = (path: string): string => path.replace(/^[^@]*?([^/@]+)@[^/]+/, '$1');

// The path of it below the gateway: `de-txl/monitoring/pipelines/ID`
export const regionalPath = (path: string): string =>
  path.replace(/^([^/]+)\/([^/@]+)@([^/]+)/, (_, service: string, plural: string, region: string) =>
    [region, service, plural].join('/'),
  );

export const idClaim = ({ name }: { readonly name: string }, id: string): string => `${name} ${id}`;

// Why its creation failed; undefined where it did not.
export const failureOf = ({ hidden }: Pick<Row, 'hidden'>): string | undefined =>
  hidden.includes('"failed":') ? ((JSON.parse(hidden) as Values).failed as string | undefined) : undefined;

// The id of what every contract and region has one of, such as a collection: always the same one.
export function namedId(...names: (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

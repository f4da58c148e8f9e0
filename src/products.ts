// All products, in the order of the API pages. A product is its folder and its line here.
import { activity } from './activity/declaration.ts';
import { agent } from './agent/declaration.ts';
import { autoscaling } from './autoscaling/declaration.ts';
import { billing } from './billing/declaration.ts';
import { certificates } from './certificates/declaration.ts';
import { compute } from './compute/declaration.ts';
import { console } from './console/declaration.ts';
import type { Resource } from './core/resource.ts';
import { dns } from './dns/declaration.ts';
import { identity } from './identity/declaration.ts';
import { inference } from './inference/declaration.ts';
import { lab } from './lab/declaration.ts';
import { logging } from './logging/declaration.ts';
import { monitoring } from './monitoring/declaration.ts';
import { objects } from './objects/declaration.ts';
import { streaming } from './streaming/declaration.ts';
import type { ServiceHome } from './surface/docs/seed-sections.ts';
import type { ClientEndpoint, Declaration, RegionOffer } from './surface/product.ts';

export const products: readonly Declaration[] = [
  console,
  compute,
  autoscaling,
  identity,
  activity,
  monitoring,
  logging,
  objects,
  dns,
  certificates,
  billing,
  streaming,
  inference,
  agent,
  lab,
];

// All declared resources, for callers that open no region.
export const declaredResources = async (): Promise<Resource[]> =>
  (await Promise.all(products.map((product) => product.resources?.() ?? []))).flat();

// The services that clients of the platform call, with its hosts.
export const declaredEndpoints = (): ClientEndpoint[] =>
  products.flatMap(({ clientEndpoints = [] }) => clientEndpoints);

export const declaredHomes = (): ServiceHome[] =>
  declaredEndpoints().flatMap(({ path, host }) => (host === undefined ? [] : [{ prefixes: [path], hosts: [host] }]));

export async function declaredOffer(catalogue?: string): Promise<RegionOffer> {
  for (const { offer } of products) if (offer) return offer(catalogue);
  throw new Error('No product declares an offer.');
}

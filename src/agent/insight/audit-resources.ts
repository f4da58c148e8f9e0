// The resources that audit entries name: their place in the API, their parents and their names. An audit entry has
// kinds and ids. The declarations give the collection of each kind, and the path of the call has the ids of the
// parents.
import { isObject, type Values } from '../../base/json.ts';
import { chainOf, type Resource } from '../../core/resource.ts';
import type { ServiceName } from '../client/addresses.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import type { ToolContext } from '../tool.ts';
import { nounOfResource, serviceOf } from '../tools/declared-tools.ts';
import { nameOf } from '../tools/named-ids.ts';
import { itemsOf, propertiesOf } from './inventory.ts';

export interface AuditResource {
  kind: string; // as in the audit
  noun: string;
  id: string;
  place?: { service: ServiceName; collection: string }; // absent: its collection is unknown
}

export interface Mention {
  kind: string;
  id: string;
}

export const keyOf = ({ kind, id, place }: AuditResource): string => `${place?.collection ?? kind}/${id}`;

export class AuditResources {
  readonly #chains = new Map<string, (readonly Resource[])[]>(); // by kind

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) {
      const { name, parents } = resource;
      const above = parents.length > 0 ? parents.map(chainOf) : [[]];
      this.#chains.set(
        name,
        above.map((chain) => [...chain, resource]),
      );
    }
  }

  // A resource and its parents, uppermost first. `near`: the other resources that the entry names.
  find({ kind, id }: Mention, uri: string, near: readonly Mention[]): AuditResource[] {
    for (const chain of this.#chains.get(kind) ?? []) {
      const found = chainIn(chain, id, uri, near);
      if (found) return found;
    }
    return [{ kind, noun: kind, id }];
  }
}

function chainIn(
  chain: readonly Resource[],
  id: string,
  uri: string,
  near: readonly Mention[],
): AuditResource[] | undefined {
  const service = serviceOf(chain)[0];
  const resources: AuditResource[] = [];
  let path = '';
  for (const [at, one] of chain.entries()) {
    const collection = `${path}/${one.dialect.collection(one)}`;
    const isLast = at === chain.length - 1;
    const own = isLast ? id : (idIn(uri, one) ?? near.find(({ kind }) => kind === one.name)?.id);
    if (own === undefined) return undefined;
    resources.push({ kind: one.name, noun: nounOfResource(one), id: own, place: { service, collection } });
    path = `${collection}${pathOf('/{id}', { id: own })}`;
  }
  return resources;
}

const idIn = (uri: string, resource: Resource): string | undefined => {
  const [, id] = uri.split(`/${resource.dialect.collection(resource)}/`);
  return id === undefined ? undefined : (id.split(/[/?]/)[0] ?? '') || undefined;
};

const maxCollections = 60;
const maxListed = 1000;

// The current names of resources, by `keyOf`. A collection is read once. Resources that were deleted or that the caller
// may not read have no name.
export async function namesNow(
  { api }: ToolContext,
  resources: readonly AuditResource[],
): Promise<Map<string, string>> {
  const places = new Map(resources.flatMap(({ place }) => (place ? [[place.collection, place] as const] : [])));
  const names = new Map<string, string>();
  const read = async ({ service, collection }: NonNullable<AuditResource['place']>): Promise<void> => {
    const answer = await api.object(service, collection, { depth: 1, limit: maxListed }).catch(noneOf);
    for (const item of itemsOf(answer)) names.set(`${collection}/${item.id}`, nameOf(propertiesOf(item)));
  };
  await atOnce([...places.values()].slice(0, maxCollections), read);
  return names;
}

// A collection that can't be read is skipped, and the rest is still reported.
export function noneOf(error: unknown): Values {
  if (error instanceof Failure) return {};
  throw error;
}

const maxAtOnce = 8;

export async function atOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, left.length) }, worker));
}

export const mentionsIn = ({ resources }: Values): Mention[] =>
  (Array.isArray(resources) ? resources.filter(isObject) : []).map(({ type, id }) => ({
    kind: String(type ?? ''),
    id: String(id ?? ''),
  }));

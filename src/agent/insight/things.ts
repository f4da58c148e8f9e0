// The things that the audit speaks of: where they are in the API, what they are in, and how users call them. The audit
// has kinds and ids; the declarations tell in which collection such a thing is, and the address that was called has the
// ids above it.
import { isObject, type Values } from '../../base/json.ts';
import { chainOf, type Resource } from '../../core/resource.ts';
import type { ServiceName } from '../client/addresses.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import type { Sight } from '../tool.ts';
import { nounOfResource, serviceOf } from '../tools/declared-tools.ts';
import { nameOf } from '../tools/named-ids.ts';
import { itemsOf, propertiesOf } from './inventory.ts';

export interface Thing {
  kind: string; // as in the audit
  noun: string;
  id: string;
  place?: { service: ServiceName; collection: string }; // absent: it is in no collection that is known
}

export interface Mention {
  kind: string;
  id: string;
}

export const keyOf = ({ kind, id, place }: Thing): string => `${place?.collection ?? kind}/${id}`;

export class Things {
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

  // A thing and all that it is in, uppermost first. `near`: what else the same entry names.
  find({ kind, id }: Mention, uri: string, near: readonly Mention[]): Thing[] {
    for (const chain of this.#chains.get(kind) ?? []) {
      const found = chainIn(chain, id, uri, near);
      if (found) return found;
    }
    return [{ kind, noun: kind, id }];
  }
}

function chainIn(chain: readonly Resource[], id: string, uri: string, near: readonly Mention[]): Thing[] | undefined {
  const service = serviceOf(chain)[0];
  const things: Thing[] = [];
  let path = '';
  for (const [at, one] of chain.entries()) {
    const collection = `${path}/${one.dialect.collection(one)}`;
    const isLast = at === chain.length - 1;
    const own = isLast ? id : (idIn(uri, one) ?? near.find(({ kind }) => kind === one.name)?.id);
    if (own === undefined) return undefined;
    things.push({ kind: one.name, noun: nounOfResource(one), id: own, place: { service, collection } });
    path = `${collection}${pathOf('/{id}', { id: own })}`;
  }
  return things;
}

const idIn = (uri: string, resource: Resource): string | undefined => {
  const [, id] = uri.split(`/${resource.dialect.collection(resource)}/`);
  return id === undefined ? undefined : (id.split(/[/?]/)[0] ?? '') || undefined;
};

const mostCollections = 60;
const mostListed = 1000;

// The names that things have now, by `keyOf`. A collection is read once; what is gone, or is not the caller's to read,
// has none.
export async function namesNow({ api }: Sight, things: readonly Thing[]): Promise<Map<string, string>> {
  const places = new Map(things.flatMap(({ place }) => (place ? [[place.collection, place] as const] : [])));
  const names = new Map<string, string>();
  const read = async ({ service, collection }: NonNullable<Thing['place']>): Promise<void> => {
    const told = await api.object(service, collection, { depth: 1, limit: mostListed }).catch(noneOf);
    for (const item of itemsOf(told)) names.set(`${collection}/${item.id}`, nameOf(propertiesOf(item)));
  };
  await atOnce([...places.values()].slice(0, mostCollections), read);
  return names;
}

// A part that can't be read is no reason to tell nothing.
export function noneOf(error: unknown): Values {
  if (error instanceof Failure) return {};
  throw error;
}

const mostAtOnce = 8;

export async function atOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, left.length) }, worker));
}

export const mentionsIn = ({ resources }: Values): Mention[] =>
  (Array.isArray(resources) ? resources.filter(isObject) : []).map(({ type, id }) => ({
    kind: String(type ?? ''),
    id: String(id ?? ''),
  }));

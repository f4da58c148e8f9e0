// The sections of a seed, derived from the declarations: one for each resource that can be created, with the resources
// that can be created in it.
import { core } from '../../core/dialect.ts';
import { chainOf, type Resource } from '../../core/resource.ts';
import type { Properties } from '../../core/schema.ts';
import { collectionPath, pathTo } from '../resource-paths.ts';

export interface Section {
  key: string; // in the seed
  resource: Resource;
  prefix: string; // of its service
  path: string; // /datacenters/{datacenterId}/servers
  isRegional: boolean; // an item may name its region
  parent: Section | undefined;
  children: Section[];
  entities: string[]; // collections that are created with it, by the same request
}

// Of the items that are created with one of the section, such as the volumes of a server.
export const entitySection = ({ parent }: Section, plural: string): Section | undefined =>
  parent?.children.find(({ resource }) => resource.plural === plural);

// A service, or what is declared of one.
export interface ServiceHome {
  prefixes: readonly string[];
  hosts: readonly string[];
}

// The property that identifies an item.
export const nameProperty = ({ resource: { properties } }: Section): string =>
  ['name', 'email', 'zoneName', 'key'].find((one) => one in properties) ?? 'name';

// The properties of an item.
export const seededProperties = ({ properties, sourceValues }: Resource): Properties =>
  sourceValues
    ? Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          sourceValues.includes(name) ? { ...property, serverFilled: false, required: true } : property,
        ]),
      )
    : properties;

// All of them, by their keys at the top of a seed. Deeper ones are only found below their parents: they would need the
// names of several others.
export function sectionsOf(resources: readonly Resource[], services: readonly ServiceHome[]): Map<string, Section> {
  const top = new Map<string, Section>();
  const all = new Map<string, Section>(); // by the name of the resource
  for (const resource of resources.toSorted(rootsFirst)) {
    const parents = resource.parents.length === 0 ? [undefined] : resource.parents;
    for (const parent of parents) {
      const above = parent && all.get(parent.name);
      const place = placeOf(resource, parent, services);
      if (!place || (parent && !above)) continue;
      const section: Section = {
        key: top.has(resource.plural) ? `${serviceWord(resource)}${capital(resource.plural)}` : resource.plural,
        resource,
        ...place,
        parent: above,
        children: [],
        entities: resource.entities.filter(({ composite }) => composite).map(({ name }) => name),
      };
      if (!all.has(resource.name)) all.set(resource.name, section);
      above?.children.push(section);
      if (!above?.parent && !top.has(section.key)) top.set(section.key, section);
    }
  }
  return top;
}

const depth = ({ parents }: Resource): number => (parents[0] ? depth(parents[0]) + 1 : 0);
// Resources whose paths begin with their root come first: of equal plurals they have the short key.
const isService = (one: Resource): number => (one.dialect.collection(one) === one.root + one.plural ? 0 : 1);
const rootsFirst = (a: Resource, b: Resource): number => depth(a) - depth(b) || isService(a) - isService(b);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const serviceWord = ({ root, name }: Resource): string => /^[a-z]+/.exec(root)?.[0] ?? name;

type Place = Pick<Section, 'prefix' | 'path' | 'isRegional'>;

// Where it is created.
function placeOf(
  resource: Resource,
  parent: Resource | undefined,
  services: readonly ServiceHome[],
): Place | undefined {
  if (!resource.verbs.includes('create') && !resource.ownCreation) return undefined;
  const front = resource.dialect === core ? '/cloudapi' : `/${resource.root.split('/')[0]}`;
  const home =
    services.find(({ prefixes }) => prefixes.includes(front)) ??
    services.find(({ prefixes }) => prefixes.some((prefix) => prefix.startsWith(`${front}/`)));
  if (!home) return undefined;
  return {
    prefix: home.prefixes[0] ?? '',
    path: pathTo(parent ? chainOf(parent) : []) + collectionPath(resource),
    isRegional: home.hosts.some((host) => host.includes('<region>')),
  };
}

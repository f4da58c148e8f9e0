// Products of the platform that no region has: a dump names their resources as omitted.
import { isObject, type Values } from '../../base/json.ts';
import { type Reader, Unreadable } from './http-reader.ts';

const products: Readonly<Record<string, string>> = {
  '/cloudapi/v6/k8s': 'Kubernetes clusters',
  '/databases/postgresql/clusters': 'PostgreSQL clusters',
  '/databases/mongodb/clusters': 'MongoDB clusters',
  '/containerregistries/registries': 'container registries',
};
const mostNames = 10;

export async function foreignResources(reader: Reader): Promise<string[]> {
  const notes = Object.entries(products).map(async ([path, what]): Promise<string[]> => {
    try {
      const { items } = await reader.get(`${path}?depth=1`);
      const names = (Array.isArray(items) ? items : []).filter(isObject).map(nameOf);
      if (names.length === 0) return [];
      const more = names.length > mostNames ? ', …' : '';
      const listed = `${names.slice(0, mostNames).join(', ')}${more}`;
      return [`${names.length} ${what} were not read, because no region has this product: ${listed}.`];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (error.status === 404 || error.isUnknownHost) return []; // another region
      return [`${what} were not read: ${error.message}.`];
    }
  });
  return (await Promise.all(notes)).flat();
}

function nameOf({ id, properties }: Values): string {
  const { name, displayName } = isObject(properties) ? properties : {};
  return String(name ?? displayName ?? id);
}

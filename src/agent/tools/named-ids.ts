// Names in place of ids. A value that is not a UUID is searched in its collection: as an id first, then as a name, then
// as a name in any case. Only one resource may match.
import { isUuid } from '../../base/ids.ts';
import { isObject, type Values } from '../../base/json.ts';
import type { ServiceName } from '../client/addresses.ts';
import { Failure } from '../client/failure.ts';
import { type PlatformApi, pathOf } from '../client/platform-api.ts';

const maxListed = 1000;
const maxNames = 20;

// The properties by which users name resources.
const nameProperties = ['name', 'zoneName', 'email', 'key', 'accessKey'];

export function nameOf(properties: Values): string {
  const property = nameProperties.find((one) => typeof properties[one] === 'string' && properties[one] !== '');
  return property === undefined ? '' : String(properties[property]);
}

// Like pathOf, with names replaced by ids.
export async function resolvedPath(
  api: PlatformApi,
  service: ServiceName,
  template: string,
  args: Values,
): Promise<string> {
  const values = { ...args };
  for (const { index, 0: part, 1: name = '' } of template.matchAll(/\/\{(\w+)\}/g)) {
    pathOf(part, values); // a value that can't be an id can't be a name either
    if (isUuid(String(values[name]))) continue;
    const collection = pathOf(template.slice(0, index), values);
    values[name] = await idOf(api, service, collection, nounOf(name), String(values[name]));
  }
  return pathOf(template, values);
}

export const nounOf = (argument: string): string => argument.replace(/_id$/, '').replaceAll('_', ' ');

interface Named {
  id: string;
  name: string;
}

async function idOf(
  api: PlatformApi,
  service: ServiceName,
  collection: string,
  noun: string,
  word: string,
): Promise<string> {
  const all = await listed(api, service, collection);
  return all ? oneOf(all, noun, word).id : word;
}

export function oneOf<T extends Named>(all: readonly T[], noun: string, word: string): T {
  const lower = word.toLowerCase();
  const ways = [
    ({ id }: Named): boolean => id === word,
    ({ name }: Named): boolean => name === word,
    ({ name }: Named): boolean => name.toLowerCase() === lower,
  ];
  const found = ways.map((isMeant) => all.filter(isMeant)).find((some) => some.length > 0) ?? [];
  const [only] = found;
  if (only && found.length === 1) return only;
  const quotedWord = JSON.stringify(word.slice(0, 120));
  if (only) throw new Failure(`Several have the name ${quotedWord}. Pass the id of one ${noun}. ${existing(found)}`);
  throw new Failure(`No ${noun} has the id or name ${quotedWord}. ${existing(all)}`);
}

// Undefined if the collection can't be read: then the call itself reports why.
async function listed(
  api: PlatformApi,
  service: ServiceName,
  collection: string,
): Promise<readonly Named[] | undefined> {
  try {
    const { items } = await api.object(service, collection, { depth: 1, limit: maxListed });
    if (!Array.isArray(items)) return undefined;
    return items.filter(isObject).map(({ id, properties }) => ({
      id: String(id),
      name: isObject(properties) ? nameOf(properties) : '',
    }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function existing(all: readonly Named[]): string {
  if (all.length === 0) return 'None exist.';
  const shown = all.slice(0, maxNames).map(({ id, name }) => (name === '' ? id : `${JSON.stringify(name)} (${id})`));
  const more = all.length > maxNames ? ` and ${all.length - maxNames} more` : '';
  return `Existing: ${shown.join(', ')}${more}.`;
}

// Facts about servers and volumes that a list shows: addresses, images, and the server of a volume.
import type { NameSource, Names } from '../resources/list-names.ts';
import type { Item } from '../resources/model.ts';
import { pathOf } from '../resources/page-urls.ts';
import { shortId } from '../resources/place.ts';

const core = '/cloudapi/v6';
const mostNames = 10_000;

type Values = Readonly<Record<string, unknown>>;

export const insideOf = ({ entities = {} }: Item, name: string): readonly { id: string; properties: Values }[] => {
  const { items = [] } = (entities[name] ?? {}) as { items?: { id: string; properties?: Values }[] };
  return items.map(({ id, properties = {} }) => ({ id, properties }));
};

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export const addressesOf = (server: Item): string[] =>
  insideOf(server, 'nics').flatMap(({ properties: { ips, ipv6Ips } }) => [...textsOf(ips), ...textsOf(ipv6Ips)]);

// The image of the boot volume, or else of the first volume with an image.
export function imageOf(server: Item): string {
  const volumes = insideOf(server, 'volumes');
  const { id } = (server.properties.bootVolume ?? {}) as { id?: string };
  const boot = volumes.find((volume) => volume.id === id) ?? volumes.find(({ properties }) => properties.image);
  return textIn(boot?.properties.image);
}

export const storageOf = (server: Item): number =>
  insideOf(server, 'volumes').reduce((sum, { properties }) => sum + (Number(properties.size) || 0), 0);

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const given = (...ids: readonly string[]): string[] => ids.filter((id) => id !== '');

const images: readonly string[] = [`${core}/images?depth=1`, `${core}/snapshots?depth=1`];

export const imageNames: NameSource = { at: () => images, of: (server) => given(imageOf(server)) };

export const volumeNames: NameSource = {
  at: (path) => [`/console/across${path.replace(/volumes$/, 'servers')}?show=name&limit=${mostNames}`, ...images],
  of: ({ properties: { bootServer, image } }) => given(textIn(bootServer), textIn(image)),
};

export const nameOrId = (id: unknown, names: Names): string => {
  const text = textIn(id);
  return names.get(text) ?? shortId(text);
};

// The path of the server that a volume is attached to, below the service.
export const serverPathOf = ({ href = '', properties: { bootServer } }: Item): string | undefined =>
  typeof bootServer === 'string'
    ? pathOf(href)
        .slice(core.length)
        .replace(/\/volumes\/.*$/, `/servers/${bootServer}`)
    : undefined;

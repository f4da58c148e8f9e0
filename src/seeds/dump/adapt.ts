// Images and templates have other ids on other platforms: in a dump, volumes name the alias of an image instead of its
// id, and Cubes a template of the same name.
import type { Values } from '../../base/json.ts';
import type { RegionOffer } from '../../surface/product.ts';
import type { Adapter } from './dump-seed.ts';
import type { Reading } from './reading.ts';

const core = '/cloudapi/v6';

export function adapterTo(offer: RegionOffer, reading: Reading): Adapter {
  const byId = (collection: string): Map<string, Values> =>
    new Map(reading.list(`${core}/${collection}`).map(({ id, properties }) => [String(id), properties as Values]));
  const sources = { images: byId('images'), snapshots: byId('snapshots'), offer };
  const templates = byId('templates');
  return {
    values(kind, values, chosen, location) {
      if (kind === 'volume') return adaptVolume(values, chosen, location, sources);
      if (kind === 'server') return adaptServer(values, chosen, templates, offer);
      return undefined;
    },
    cdrom(id, location) {
      const names = [id, ...aliasesOf(sources.images.get(id) ?? {}, '_iso')];
      return names.map((name) => offer.image(location, name)).find((one) => one !== undefined);
    },
  };
}

interface Sources {
  images: ReadonlyMap<string, Values>;
  snapshots: ReadonlyMap<string, Values>;
  offer: RegionOffer;
}

function adaptVolume(values: Values, chosen: Values, location: string, sources: Sources): string | undefined {
  const id = values.image;
  if (typeof id !== 'string' || id === '' || sources.offer.image(location, id) !== undefined) return undefined;
  const image = sources.images.get(id);
  const snapshot = sources.snapshots.get(id);
  const name = String((image ?? snapshot)?.name ?? id);
  const alias = aliasesOf(image ?? {}).find((one) => sources.offer.image(location, one) !== undefined);
  chosen.image = { id, name };
  delete values.image;
  if (alias !== undefined) {
    values.imageAlias = alias;
    return undefined;
  }
  const what = snapshot ? 'the snapshot' : image?.public === false ? 'the private image' : 'the image';
  return `A blank volume stands for ${what} ${name}`;
}

// The platform's images have aliases, and names such as Debian-12-server-2026-01-01.
function aliasesOf({ imageAliases, name }: Values, end = ''): string[] {
  const [, system = '', version = ''] = /^([a-z]+)[-_ ](\d+(?:\.\d+)?)/i.exec(String(name ?? '')) ?? [];
  const given = Array.isArray(imageAliases) ? imageAliases.map(String) : [];
  return [...given, ...[version, 'latest'].map((one) => `${system}:${one}${end}`.toLowerCase())];
}

function adaptServer(
  values: Values,
  chosen: Values,
  templates: Sources['images'],
  offer: RegionOffer,
): string | undefined {
  const id = values.templateUuid;
  if (typeof id !== 'string' || id === '' || offer.template(id) !== undefined) return undefined;
  const name = String(templates.get(id)?.name ?? '');
  const own = offer.template(name);
  if (own === undefined) return `No region has the template ${name || id}`;
  chosen.templateUuid = { id, name };
  values.templateUuid = own;
  return undefined;
}

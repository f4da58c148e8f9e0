// Images and templates have other ids on other platforms: in a dump, volumes name the alias of an image instead of its
// id, and Cubes and GPU servers a template of the region.
import { isObject, type Values } from '../../base/json.ts';
import type { RegionOffer } from '../../surface/product.ts';
import type { Reading } from './reading.ts';
import { Templates } from './templates.ts';
import type { Adapted, Adapter } from './tree.ts';

const core = '/cloudapi/v6';

export function adapterTo(offer: RegionOffer, reading: Reading): Adapter {
  const byId = (collection: string): Map<string, Values> =>
    new Map(reading.list(`${core}/${collection}`).map(({ id, properties }) => [String(id), properties as Values]));
  const sources = { images: byId('images'), snapshots: byId('snapshots'), offer };
  const templates = new Templates(byId('templates'), offer.templates);
  const locationOf = ({ datacenter }: Values): string => {
    const id = isObject(datacenter) ? datacenter.id : undefined;
    const found = reading.list(`${core}/datacenters`).find((one) => one.id === id);
    return String((found?.properties as Values | undefined)?.location ?? '');
  };
  return {
    values(kind, values, chosen, { location, owner }) {
      if (kind === 'volume' && owner) templates.fitVolume(values, owner);
      if (kind === 'volume') return adaptVolume(values, chosen, location, sources);
      if (kind === 'server') return templates.adaptServer(values, chosen);
      if (kind === 'autoscalinggroup') return adaptGroup(values, locationOf(values), sources);
      return {};
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

function adaptVolume(values: Values, chosen: Values, location: string, sources: Sources): Adapted {
  const unknown = adaptImage(values, chosen, location, sources);
  return unknown === undefined ? {} : { placeholder: `Blank volume instead of ${unknown}` };
}

// Returns what no region has.
function adaptImage(values: Values, chosen: Values, location: string, sources: Sources): string | undefined {
  const id = values.image;
  if (typeof id !== 'string' || id === '' || sources.offer.image(location, id) !== undefined) return undefined;
  if (sources.snapshots.has(id)) return undefined; // another item
  const image = sources.images.get(id);
  const name = String(image?.name ?? id);
  const alias = aliasesOf(image ?? {}).find((one) => sources.offer.image(location, one) !== undefined);
  chosen.image = { id, name };
  delete values.image;
  if (alias !== undefined) {
    values.imageAlias = alias;
    return undefined;
  }
  return `${image?.public === false ? 'the private image' : 'the image'} ${name}`;
}

// The image of a replica's volume is required.
const usualAlias = 'debian:latest';

function adaptGroup(values: Values, location: string, sources: Sources): Adapted {
  const { replicaConfiguration: configuration } = values;
  if (!isObject(configuration) || !Array.isArray(configuration.volumes)) return {};
  if (location === '') return {}; // a group of a datacenter that was not read: it is omitted
  const unknown: string[] = [];
  const volumes = configuration.volumes.filter(isObject).map((volume) => {
    const { ...own } = volume;
    const alias = typeof own.imageAlias === 'string' ? own.imageAlias : undefined;
    const isUnknown = alias !== undefined && sources.offer.image(location, alias) === undefined;
    const what = isUnknown ? `the image ${alias}` : adaptImage(own, {}, location, sources);
    if (what === undefined) return own;
    unknown.push(what);
    return { ...own, imageAlias: usualAlias };
  });
  values.replicaConfiguration = { ...configuration, volumes };
  if (unknown.length === 0) return {};
  return { placeholder: `New replicas have the image ${usualAlias} instead of ${unknown.join(', ')}` };
}

// The platform's images have aliases, and names such as Debian-12-server-2026-01-01.
function aliasesOf({ imageAliases, name }: Values, end = ''): string[] {
  const [, system = '', version = ''] = /^([a-z]+)[-_ ](\d+(?:\.\d+)?)/i.exec(String(name ?? '')) ?? [];
  const given = Array.isArray(imageAliases) ? imageAliases.map(String) : [];
  return [...given, ...[version, 'latest'].map((one) => `${system}:${one}${end}`.toLowerCase())];
}

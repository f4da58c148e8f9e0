// The offer of the region: locations, CPU families, GPUs, features, images and templates, from catalogue.json or the
// file that replaces it; the platform loads it before anything reads it. Ids are derived from names, so they are the
// same at every start and on every machine.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { type Json, parseJson, textOf } from '../../base/json.ts';
import data from './catalogue.json' with { type: 'json' };
import { checkCatalogue } from './catalogue-check.ts';
import { type CatalogueFile, type ImageEntry, isLinux, metroOf, type TemplateGpus } from './catalogue-file.ts';
import { jsonErrorPosition } from './json-error-position.ts';

export interface Location {
  id: string; // de/fra
  name: string;
  metroRegion: string; // the location of its images: its own id, except for a part of another location
  ipBlocks: boolean; // false: addresses are reserved in the metro region instead
}

export type CpuFamily = {
  cpuFamily: string;
  maxCores: number;
  maxRam: number; // MB
  vendor: string;
  enabledFeatures: string[];
};

export type GpuModel = { vendor: string; model: string };

export interface CatalogueImage {
  id: string;
  location: string;
  name: string;
  description: string | null;
  imageType: 'HDD' | 'CDROM';
  size: number; // GB
  licenceType: string;
  applicationType: string;
  cloudInit: 'V1' | 'NONE';
  imageAliases: string[];
  cpuHotPlug: boolean;
  cpuHotUnplug: boolean;
  ramHotPlug: boolean;
  ramHotUnplug: boolean;
  nicHotPlug: boolean;
  nicHotUnplug: boolean;
  discVirtioHotPlug: boolean;
  discVirtioHotUnplug: boolean;
  discScsiHotPlug: boolean;
  discScsiHotUnplug: boolean;
  exposeSerial: boolean;
  requireLegacyBios: boolean;
}

export interface CatalogueTemplate {
  id: string;
  name: string;
  cores: number;
  ram: number; // MB
  storageSize: number; // GB
  storageType: string;
  category: string;
  gpus: TemplateGpus[]; // empty: a template of Cubes
}

export interface Catalogue {
  regions: string[];
  defaultRegion: string;
  locations: Location[];
  features: string[];
  images: CatalogueImage[];
  templates: CatalogueTemplate[];
}

// The offer of a location, which its datacenters inherit.
export type Offer = { features: string[]; cpuArchitecture: CpuFamily[]; gpuArchitecture: GpuModel[] };

interface Loaded {
  catalogue: Catalogue;
  offered: Offer;
  offers: Map<string, Offer>; // by location; always the same objects, so that they are serialized once
  metros: Map<string, string>;
  images: Map<string, CatalogueImage>;
  engineImages: Map<string, string>; // by the id of the image
  aliases: Map<string, CatalogueImage>; // by location and alias
  templates: Map<string, CatalogueTemplate>;
}

const builtIn = loadedFrom(checkedFile(data as Json, 'built into this program'));
let loaded = builtIn;
let loadedFile: string | undefined;

export let catalogue: Catalogue = builtIn.catalogue;
export let offered: Offer = builtIn.offered; // anywhere

// Without a file, the built-in one. A file is read once: a region that was taken offline returns with the same
// catalogue, even if the file has changed.
export function loadCatalogue(file?: string): void {
  if (file === loadedFile) return;
  loaded = file === undefined ? builtIn : loadedFrom(checkedFile(readFile(file), file));
  ({ catalogue, offered } = loaded);
  loadedFile = file;
}

export const locationIds = (): string[] => catalogue.locations.map(({ id }) => id);
export const blockLocationIds = (): string[] =>
  catalogue.locations.filter(({ ipBlocks }) => ipBlocks).map(({ id }) => id);

export const metroRegionOf = (location: string): string => loaded.metros.get(location) ?? location;

// A datacenter may be in a location that the catalogue has lost since: then it gets the offer of all locations.
export const offeredAt = (location: string): Offer => loaded.offers.get(location) ?? offered;
export const gpusAt = (location: string): GpuModel[] => offeredAt(location).gpuArchitecture;
export const cpuFamiliesAt = (location: string): CpuFamily[] => offeredAt(location).cpuArchitecture;

export const imageById = (id: string): CatalogueImage | undefined => loaded.images.get(id);
// The names by which a machine engine finds its image for a catalogue image.
export const engineNamesOf = ({ id, imageAliases }: CatalogueImage): string[] => {
  const named = loaded.engineImages.get(id);
  return named === undefined ? imageAliases : [named];
};
export const templateById = (id: string): CatalogueTemplate | undefined => loaded.templates.get(id);

// By id or by alias, where it can be used: in the location, or in the location that it is a part of.
export function imageAt(location: string, idOrAlias: string): CatalogueImage | undefined {
  const metro = metroRegionOf(location);
  const image = loaded.images.get(idOrAlias) ?? loaded.aliases.get(aliasKey(metro, idOrAlias));
  return image?.location === metro ? image : undefined;
}

export const imageAliasesAt = (location: string): string[] => {
  const metro = metroRegionOf(location);
  return catalogue.images.filter((one) => one.location === metro).flatMap((one) => one.imageAliases);
};

function aliasKey(location: string, alias: string): string {
  return `${location} ${alias}`;
}

function readFile(file: string): Json {
  try {
    const text = textOf(readFileSync(file));
    const broken = jsonErrorPosition(text);
    if (broken) throw new Fault('refused', `it is not valid JSON at line ${broken.line}, column ${broken.column}.`);
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault) throw unusable(file, [error.message.replace(/^The body/, 'it')]);
    throw new Fault('refused', `The catalogue ${file} can't be read: ${fileError(error)}.`, { cause: error });
  }
}

function checkedFile(sent: Json, name: string): CatalogueFile {
  const { file, problems } = checkCatalogue(sent);
  if (problems.length > 0) throw unusable(name, problems);
  return file;
}

function unusable(file: string, [first = '', ...more]: string[]): Fault {
  const message = `The catalogue ${file} can't be used: ${first}`;
  return new Fault('refused', message, { problems: [message, ...more].map((one) => ({ message: one })) });
}

function loadedFrom(file: CatalogueFile): Loaded {
  const { regions, defaultRegion, features } = file;
  const locations = file.locations.map(
    ({ defaultCpuFamily: _, ...one }): Location => ({ ...one, metroRegion: metroOf(one) }),
  );
  const wholes = locations.filter(({ id, metroRegion }) => id === metroRegion).map(({ id }) => id);
  const images = wholes.flatMap((id) =>
    file.images.filter((one) => one.locations?.includes(id) ?? true).map((one) => imageIn(id, one)),
  );
  const templates = file.templates.map((one) => ({ ...one, id: one.id ?? namedUuid(`template:${one.name}`) }));
  const offerOf = (isHere: (places: string[]) => boolean, first?: string | null): Offer => ({
    features,
    cpuArchitecture: file.cpuFamilies
      .filter((one) => one.locations === null || isHere(one.locations))
      .map(({ description: _, locations: __, ...family }) => family)
      .sort((one, other) => Number(other.cpuFamily === first) - Number(one.cpuFamily === first)),
    gpuArchitecture: file.gpus
      .filter(({ locations }) => locations === null || isHere(locations))
      .map(({ vendor, model }) => ({ vendor, model })),
  });
  return {
    catalogue: { regions, defaultRegion, locations, features, images, templates },
    offered: offerOf(() => true),
    offers: new Map(
      file.locations.map((one) => [one.id, offerOf((places) => places.includes(one.id), one.defaultCpuFamily)]),
    ),
    metros: new Map(locations.map(({ id, metroRegion }) => [id, metroRegion])),
    images: new Map(images.map((one) => [one.id, one])),
    engineImages: new Map(
      file.images.flatMap((entry) =>
        entry.engineImage === null
          ? []
          : images
              .filter(({ name }) => name === entry.name)
              .map(({ id }): [string, string] => [id, String(entry.engineImage)]),
      ),
    ),
    aliases: new Map(
      images.flatMap((one) =>
        one.imageAliases.map((alias): [string, typeof one] => [aliasKey(one.location, alias), one]),
      ),
    ),
    templates: new Map(templates.map((one) => [one.id, one])),
  };
}

function imageIn(location: string, image: ImageEntry): CatalogueImage {
  const { aliases, cloudInit, requireLegacyBios, hotPlug, hotUnplug, engineImage: _, locations: __, ...same } = image;
  return {
    ...same,
    id: image.id ?? namedUuid(`image:${location}:${image.name}`),
    location,
    requireLegacyBios: requireLegacyBios ?? !isLinux(image.licenceType),
    cloudInit: cloudInit ?? (image.imageType === 'HDD' ? 'V1' : 'NONE'),
    imageAliases: aliases,
    cpuHotPlug: hotPlug.includes('cpu'),
    cpuHotUnplug: hotUnplug.includes('cpu'),
    ramHotPlug: hotPlug.includes('ram'),
    ramHotUnplug: hotUnplug.includes('ram'),
    nicHotPlug: hotPlug.includes('nic'),
    nicHotUnplug: hotUnplug.includes('nic'),
    discVirtioHotPlug: hotPlug.includes('discVirtio'),
    discVirtioHotUnplug: hotUnplug.includes('discVirtio'),
    discScsiHotPlug: hotPlug.includes('discScsi'),
    discScsiHotUnplug: hotUnplug.includes('discScsi'),
  };
}

// RFC 9562, version 5, in its namespace of URLs.
export function namedUuid(name: string): string {
  const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
  const digest = createHash('sha1').update(namespace).update(`urn:cumulet:${name}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The schema of a catalogue file: the fields of each entry and their defaults. docs/catalogue.md describes the same.
import { decimal, flag, integer, list, shape, text } from '../../core/schema.ts';

export interface CatalogueFile {
  regions: string[];
  defaultRegion: string;
  locations: LocationEntry[];
  features: string[];
  cpuFamilies: CpuFamilyEntry[];
  gpus: GpuEntry[];
  images: ImageEntry[];
  templates: TemplateEntry[];
}

interface LocationEntry {
  id: string;
  name: string;
  metroRegion: string | null; // null: its own id
  ipBlocks: boolean;
  defaultCpuFamily: string | null; // null: the first one offered there
}

interface CpuFamilyEntry {
  cpuFamily: string;
  description: string | null; // for readers of the file
  vendor: string;
  maxCores: number;
  maxRam: number;
  enabledFeatures: string[];
  locations: string[] | null; // null: everywhere
}

interface GpuEntry {
  vendor: string;
  model: string;
  locations: string[] | null; // null: everywhere
}

export interface ImageEntry {
  id: string | null; // null: derived from the location and the name
  name: string;
  description: string | null;
  imageType: 'HDD' | 'CDROM';
  aliases: string[];
  licenceType: string;
  applicationType: string;
  size: number;
  cloudInit: 'V1' | 'NONE' | null; // null: V1 for a hard disk, NONE for a CD-ROM
  hotPlug: string[];
  hotUnplug: string[];
  exposeSerial: boolean;
  requireLegacyBios: boolean | null; // null: false for Linux, true otherwise
  engineImage: string | null; // of the machine engine; null: found by the aliases
  locations: string[] | null; // null: every location that isn't a part of another
}

export interface TemplateEntry {
  id: string | null; // null: derived from the name
  name: string;
  cores: number;
  ram: number;
  storageSize: number;
  storageType: string;
  category: string;
  gpus: TemplateGpus[]; // empty: a template of Cubes
}

export type TemplateGpus = { vendor: string; model: string; type: string; count: number };

export const metroOf = ({ id, metroRegion }: Pick<LocationEntry, 'id' | 'metroRegion'>): string => metroRegion ?? id;

export const isLinux = (licenceType: string): boolean => ['LINUX', 'RHEL'].includes(licenceType);

const licences = 'UNKNOWN WINDOWS WINDOWS2016 WINDOWS2019 WINDOWS2022 WINDOWS2025 RHEL LINUX OTHER'.split(' ');
const editions = ['Web', 'Standard', 'Enterprise'];
const applications = ['UNKNOWN', ...['2019', '2022'].flatMap((year) => editions.map((one) => `MSSQL-${year}-${one}`))];
const pluggable = ['cpu', 'ram', 'nic', 'discVirtio', 'discScsi'];
const required = true;
const title = text({ required, min: 1, max: 255 });
const places = list(text(), { min: 1 });
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const parts = {
  regions: list(text(), { required, min: 1, max: 100 }),
  defaultRegion: text({ required }),
  locations: list(
    shape({
      id: text({
        required,
        pattern: /^[a-z]{2}\/[a-z0-9]{1,20}(\/[a-z0-9]{1,20})?$/,
        says: 'Expected <country>/<site> or <country>/<site>/<part>',
      }),
      name: title,
      metroRegion: text(),
      ipBlocks: flag({ default: true }),
      defaultCpuFamily: text(),
    }),
    { required, min: 1, max: 100 },
  ),
  features: list(text({ min: 1 }), { required }),
  cpuFamilies: list(
    shape({
      cpuFamily: text({ required, pattern: /^[A-Z][A-Z0-9_]{0,99}$/, says: 'Expected capitals, digits and _' }),
      description: text(),
      vendor: title,
      maxCores: integer({ required, min: 1 }),
      maxRam: integer({ required, min: 256, step: 256 }),
      enabledFeatures: list(text({ min: 1 }), { default: [] }),
      locations: places,
    }),
    { required, min: 1, max: 100 },
  ),
  gpus: list(shape({ vendor: title, model: title, locations: places }), { default: [], max: 100 }),
  images: list(
    shape({
      id: text({ pattern: uuidForm, says: 'Expected a UUID in lower case' }),
      name: title,
      description: text(),
      imageType: text({ required, oneOf: ['HDD', 'CDROM'] }),
      aliases: list(
        text({
          pattern: /^[a-z0-9][a-z0-9.-]{0,99}:[a-z0-9][a-z0-9._-]{0,99}$/,
          says: 'Expected <distribution>:<version>',
        }),
        { default: [] },
      ),
      licenceType: text({ required, oneOf: licences }),
      applicationType: text({ oneOf: applications, default: 'UNKNOWN' }),
      size: decimal({ required, min: 0.01, max: 4096 }),
      cloudInit: text({ oneOf: ['V1', 'NONE'] }),
      hotPlug: list(text({ oneOf: pluggable }), { default: ['cpu', 'ram', 'nic', 'discVirtio'] }),
      hotUnplug: list(text({ oneOf: pluggable }), { default: ['nic', 'discVirtio'] }),
      exposeSerial: flag({ default: false }),
      requireLegacyBios: flag(),
      engineImage: text({ min: 1, max: 255 }),
      locations: places,
    }),
    { required },
  ),
  templates: list(
    shape({
      id: text({ pattern: uuidForm, says: 'Expected a UUID in lower case' }),
      name: title,
      cores: integer({ required, min: 1 }),
      ram: integer({ required, min: 256, step: 256 }),
      storageSize: integer({ required, min: 1 }),
      storageType: text({ oneOf: ['HDD', 'SSD', 'SSD Standard', 'SSD Premium'], default: 'SSD Premium' }),
      category: title,
      gpus: list(
        shape({
          vendor: title,
          model: title,
          type: text({ oneOf: ['passthrough'], default: 'passthrough' }),
          count: integer({ required, min: 1, max: 16 }),
        }),
        { default: [], max: 8 },
      ),
    }),
    { required },
  ),
};

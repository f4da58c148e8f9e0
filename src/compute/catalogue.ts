// What the region offers: locations, CPU families, features. The facts stand in catalogue.json.
import type { Json, Values } from '../base/json.ts';
import data from './catalogue.json' with { type: 'json' };

export interface Location {
  id: string; // de/fra
  name: string;
  metroRegion: string;
  ipBlocks?: boolean; // false: addresses are reserved in the metro region instead
}

export interface Catalogue {
  regions: string[];
  defaultRegion: string;
  locations: Location[];
  features: string[];
  cpuArchitecture: Values[];
  imageAliases: string[];
}

export const catalogue: Catalogue = data;

export const locationIds = (): string[] => catalogue.locations.map(({ id }) => id);
export const blockLocationIds = (): string[] =>
  catalogue.locations.filter((one) => one.ipBlocks !== false).map(({ id }) => id);

// What every location offers, and a datacenter inherits; always the same object.
export const offered: { [name: string]: Json } = {
  features: catalogue.features,
  cpuArchitecture: catalogue.cpuArchitecture,
  gpuArchitecture: [],
};

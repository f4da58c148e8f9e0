// How the form of a new thing begins, as an extension says it.
import type { Item } from '../model.ts';
import type { Json } from '../schema-form/form-value.ts';

// What stands in the form at first, and what can be made along with the thing.
export interface FormStart {
  properties: Readonly<Record<string, Json>>;
  along: readonly Along[];
  kinds?: readonly Kind[];
}

// Some of the things that differ from the others in what they have, such as Cubes among servers.
export interface Kind {
  isOf(properties: Readonly<Record<string, Json | undefined>>): boolean;
  needs: readonly string[]; // properties that only this kind has, and has always
  without: readonly string[]; // properties that it has not
  along: Readonly<Record<string, KindAlong>>; // by the collection
}

export interface KindAlong {
  properties: Readonly<Record<string, Json>>; // that have no other value
  without: readonly string[];
}

export interface Along {
  of: string; // the name of the resource: volume
  in: string; // the collection of the new thing: volumes
  title: string; // Boot volume
  properties: Readonly<Record<string, Json>>; // at first
  only: readonly string[]; // the properties that the form asks for
  warnsOf?(properties: Readonly<Record<string, Json | undefined>>): string | undefined; // what is allowed, and not wise
  needs?: Needed;
}

// What it stands in, such as the LAN of a NIC: one that is there, or a new one that is made before, by its own call.
export interface Needed {
  of: string; // the name of the resource: lan
  by: string; // the property that names it
  title: string; // New LAN
  properties: Readonly<Record<string, Json>>; // of a new one, at first
  only: readonly string[];
  isBetter(item: Item): boolean; // chosen at first, where there are several
}

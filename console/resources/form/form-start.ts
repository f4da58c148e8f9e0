// The initial state of a creation form, from an extension.
import type { Item } from '../model.ts';
import type { Json } from '../schema-form/form-value.ts';

// Initial values, and nested resources that the form can create with the main resource.
export interface FormStart {
  properties: Readonly<Record<string, Json>>;
  nested: readonly NestedResource[];
  kinds?: readonly Kind[];
  sizes?: readonly Size[]; // to choose from; not of these kinds
}

// Values for several properties at once.
export interface Size {
  title: string; // 2 cores, 4 GB
  properties: Readonly<Record<string, Json>>;
}

// A variant of a resource type that has other properties, such as Cubes among servers.
export interface Kind {
  isOf(properties: Readonly<Record<string, Json | undefined>>): boolean;
  needs: readonly string[]; // required properties that only this kind has
  without: readonly string[]; // properties that this kind does not have
  nested: Readonly<Record<string, NestedInKind>>; // by the collection
}

export interface NestedInKind {
  properties: Readonly<Record<string, Json>>; // fixed values
  without: readonly string[];
}

export interface NestedResource {
  of: string; // the name of the resource: volume
  in: string; // the nested collection: volumes
  title: string; // Boot volume
  properties: Readonly<Record<string, Json>>; // initial values
  only: readonly string[]; // the properties that the form asks for
  nameFor(owner: string): string; // its name, from that of the main resource
  warnsOf?(properties: Readonly<Record<string, Json | undefined>>): string | undefined; // allowed but unwise
  needs?: RequiredResource;
}

// A resource that the nested resource needs, such as the LAN of a NIC: an existing one, or a new one that a preceding
// call creates.
export interface RequiredResource {
  of: string; // the name of the resource: lan
  by: string; // the property that names it
  title: string; // New LAN
  properties: Readonly<Record<string, Json>>; // initial values of a new one
  only: readonly string[];
  nameAfter(items: readonly Item[]): string; // of a new one, next to the existing ones
  isBetter(item: Item): boolean; // preferred as the initial selection
}

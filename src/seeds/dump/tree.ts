// The items of a contract that was read, in the shape of a seed.
import type { Values } from '../../base/json.ts';

// Replaces values that are only valid where they were read, such as the id of an image.
export interface Adapter {
  values(
    kind: string,
    values: Values,
    chosen: Values,
    place: { location: string; owner?: Values | undefined },
  ): Adapted;
  cdrom(id: string, location: string): string | undefined; // the id here
}

// All items with ids instead of references, for comparisons.
export interface Tree {
  sections: Record<string, Values[]>;
  names: Record<string, string>; // by id or address: the reference in seeds
}

// The parts of a tree that could not be read.
export interface Unread {
  sections: { key: string; region?: string | undefined }[];
  inner: Map<Values, string[]>; // by item: collections of it
  values: Map<Values, string[]>; // by item: properties that the platform does not show, or that no region accepts
}

export interface Adapted {
  note?: string;
  placeholder?: string | undefined; // why the values are others than those of the source
}

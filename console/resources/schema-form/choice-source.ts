// The source of the choices of a field.
import type { Item } from '../model.ts';
import type { Place } from './form-value.ts';

export interface Source {
  path: string; // empty if `values` are given
  values?: readonly (string | Choice)[];
  accepts?(item: Item): boolean;
  value?(item: Item): string; // default: the id
  note?(item: Item): string; // additional text of the choice
  offers?(item: Item): readonly Choice[]; // nested choices instead of the item itself
  depth?: number; // that `offers` needs
}

export interface Choices {
  of(place: Place): Source | undefined;
}

export interface Choice {
  value: string;
  text: string;
}

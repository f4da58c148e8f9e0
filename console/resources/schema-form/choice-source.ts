// Where the choices of fields come from, and what is offered of it.
import type { Item } from '../model.ts';
import type { Place } from './form-value.ts';

export interface Source {
  path: string; // empty: the values are known
  values?: readonly (string | Choice)[];
  accepts?(item: Item): boolean;
  value?(item: Item): string; // its id, unless it says another
  note?(item: Item): string; // what else to know when choosing
  offers?(item: Item): readonly Choice[]; // what is in it, instead of itself
  depth?: number; // that this needs
}

export interface Choices {
  of(place: Place): Source | undefined;
}

export interface Choice {
  value: string;
  text: string;
}

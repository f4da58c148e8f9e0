// The source of the choices of a field.
import type { Item, ResourceModel } from '../model.ts';
import type { Place } from './form-value.ts';

export interface Source {
  path: string; // empty if `values` are given
  values?: readonly (string | Choice)[];
  accepts?(item: Item): boolean;
  value?(item: Item): string; // default: the id
  note?(item: Item): string; // additional text of the choice
  offers?(item: Item): readonly Choice[]; // nested choices instead of the item itself
  depth?: number; // that `offers` needs
  load?(): Promise<readonly Item[]>; // instead of a GET of the path
  newTitle?: string; // default: `New LAN`
  creation?: Creation;
}

// A dialog creates a resource of the choices. The form then selects it.
export interface Creation {
  title: string; // New LAN
  of: 'bucket' | CreatedKind; // a bucket is not a declared resource
}

export interface CreatedKind {
  models: readonly ResourceModel[];
  model: ResourceModel;
  params: Readonly<Record<string, string>>; // of the path of the collection
}

export interface Choices {
  of(place: Place): Source | undefined;
}

export interface Choice {
  value: string;
  text: string;
}

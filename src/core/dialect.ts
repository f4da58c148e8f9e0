// A dialect is how a family of services is called and answers. Core knows the part of it that shapes rows and
// operations; the other half is the surface's (surface/dialect.ts). Declarations name one of the objects below, or a
// whole dialect that their product declares.
import { placeIn } from './regional.ts';

export interface Dialect {
  readonly name: string;
  // Whether a failed creation removes the resource. Clients that poll the resource instead of a request would not
  // understand a 404: for them it stays as FAILED until they remove it.
  readonly failedCreation: 'remove' | 'keep';
  // The place of the rows of a resource without parents, and its collection in the paths of its service.
  rootPlace(resource: Named, region: string): string;
  collection(resource: Named): string;
  // Accepts numbers as texts and enumerated words in any case; a PUT keeps omitted properties.
  readonly isLenient?: boolean;
  readonly hasDepth?: boolean; // its reads show more or less of a resource by `depth`, without it only links
}

interface Named {
  readonly root: string;
  readonly plural: string;
}

export const core: Dialect = {
  name: 'core',
  failedCreation: 'remove',
  isLenient: true,
  hasDepth: true,
  rootPlace: ({ root, plural }) => root + plural,
  collection: ({ root, plural }) => root + plural,
};

// Each region has its own rows, and the service is not part of the path: its prefix or its host names it.
export const regional: Dialect = {
  name: 'regional',
  failedCreation: 'keep',
  rootPlace: placeIn,
  collection: ({ plural }) => plural,
};

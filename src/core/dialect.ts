// A dialect is how a family of services is called and answers. Core knows the part of it that shapes rows and
// operations; the other half is the surface's (surface/dialect.ts). Declarations name one of the objects below.
import { placeIn } from './regional.ts';

export interface Dialect {
  readonly name: string;
  // What becomes of a resource whose creation failed. Clients that poll the resource instead of a request would not
  // understand that it never was: for them it stays as FAILED until they remove it.
  readonly failedCreation: 'remove' | 'keep';
  // The place of the rows of a resource without parents, and its collection in the paths of its service.
  rootPlace(resource: Named, region: string): string;
  collection(resource: Named): string;
  readonly states?: StateWords; // where the regional services' usual ones do not hold
}

// Where a regional resource tells what is under way on it, and by which words.
export interface StateWords {
  readonly name: string;
  readonly message: string; // the name of the reason of a failure
  readonly creating: string;
  readonly busy: string; // something in it is being made, changed or removed
  readonly ready?: string; // AVAILABLE, in a derived property `status`
}

interface Named {
  readonly root: string;
  readonly plural: string;
}

export const core: Dialect = {
  name: 'core',
  failedCreation: 'remove',
  rootPlace: ({ root, plural }) => root + plural,
  collection: ({ root, plural }) => root + plural,
};

// The service is no part of the path: its prefix names it.
export const autoscaling: Dialect = {
  name: 'autoscaling',
  failedCreation: 'remove',
  rootPlace: ({ root, plural }) => root + plural,
  collection: ({ plural }) => plural,
};

// Each region has rows of its own, and the service is no part of the path: its prefix or its host names it.
export const regional: Dialect = {
  name: 'regional',
  failedCreation: 'keep',
  rootPlace: placeIn,
  collection: ({ plural }) => plural,
};

export const regionalByState: Dialect = {
  ...regional,
  name: 'regional by state',
  states: { name: 'state', message: 'message', creating: 'DEPLOYING', busy: 'BUSY' },
};

// As logging tells it.
export const regionalByReadiness: Dialect = {
  ...regional,
  name: 'regional by readiness',
  states: { name: 'state', message: 'message', creating: 'PROVISIONING', busy: 'PROVISIONING', ready: 'Ready' },
};

// As DNS and certificates tell it.
export const regionalByProvisioning: Dialect = {
  ...regional,
  name: 'regional by provisioning',
  states: { name: 'state', message: 'message', creating: 'PROVISIONING', busy: 'PROVISIONING' },
};

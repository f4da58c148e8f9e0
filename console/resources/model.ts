// The models of all resource types: paths, properties and operations. src/console/derive-model.ts derives them from the
// declarations.
import type { ResourceModel } from '../../src/console/resource-model.ts';
import { call } from '../api.ts';

export type { FieldSchema, OperationModel, ResourceModel } from '../../src/console/resource-model.ts';

// One resource, as the API returns it in any of its dialects.
export interface Item {
  id: string;
  type?: string;
  href?: string;
  metadata?: Readonly<Record<string, unknown>>;
  properties: Readonly<Record<string, unknown>>;
  entities?: Readonly<Record<string, unknown>>;
  within?: Within; // in lists across several parents
}

// The parent of an item.
export interface Within {
  name: string;
  path: string; // with the prefix
}

let loaded: Promise<readonly ResourceModel[]> | undefined;

// Loaded once, because models change only with a new version of the region.
export function resourceModels(): Promise<readonly ResourceModel[]> {
  loaded ??= call<{ resources: ResourceModel[] }>('GET', '/console/model').then(
    ({ resources }) => resources,
    (error: unknown) => {
      loaded = undefined;
      throw error;
    },
  );
  return loaded;
}

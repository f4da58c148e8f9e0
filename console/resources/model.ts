// What the region says of its resources, derived from their declarations: where they are, what they have, what can be
// done with them (src/console/derive-model.ts makes it).
import type { ResourceModel } from '../../src/console/resource-model.ts';
import { call } from '../api.ts';

export type { FieldSchema, OperationModel, ResourceModel } from '../../src/console/resource-model.ts';

// One thing, as the API shows it in any of its dialects.
export interface Item {
  id: string;
  type?: string;
  href?: string;
  metadata?: Readonly<Record<string, unknown>>;
  properties: Readonly<Record<string, unknown>>;
  entities?: Readonly<Record<string, unknown>>;
  within?: Within; // in lists across several things
}

// What a thing is in.
export interface Within {
  name: string;
  path: string; // with the prefix
}

let asked: Promise<readonly ResourceModel[]> | undefined;

// Asked for once: it changes with the program only.
export function resourceModels(): Promise<readonly ResourceModel[]> {
  asked ??= call<{ resources: ResourceModel[] }>('GET', '/console/model').then(
    ({ resources }) => resources,
    (error: unknown) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

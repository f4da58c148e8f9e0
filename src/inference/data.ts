// The list of models and the documents of collections in save points, checks and resets.
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataHooks } from '../surface/product-data.ts';
import { modelsDamage } from './models/registry.ts';
import { withoutDocuments } from './native/without-documents.ts';

// A reset keeps the list: the models are files of the user.
export const inferenceData: DataHooks = {
  check: async ({ path }) => ({ damage: modelsDamage(dirname(path)) }),
  snapshot: { withoutContent: withoutDocuments, copySettings: copyFile },
};

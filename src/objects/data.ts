// The data hooks of object bytes: save points, backups, checks and resets.
import { rm } from 'node:fs/promises';
import { Store } from '../core/store.ts';
import { type CheckedPlace, type DataCheck, type DataHooks, isEmbedded } from '../surface/product-data.ts';
import { addRestored } from './engine/embedded/restored.ts';
import { isBlobFile, isFrozenBlobFile, placeOf, snapshotOf } from './engine/embedded/snapshot.ts';
import { openBlobs } from './engine/open.ts';
import { accessKey } from './management/access-key.ts';
import { withoutObjects } from './metadata/without-content.ts';
import { checkObjects, objectCount } from './upkeep/check.ts';

export const objectsData: DataHooks = {
  check: checkBytes,
  checksOutside: true,
  snapshot: { isFrozen: isFrozenBlobFile, pieces: snapshotOf, isHeld: true, withoutContent: withoutObjects },
  restore: { fileOf: (piece) => (isBlobFile(piece) ? placeOf(piece) : undefined), add: addRestored },
  reset: {
    keepsPath: (path) => path.startsWith(accessKey.root ?? accessKey.plural),
    // Bytes in a remote engine are removed by its sweep.
    async empty({ path }) {
      await rm(path, { recursive: true, force: true });
      return undefined;
    },
  },
};

async function checkBytes({ path, address, engine, isRunning }: CheckedPlace): Promise<DataCheck> {
  if (!engine || (await engine.range('object', { below: '', limit: 1 })).length === 0)
    return { damage: [], count: objectCount(0) };
  const isHere = isEmbedded(address);
  if (isHere && isRunning)
    return {
      damage: [],
      notes: ['The bytes of objects were not checked: a running region has them. Omit --state to check them.'],
    };
  const blobs = await openBlobs(isHere ? `embedded:${path}` : address);
  try {
    return await checkObjects(new Store(engine), blobs);
  } finally {
    await blobs.close();
  }
}

// The bytes of objects in `state check`: read beside the rows, and told together with them.
import type { StateEngine } from '../../core/state/engine.ts';
import { Store } from '../../core/store.ts';
import { openBlobs } from '../../objects/engine/open.ts';
import { checkObjects, type ObjectsCheck } from '../../objects/upkeep/check.ts';
import { isEmbedded } from './engine-place.ts';
import type { CheckedLogs } from './log-check.ts';
import { bytesElsewhere, type ObjectsPlace, objectsFolder } from './objects-folder.ts';

export interface Checked extends CheckedLogs {
  objects: number; // whose bytes were read
}

// `objects`: what was found, or why nothing was read.
export const withObjects = (found: CheckedLogs, objects: ObjectsCheck | string): Checked =>
  typeof objects === 'string'
    ? { ...found, objects: 0, notes: [...found.notes, objects] }
    : { ...found, objects: objects.objects, damage: [...found.damage, ...objects.damage] };

export const notAsked = 'The bytes of objects were not read.';

// Of a region that is stopped.
export async function checkBytes(engine: StateEngine, place: ObjectsPlace): Promise<ObjectsCheck | string> {
  if ((await engine.range('object', { below: '', limit: 1 })).length === 0) return { objects: 0, damage: [] };
  const isHere = isEmbedded(place.objects);
  const elsewhere = isHere ? await bytesElsewhere(engine, place) : undefined;
  if (elsewhere !== undefined) return `The bytes of objects were not read: ${elsewhere}.`;
  const blobs = await openBlobs(isHere ? `embedded:${objectsFolder(place.data)}` : place.objects);
  try {
    return await checkObjects(new Store(engine), blobs);
  } finally {
    await blobs.close();
  }
}

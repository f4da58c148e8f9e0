// The suite of the object storage, against MinIO built from its Go module.
import type { Figure } from '../harness/figure.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import { transferFigures } from './transfer.ts';

export const objectsNote =
  'MinIO runs with its defaults: it writes with O_DIRECT and syncs the content and the metadata of each object before it ' +
  'answers, but not the folder entries that name them (MINIO_FS_OSYNC=on would sync the whole file system for each); ' +
  'ours answers when content, folder entry and metadata are synced';

export const objectsFigures: readonly Figure[] = [...transferFigures, list, memory];

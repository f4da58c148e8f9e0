// The settings of the object storage.
import { assign, type Section } from '../config/section.ts';
import { engineAddress, portOf } from '../config/setting-values.ts';
import { blobEngines } from './engine/open.ts';

export interface ObjectsSettings {
  engine: string; // embedded, here, or s3+http(s)://…
  port: number | undefined;
}

export const objectsSettings: Section<ObjectsSettings> = {
  defaults: { engine: 'embedded', port: undefined },
  engineOption: 'objects',
  options: {
    objects: {
      takes: 'URL',
      help:
        'where the bytes of objects are stored: embedded (in the data folder of one node), here (moves them to this ' +
        'node), or s3+http(s)://KEY:SECRET@HOST/BUCKET for another object storage',
      set: (values, text) => assign(values, { engine: engineAddress('objects', text, blobEngines) }),
    },
    'objects-port': {
      takes: 'PORT',
      help: 'port of the object storage (7071)',
      set: (values, text) => assign(values, { port: portOf('objects-port', text) }),
    },
  },
};

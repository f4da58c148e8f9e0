// The settings of the object storage.
import { assign, type Section } from '../config/section.ts';
import { engineAddress, originOf, portOf } from '../config/setting-values.ts';
import { blobEngines } from './engine/open.ts';

export interface ObjectsSettings {
  engine: string; // embedded, here, or s3+http(s)://…
  port: number | undefined;
  publicUrl: string | undefined; // of the listener for clients elsewhere; absent: the host of the gateway and the port
}

export const objectsSettings: Section<ObjectsSettings> = {
  defaults: { engine: 'embedded', port: undefined, publicUrl: undefined },
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
    'objects-public-url': {
      takes: 'URL',
      help:
        'the URL of the object storage for clients on other machines, such as https://s3.cloud.example; by default the ' +
        'host of --public-url with the port of this node',
      set: (values, text) => assign(values, { publicUrl: originOf('objects-public-url', text) }),
    },
  },
};

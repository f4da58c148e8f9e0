// Opens a blob engine by the scheme of its address: `embedded:FOLDER`, or any S3 server. An engine is loaded when it is
// opened.
import { type EngineTable, inDataFolder, onWeb, opener } from '../../core/engines/engine-table.ts';
import type { BlobEngine } from './engine.ts';

type Open = (address: string) => Promise<BlobEngine>;

export const blobEngines: EngineTable<Open> = {
  embedded: {
    at: inDataFolder,
    async open(address) {
      const { openEmbeddedBlobs } = await import('./embedded/engine.ts');
      return openEmbeddedBlobs({ folder: address.slice('embedded:'.length) });
    },
  },
  's3+http(s)': {
    at: onWeb,
    open: async (address) => (await import('./remote/engine.ts')).openRemoteBlobs(address),
  },
};

export const openBlobs: Open = async (address) => opener(blobEngines, address)(address);

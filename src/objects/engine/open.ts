// Opens the blob engine of an address: `embedded:FOLDER`, or `s3+http(s)://…` for any S3 server.
import { Fault } from '../../base/fault.ts';
import { openEmbeddedBlobs } from './embedded/engine.ts';
import type { BlobEngine } from './engine.ts';

export async function openBlobs(address: string): Promise<BlobEngine> {
  if (isRemote(address)) {
    const { openRemoteBlobs } = await import('./remote/engine.ts');
    return openRemoteBlobs(address);
  }
  const [scheme, ...folder] = address.split(':');
  if (scheme === 'embedded') return openEmbeddedBlobs({ folder: folder.join(':') });
  throw new Fault('refused', `Objects are kept in embedded:FOLDER or s3+http(s)://…, not in ${scheme}:…`);
}

// With a remote engine every node can serve; an embedded one belongs to the node that has its folder.
const isRemote = (address: string): boolean => /^s3\+https?:/.test(address);

// Downloads an object by script, because only the console's own calls may use the session, and saves it as a file. The
// browser stores large ones on disk.
import type { Named } from '../s3/objects.ts';
import { s3 } from '../s3/s3.ts';
import type { Carry } from './transfers.ts';

export const downloadOf =
  ({ versionId, ...place }: Named, fileName: string): Carry =>
  async (onProgress, signal) => {
    const response = await s3('GET', place, { query: { versionId }, signal });
    const blob = await counted(response, onProgress).blob();
    save(fileName, blob);
  };

function counted({ body, headers }: Response, onProgress: (bytes: number) => void): Response {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.length;
      onProgress(bytes);
      controller.enqueue(piece);
    },
  });
  // No type, so that the browser never opens the blob as a page.
  return new Response(body?.pipeThrough(counter) ?? null, {
    headers: { 'content-type': 'application/octet-stream', etag: headers.get('etag') ?? '' },
  });
}

function save(name: string, blob: Blob): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000); // late enough for the browser to have read it
}

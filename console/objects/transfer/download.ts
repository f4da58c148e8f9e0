// The download of one object: its bytes come by script, as the session counts for the console's own calls alone, and
// leave as a file. The browser keeps large ones on disk.
import type { Named } from '../s3/objects.ts';
import { s3 } from '../s3/s3.ts';
import type { Carry } from './transfers.ts';

export const downloadOf =
  ({ versionId, ...place }: Named, fileName: string): Carry =>
  async (told, signal) => {
    const response = await s3('GET', place, { query: { versionId }, signal });
    const blob = await counted(response, told).blob();
    save(fileName, blob);
  };

function counted({ body, headers }: Response, told: (bytes: number) => void): Response {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.length;
      told(bytes);
      controller.enqueue(piece);
    },
  });
  // No type: nothing that opens the blob may take it for a page.
  return new Response(body?.pipeThrough(counter) ?? null, {
    headers: { 'content-type': 'application/octet-stream', etag: headers.get('etag') ?? '' },
  });
}

function save(name: string, blob: Blob): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000); // when the browser surely has it
}

// Uploads one file. Large files are sent in parts, a few at once; a part with a temporary failure is sent again. A
// cancelled upload leaves no parts behind.
import { withRetries } from '../s3/retry.ts';
import { documentOf, type Place, s3, s3Failure } from '../s3/s3.ts';
import { writeXml } from '../s3/xml.ts';
import { sendBytes } from './send-bytes.ts';
import type { Carry } from './transfers.ts';
import { type Part, partsOf } from './upload-plan.ts';

const partsAtOnce = 3;

export interface FileUpload extends Place {
  key: string;
  file: Blob;
}

export const uploadOf =
  (upload: FileUpload): Carry =>
  (onProgress, signal) => {
    const parts = partsOf(upload.file.size);
    return parts ? sendInParts(upload, parts, onProgress, signal) : sendWhole(upload, onProgress, signal);
  };

const typeOf = ({ file }: FileUpload): string => file.type || 'application/octet-stream';

async function sendWhole(upload: FileUpload, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<void> {
  const { file, ...place } = upload;
  const headers = { 'Content-Type': typeOf(upload) };
  await withRetries(() => sendBytes({ place, headers, body: file, signal, onProgress }), signal);
}

async function sendInParts(
  upload: FileUpload,
  parts: readonly Part[],
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { file, ...place } = upload;
  const headers = { 'Content-Type': typeOf(upload) };
  const begun = await withRetries(() => s3('POST', place, { query: { uploads: '' }, headers, signal }), signal);
  const uploadId = documentOf(await begun.text()).text('UploadId') ?? '';
  const query = { uploadId };
  const sent = new Map<number, number>();
  const etags = new Map<number, string>();
  const note = (part: number, bytes: number): void => {
    sent.set(part, bytes);
    onProgress([...sent.values()].reduce((sum, one) => sum + one, 0));
  };
  const waiting = [...parts];
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part && !signal.aborted; part = waiting.shift()) {
      const { number, from, to } = part;
      const body = file.slice(from, to);
      const about = { place, query: { ...query, partNumber: String(number) }, headers: {}, body, signal };
      const etag = await withRetries(() => sendBytes({ ...about, onProgress: (bytes) => note(number, bytes) }), signal);
      etags.set(number, etag);
    }
  };
  try {
    await Promise.all(Array.from({ length: partsAtOnce }, work));
    signal.throwIfAborted();
    await complete(place, query, parts, etags, signal);
  } catch (error) {
    await s3('DELETE', place, { query }).catch(() => undefined); // a lifecycle rule can remove the rest
    throw error;
  }
}

async function complete(
  place: Place,
  query: { uploadId: string },
  parts: readonly Part[],
  etags: ReadonlyMap<number, string>,
  signal: AbortSignal,
): Promise<void> {
  const Part = parts.map(({ number }) => ({ PartNumber: number, ETag: etags.get(number) }));
  const body = writeXml('CompleteMultipartUpload', { Part });
  const answer = await s3('POST', place, { query, body, signal });
  const text = await answer.text();
  if (/<Error[ >]/.test(text)) throw s3Failure(500, text); // S3 sends status 200 before the result is known
}

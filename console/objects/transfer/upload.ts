// The upload of one file. Large files go in parts, a few at once; a part that fails for the moment is sent again. An
// upload that is given up leaves no parts behind.
import { patiently } from '../s3/patience.ts';
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
  (told, signal) => {
    const parts = partsOf(upload.file.size);
    return parts ? sendInParts(upload, parts, told, signal) : sendWhole(upload, told, signal);
  };

const typeOf = ({ file }: FileUpload): string => file.type || 'application/octet-stream';

async function sendWhole(upload: FileUpload, told: (bytes: number) => void, signal: AbortSignal): Promise<void> {
  const { file, ...place } = upload;
  const headers = { 'Content-Type': typeOf(upload) };
  await patiently(() => sendBytes({ place, headers, body: file, signal, told }), signal);
}

async function sendInParts(
  upload: FileUpload,
  parts: readonly Part[],
  told: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { file, ...place } = upload;
  const headers = { 'Content-Type': typeOf(upload) };
  const begun = await patiently(() => s3('POST', place, { query: { uploads: '' }, headers, signal }), signal);
  const uploadId = documentOf(await begun.text()).text('UploadId') ?? '';
  const query = { uploadId };
  const sent = new Map<number, number>();
  const etags = new Map<number, string>();
  const note = (part: number, bytes: number): void => {
    sent.set(part, bytes);
    told([...sent.values()].reduce((sum, one) => sum + one, 0));
  };
  const waiting = [...parts];
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part && !signal.aborted; part = waiting.shift()) {
      const { number, from, to } = part;
      const body = file.slice(from, to);
      const about = { place, query: { ...query, partNumber: String(number) }, headers: {}, body, signal };
      const etag = await patiently(() => sendBytes({ ...about, told: (bytes) => note(number, bytes) }), signal);
      etags.set(number, etag);
    }
  };
  try {
    await Promise.all(Array.from({ length: partsAtOnce }, work));
    signal.throwIfAborted();
    await complete(place, query, parts, etags, signal);
  } catch (error) {
    await s3('DELETE', place, { query }).catch(() => undefined); // a lifecycle rule can remove what is left
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
  if (/<Error[ >]/.test(text)) throw s3Failure(500, text); // the status was sent before the end was known
}

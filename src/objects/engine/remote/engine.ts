// The blob engine that stores blobs in any S3 server, one object each, named by its id. It is as durable as that
// server. The server stores small blobs as it likes, so there is nothing to compact.
import { uuid } from '../../../base/ids.ts';
import { parseXml } from '../../wire/xml/parser.ts';
import { DamagedBlob, noSuchBlob, rangeWithin } from '../byte-range.ts';
import { type BlobEngine, type ByteRange, type FindReferenced, handlesPerCall, type StoredBlob } from '../engine.ts';
import { type BlobFigures, noCounts } from '../figures.ts';
import { listBlobs, listUploads } from './listing.ts';
import { type Part, partsOf } from './parts.ts';
import { md5, S3Server } from './server.ts';

const partsAtOnce = 2;
const removalsPerCall = 1000;

export const openRemoteBlobs = (address: string): BlobEngine => new RemoteBlobs(new S3Server(address));

class RemoteBlobs implements BlobEngine {
  readonly #server: S3Server;
  readonly #counts = noCounts();

  constructor(server: S3Server) {
    this.#server = server;
  }

  async put(body: AsyncIterable<Uint8Array>, hint: { size?: number | undefined } = {}): Promise<StoredBlob> {
    const id = uuid();
    const parts = partsOf(body, hint.size);
    try {
      const { value: first } = await parts.next();
      if (!first) throw new Error('a body has at least one part');
      if (first.isLast) await this.#server.answer({ method: 'PUT', key: id, body: first.bytes });
      const size = first.isLast ? first.bytes.length : await this.#putParts(id, first, parts);
      this.#counts.puts += 1;
      this.#counts.putBytes += size;
      return { handle: handleOf(id, size), size };
    } catch (error) {
      this.#counts.failedPuts += 1;
      await parts.return().catch(() => undefined);
      throw error;
    }
  }

  async #putParts(key: string, first: Part, rest: AsyncGenerator<Part, void>): Promise<number> {
    const { text: created } = await this.#server.answer({ method: 'POST', key, query: { uploads: '' } });
    const uploadId = parseXml(created, 'InitiateMultipartUploadResult').string('UploadId') ?? '';
    const tags: string[] = [];
    const sending = new Set<Promise<void>>();
    let size = 0;
    const send = async ({ number, bytes }: Part): Promise<void> => {
      const query = { partNumber: String(number), uploadId };
      const { headers } = await this.#server.answer({ method: 'PUT', key, query, body: bytes });
      tags[number - 1] = headers.get('etag') ?? '';
    };
    try {
      for (let part: Part | undefined = first; part; part = (await rest.next()).value ?? undefined) {
        size += part.bytes.length;
        const sent: Promise<void> = send(part).finally(() => sending.delete(sent));
        sent.catch(() => undefined); // awaited below
        sending.add(sent);
        if (sending.size === partsAtOnce) await Promise.race(sending);
      }
      await Promise.all(sending);
      await this.#server.answer({ method: 'POST', key, query: { uploadId }, body: completion(tags), isOnce: true });
      return size;
    } catch (error) {
      await Promise.allSettled(sending);
      await this.#abort(key, uploadId).catch(() => undefined); // otherwise the next sweep aborts it
      throw error;
    }
  }

  async #abort(key: string, uploadId: string): Promise<void> {
    const answer = await this.#server.call({ method: 'DELETE', key, query: { uploadId } });
    await answer.body?.cancel();
  }

  async *get(handle: string, requested?: ByteRange): AsyncGenerator<Uint8Array, void> {
    const { id, size } = nameOf(handle);
    const { offset, length } = rangeWithin(size, requested);
    this.#counts.gets += 1;
    const headers = length === size ? {} : { range: `bytes=${offset}-${offset + length - 1}` };
    if (length === 0 && size > 0) return;
    const answer = await this.#server.find({ method: 'GET', key: id, headers });
    if (!answer) throw noSuchBlob(handle);
    const pieces = answer.body?.values();
    let read = 0;
    try {
      for (; pieces; ) {
        const { done, value } = await this.#server.read(pieces.next());
        if (done) break;
        read += value.length;
        if (read > length) break;
        yield value;
      }
    } finally {
      await pieces?.return?.();
    }
    if (read !== length) throw new DamagedBlob(handle);
  }

  async remove(handles: readonly string[]): Promise<void> {
    for (let first = 0; first < handles.length; first += removalsPerCall) {
      const ids = handles.slice(first, first + removalsPerCall).map((handle) => nameOf(handle).id);
      const keys = ids.map((id) => `<Object><Key>${this.#server.prefix}${id}</Key></Object>`);
      const body = `<Delete><Quiet>true</Quiet>${keys.join('')}</Delete>`;
      await this.#server.answer({ method: 'POST', query: { delete: '' }, headers: { 'content-md5': md5(body) }, body });
    }
  }

  async sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number> {
    let swept = 0;
    for await (const page of listBlobs(this.#server, handlesPerCall)) {
      const old = page.filter(({ atMs }) => atMs < beforeMs).map(({ id, size }) => handleOf(id, size));
      const referenced = old.length > 0 ? await findReferenced(old) : new Set();
      const removed = old.filter((handle) => !referenced.has(handle));
      await this.remove(removed);
      swept += removed.length;
    }
    for await (const page of listUploads(this.#server))
      for (const { id, uploadId, atMs } of page) {
        if (atMs >= beforeMs) continue;
        await this.#abort(id, uploadId);
        swept++;
      }
    this.#counts.sweptBlobs += swept;
    return swept;
  }

  async compact(): Promise<boolean> {
    return false;
  }

  probe(): Promise<void> {
    return this.#server.probe();
  }

  async figures(): Promise<BlobFigures> {
    return { ...this.#counts };
  }

  async close(): Promise<void> {}
}

const handleOf = (id: string, size: number): string => `s3.${id}.${size}`;

function nameOf(handle: string): { id: string; size: number } {
  const [, id, size] = /^s3\.([0-9a-f-]{36})\.(\d{1,16})$/.exec(handle) ?? [];
  if (id === undefined) throw noSuchBlob(handle);
  return { id, size: Number(size) };
}

function completion(tags: readonly string[]): string {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}

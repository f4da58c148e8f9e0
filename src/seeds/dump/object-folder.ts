// Downloads the objects of buckets into a folder next to a dump, up to a size.
import { createWriteStream, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '../../core/s3-client/client.ts';
import { tagged, textAt } from '../bucket-texts.ts';
import { mostFileBytes } from '../seed-buckets.ts';

export class ObjectFolder {
  readonly notes: string[] = [];
  readonly #folder: string;
  #leftBytes: number;

  constructor(folder: string, mostBytes: number) {
    this.#folder = folder;
    this.#leftBytes = mostBytes;
  }

  // Returns the folder for the seed, or undefined if the bucket is empty.
  async download(s3: S3Client, bucket: string): Promise<string | undefined> {
    let kept = 0;
    let omitted = 0;
    for await (const { key, bytes } of objectsOf(s3, bucket)) {
      const fits = isFileName(key) && bytes <= mostFileBytes && bytes <= this.#leftBytes;
      if (!fits) omitted++;
      else if (await this.#save(s3, bucket, key)) {
        kept++;
        this.#leftBytes -= bytes;
      } else omitted++;
    }
    if (omitted > 0)
      this.notes.push(
        `${omitted} objects of the bucket ${bucket} were not downloaded: they are over the limit of size, or their keys ` +
          'are not valid file names.',
      );
    return kept > 0 ? `./${basename(this.#folder)}/${bucket}` : undefined;
  }

  async #save(s3: S3Client, bucket: string, key: string): Promise<boolean> {
    const answer = await s3.call({ method: 'GET', bucket, key });
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel();
      return false;
    }
    const file = join(this.#folder, bucket, key);
    mkdirSync(dirname(file), { recursive: true });
    await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(file));
    return true;
  }
}

async function* objectsOf(s3: S3Client, bucket: string): AsyncGenerator<{ key: string; bytes: number }> {
  for (let token = ''; ; ) {
    const query = { 'list-type': '2', ...(token !== '' && { 'continuation-token': token }) };
    const page = await textAt(s3, { bucket, query });
    for (const [, one = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      yield { key: plainText(tagged(one, 'Key')), bytes: Number(tagged(one, 'Size')) };
    token = plainText(tagged(page, 'NextContinuationToken'));
    if (token === '') return;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plainText = (xml: string): string =>
  xml
    .replaceAll(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) =>
      String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)),
    )
    .replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');

// The file must stay in the folder, and have the key as its path.
const isFileName = (key: string): boolean =>
  !/[\\\0]/.test(key) &&
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) < 256);

// The counted bytes of a request.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Exchange } from '../../surface/http/exchange.ts';
import { type Named, S3Request, type S3Tools } from './request.ts';

test('the bytes of an upload count, even if it is chunked and announces no length', async () => {
  const bytesOf = async (headers: IncomingHttpHeaders): Promise<number> => {
    const req = Object.assign(Readable.from([Buffer.alloc(700), Buffer.alloc(300)]), { headers });
    const request = new S3Request({ req } as unknown as Exchange, {} as S3Tools, {} as Named);
    await request.document();
    return request.bytesIn;
  };
  assert.equal(await bytesOf({ 'content-length': '1000' }), 1000);
  assert.equal(await bytesOf({ 'transfer-encoding': 'chunked' }), 1000);
});

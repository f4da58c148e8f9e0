// Copies of other contracts in the lab: the key of the object storage, and the events of a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { silent } from '../base/log.ts';
import type { Exchange } from '../surface/http/exchange.ts';
import { Router } from '../surface/http/router.ts';
import type { CopySource } from '../surface/ports.ts';
import { copyRoutes } from './copies.ts';

async function read(body: Json, fail?: Error) {
  const sources: CopySource[] = [];
  const work = Promise.withResolvers<never>();
  const logged: unknown[] = [];
  const copies = {
    read: async (source: CopySource) => {
      sources.push(source);
      if (fail) await work.promise;
      return { id: 'copy', counts: [], notes: [] };
    },
    apply: async () => assert.fail('it is not applied'),
  };
  const log = { ...silent, error: (_: string, fields: unknown) => void logged.push(fields) };
  const { route } = new Router(copyRoutes(copies, async () => {}, log)).match('POST', '/copies');
  const x = { id: 'x-1', body, params: [], signal: new AbortController().signal } as unknown as Exchange;
  const { stream } = await route.call(x);
  let text = '';
  for await (const piece of stream as AsyncIterable<string>) {
    text += piece;
    if (fail) work.reject(fail); // after the first event
  }
  return { sources, logged, text };
}

const source = { from: 'http://127.0.0.1:7070', token: 'secret' };

test('a failure after the first event is one, too, and says what is wrong', async () => {
  const bug = await read(source, new TypeError('x is undefined'));
  assert.match(bug.text, /^event: progress.*event: failed\ndata: .*An internal error happened. Its id is x-1\./s);
  assert.equal(bug.logged.length, 1);
  const refused = await read(source, new Fault('refused', 'server web of datacenter shop: No room'));
  assert.match(refused.text, /event: failed\ndata: .*server web of datacenter shop: No room/);
  assert.deepEqual(refused.logged, []);
});

test('the two parts of an S3 key are passed on, and one of them alone is refused', async () => {
  const storageKey = { accessKey: 'access', secretKey: 'planted' };
  assert.deepEqual((await read({ ...source, ...storageKey })).sources[0]?.storageKey, storageKey);
  assert.equal((await read(source)).sources[0]?.storageKey, undefined);
  await assert.rejects(read({ ...source, accessKey: 'access' }), /\[\(root\)\.secretKey\] An S3 key has two parts/);
});

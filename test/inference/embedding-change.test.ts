// Collections while the embedding model changes: an upstream whose weights are replaced, and that accepts less than a
// chunk.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { assertWhole } from '../harness/invariants.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { type Failure, post } from './client.ts';

const dimensions = 64;

// Embeds a text by its words. Each version puts them at other positions.
class Embedder {
  version = 1;
  mostWords = 1000;
  readonly seen: string[][] = []; // the texts of each call

  readonly server = createServer((req, res) => {
    let sent = '';
    req.on('data', (piece) => {
      sent += piece;
    });
    req.on('end', () => {
      const texts = req.url?.endsWith('/embeddings') ? (JSON.parse(sent) as { input: string[] }).input : [];
      this.seen.push(texts);
      const message = 'this is longer than the maximum context length';
      if (texts.some((text) => text.trim().split(/\s+/).length > this.mostWords))
        return void res.writeHead(400).end(JSON.stringify({ error: { message, code: 'context_length_exceeded' } }));
      const data = texts.map((text, index) => ({ index, embedding: this.#vectorOf(text) }));
      return void res.writeHead(200, { 'x-served-by': `weights ${this.version}` }).end(JSON.stringify({ data }));
    });
  });

  #vectorOf(text: string): number[] {
    const vector = new Array<number>(dimensions).fill(0);
    for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
      let at = 0;
      for (const letter of word) at = (at * 31 * this.version + letter.charCodeAt(0)) % dimensions;
      vector[at] = (vector[at] as number) + 1;
    }
    return vector;
  }
}

const documentsOf = (texts: Record<string, string>): object => ({
  items: Object.entries(texts).map(([name, text]) => ({
    properties: { name, content: Buffer.from(text).toString('base64') },
  })),
});

async function collectionIn(region: Region, texts: Record<string, string>): Promise<string> {
  const { body } = await region.call('POST', '/inference/collections', { properties: { name: 'handbook' } });
  const at = `/inference/collections/${body.id}`;
  const { status } = await region.call('PUT', `${at}/documents`, documentsOf(texts));
  assert.equal(status, 200);
  return at;
}

async function upstreamed(t: { after(done: () => void): void }): Promise<{ embedder: Embedder; region: Region }> {
  const embedder = new Embedder();
  await once(embedder.server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => embedder.server.close());
  const { port } = embedder.server.address() as AddressInfo;
  const models = ['--inference-models', 'BAAI/bge-m3=theirs', '--inference-rate', '1000'];
  const region = await startRegion({ args: ['--inference', `openai+http://127.0.0.1:${port}/v1`, ...models] });
  return { embedder, region };
}

interface Matches {
  properties: { matches: { document: { properties: { name: string } }; score: number }[] };
}

async function best(region: Region, at: string, query: string): Promise<{ name: string | undefined; score: number }> {
  const { status, body } = await region.call<Matches>('POST', `${at}/query`, { query, limit: 1 });
  assert.equal(status, 200, JSON.stringify(body));
  const [match] = body.properties.matches;
  return { name: match?.document.properties.name, score: match?.score ?? 0 };
}

test('documents are embedded again when the weights change, and vectors of different weights are never compared', async (t) => {
  const { embedder, region } = await upstreamed(t);
  await using _ = region;
  const texts = { apples: 'apples grow on trees', boats: 'boats sail on lakes', cars: 'cars park behind houses' };
  const at = await collectionIn(region, texts);
  assert.equal((await best(region, at, 'boats on lakes')).name, 'boats');
  const { body: before } = await region.call('GET', `${at}/documents`);
  embedder.version = 2;
  embedder.seen.length = 0;
  const [one, other] = await Promise.all([best(region, at, texts.cars), best(region, at, texts.apples)]);
  assert.deepEqual([one.name, other.name], ['cars', 'apples']);
  assert.ok(Math.abs(one.score - 1) < 0.01, `the same text of the same weights: ${one.score}`);
  const anew = embedder.seen.flat().filter((text) => Object.values(texts).includes(text) && text !== texts.cars);
  assert.ok(anew.includes(texts.boats), 'also documents that no one searched for');
  const { body: after } = await region.call('GET', `${at}/documents`);
  assert.deepEqual(
    after.items.map(({ metadata }) => metadata.lastModifiedDate),
    before.items.map(({ metadata }) => metadata.lastModifiedDate),
  );
  embedder.seen.length = 0;
  assert.equal((await best(region, at, 'trees')).name, 'apples');
  assert.deepEqual(embedder.seen, [['trees']], 'once is enough');
  await assertWhole(region.data);
});

test("a chunk that is too long for the model is cut; a client's text is refused", async (t) => {
  const { embedder, region } = await upstreamed(t);
  await using _ = region;
  embedder.mostWords = 40;
  const filler = 'nothing happened on that long day '.repeat(40);
  const at = await collectionIn(region, { log: `${filler} the bridge was closed ${filler}`, short: 'a word' });
  const long = embedder.seen.flat().filter((text) => text.trim().split(/\s+/).length <= 40);
  assert.ok(long.length > 10);
  assert.equal((await best(region, at, 'bridge closed')).name, 'log');
  const { status, body } = await post<Failure>(region, '/embeddings', { model: 'BAAI/bge-m3', input: ['x', filler] });
  assert.deepEqual([status, body.error.code], [400, 'context_length_exceeded']);
  assert.match(body.error.message, /BAAI\/bge-m3 takes 8192 tokens, but here it is served by theirs at 127/);
  const documents = ['x', filler];
  const rerank = await post<Failure>(region, '/rerank', { model: 'BAAI/bge-m3', query: 'x', documents });
  assert.deepEqual([rerank.status, rerank.body.error.code], [400, 'context_length_exceeded']);
  assert.doesNotMatch(region.log(), /maximum context length/);
});

// The native API: models, predictions, and collections whose documents are searched by meaning.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';

const native = '/inference';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const document = (name: string, text: string): object => ({
  type: 'document',
  properties: { name, content: base64(text) },
});

interface Matches {
  properties: { matches: { document: ResourceBody; score: number }[] };
}

suite('the native API of model inference', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--inference-rate', '10000'] });
  });
  after(() => region.stop());

  const done = async (method: string, path: string, body: unknown, status: number): Promise<ResourceBody> => {
    const answer = await region.call(method, `${native}${path}`, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  const collect = async (properties: object = {}): Promise<string> => {
    const { id } = await done('POST', '/collections', { properties: { name: 'handbook', ...properties } }, 201);
    return `/collections/${id}`;
  };
  const ask = async (at: string, query: string, limit = 3): Promise<Matches['properties']['matches']> =>
    ((await done('POST', `${at}/query`, { query, limit }, 200)) as unknown as Matches).properties.matches;

  test('models have ids, names and engines; a prediction is one input and one output', async () => {
    const { items } = await done('GET', '/models', undefined, 200);
    const chat = items.find(({ properties }) => properties.name === 'openai/gpt-oss-120b') as ResourceBody;
    assert.match(String(chat.properties.servedBy), /tiny/);
    const body = {
      type: 'prediction',
      properties: { input: 'Hello', options: { max_length: '5', temperature: '0.01' } },
    };
    for (const id of [chat.id, encodeURIComponent('openai/gpt-oss-120b'), 'openai/gpt-oss-120b']) {
      const { type, properties, metadata } = await done('POST', `/models/${id}/predictions`, body, 200);
      assert.deepEqual([type, properties.input], ['prediction', 'Hello']);
      assert.equal(typeof metadata.duration, 'number');
      assert.ok(String(properties.output).length > 3);
    }
    const image = items.find(({ properties }) => properties.category === 'image/generation') as ResourceBody;
    const { properties } = await done(
      'POST',
      `/models/${image.id}/predictions`,
      { properties: { input: 'A lake' } },
      200,
    );
    assert.equal(Buffer.from(String(properties.output), 'base64').toString('latin1', 1, 4), 'PNG');
    await done('POST', '/models/none/predictions', body, 404);
    for (const wrong of [{}, { properties: {} }, { properties: { input: 'x', options: { max_length: 'many' } } }])
      await done('POST', `/models/${chat.id}/predictions`, wrong, 422);
  });

  test('documents are added, read, replaced and removed, and the collection counts them', async () => {
    const at = await collect();
    const { items } = await done(
      'PUT',
      `${at}/documents`,
      { items: [document('a.txt', 'Lakes are blue.'), document('b.txt', 'Prices rise.')] },
      200,
    );
    const [first, second] = items as [ResourceBody, ResourceBody];
    const read = await done('GET', `${at}/documents/${first.id}`, undefined, 200);
    assert.equal(Buffer.from(String(read.properties.content), 'base64').toString(), 'Lakes are blue.');
    const listed = await done('GET', `${at}/documents?limit=1`, undefined, 200);
    assert.deepEqual([listed.items.length, 'content' in (listed.items[0]?.properties ?? {})], [1, false]);
    const again = await done('PUT', `${at}/documents`, { items: [document('a.txt', 'Lakes are deep.')] }, 200);
    assert.equal(again.items[0]?.id, first.id, 'the same name is the same document');
    await done('PUT', `${at}/documents/${second.id}`, document('c.txt', 'Prices fall.'), 200);
    assert.equal((await done('GET', at, undefined, 200)).properties.documentsCount, 2);
    await done('DELETE', `${at}/documents/${second.id}`, undefined, 204);
    await done('GET', `${at}/documents/${second.id}`, undefined, 404);
    const { properties } = await done('GET', at, undefined, 200);
    assert.deepEqual([properties.documentsCount, properties.totalTokens], [1, 4]);
    await done('DELETE', `${at}/documents`, undefined, 204);
    assert.deepEqual((await done('GET', at, undefined, 200)).properties.totalTokens, 0);
    await done('PUT', `${at}/documents`, { items: [document('d.txt', 'Last words.')] }, 200);
    await done('DELETE', at, undefined, 202);
    await until(
      'the collection is deleted',
      () => region.call('GET', `${native}${at}`),
      ({ status }) => status === 404,
    );
    await done('GET', `${at}/documents`, undefined, 404);
    await assertWhole(region.data);
  });

  test('a name belongs to one document of a collection, even after renames', async () => {
    const at = await collect();
    const idOf = async (name: string, text: string): Promise<string> =>
      (await done('PUT', `${at}/documents`, { items: [document(name, text)] }, 200)).items[0]?.id ?? '';
    const first = await idOf('a', 'one');
    await done('PUT', `${at}/documents/${first}`, document('b', 'one'), 200);
    const second = await idOf('a', 'two');
    assert.notEqual(second, first, 'the renamed document stays');
    assert.equal(await idOf('b', 'three'), first);
    const taken = await done('PUT', `${at}/documents/${second}`, document('b', 'x'), 422);
    assert.match(JSON.stringify(taken), /\(root\)\.properties\.name\] Another document/);
    const items = [
      { id: first, ...document('a', 'one') },
      { id: second, ...document('b', 'two') },
    ];
    await done('PUT', `${at}/documents`, { items }, 200);
    assert.deepEqual([await idOf('a', 'one'), await idOf('b', 'two')], [first, second], 'they have swapped names');
    await done('DELETE', `${at}/documents/${second}`, undefined, 204);
    await done('PUT', `${at}/documents/${first}`, document('b', 'one'), 200);
    const { metadata } = await done('GET', `${at}/documents/${first}`, undefined, 200);
    assert.equal(metadata.createdBy, (await done('GET', at, undefined, 200)).metadata.createdBy);
    await assertWhole(region.data);
  });

  test('chunks that overlap by all but one token are refused by number, before they are embedded', async () => {
    const config = { chunk_size: 128, chunk_overlap: 127 };
    const at = await collect({ chunking: { enabled: true, strategy: { name: 'fixed_size', config } } });
    const items = [document('marks', '!'.repeat(20_000))];
    const { messages } = await done('PUT', `${at}/documents`, { items }, 422);
    assert.match(JSON.stringify(messages), /have 19873 chunks/);
  });

  test('a search finds the nearest part, even right after a change, and a prediction uses it', async () => {
    const chunking = {
      enabled: true,
      strategy: { name: 'fixed_size', config: { chunk_size: 128, chunk_overlap: 50 } },
    };
    const at = await collect({ chunking });
    const filler = 'The weather was fine and nothing happened on that day. '.repeat(30);
    const handbook = `${filler}Everybody has thirty days of vacation in a year. ${filler}`;
    await done(
      'PUT',
      `${at}/documents`,
      { items: [document('handbook', handbook), document('prices', 'Apples cost two euros.')] },
      200,
    );
    const [best, ...others] = await ask(at, 'How many days of vacation are there in a year?', 2);
    const said = Buffer.from(String(best?.document.properties.content), 'base64').toString();
    assert.match(said, /thirty days of vacation/);
    assert.ok(said.length < handbook.length / 2, 'only the chunk');
    assert.ok(others.length === 1 && (best?.score ?? 0) > (others[0]?.score ?? 1));
    const chunks = await done('GET', `${at}/documents/${best?.document.id}/chunks`, undefined, 200);
    assert.ok(chunks.items.length > 3);
    await done(
      'PUT',
      `${at}/documents`,
      { items: [document('cars', 'A parking space for cars is behind the house.')] },
      200,
    );
    const [cars] = await ask(at, 'Where is the parking space?', 1);
    assert.equal(cars?.document.properties.name, 'cars');
    const properties = {
      input: '{{.context}} | {{.collection_query}}',
      collectionId: at.split('/').at(-1),
      collectionQuery: 'parking space',
    };
    const model = encodeURIComponent('meta-llama/Llama-3.3-70B-Instruct');
    const { properties: prediction } = await done('POST', `/models/${model}/predictions`, { properties }, 200);
    assert.match(String(prediction.output), /A parking space for cars/);
    assert.equal(prediction.input, properties.input);
  });

  test('a problem with a document is reported with its place, and nothing of the call is kept', async () => {
    const at = await collect();
    const wrong: [unknown, RegExp][] = [
      [[], /\(root\)\]/],
      [{ items: {} }, /\(root\)\.items\]/],
      [{ items: [document('a', 'x'), { properties: { name: 'b' } }] }, /items\.\[1\]\.properties\.content\]/],
      [{ items: [{ properties: { name: 'b', content: '!' } }] }, /items\.\[0\]\.properties\.content\]/],
      [{ items: [{ properties: { name: 'b', content: Buffer.from([0xff]).toString('base64') } }] }, /UTF-8/],
      [{ items: [document('a', 'x'.repeat(65_536))] }, /content\]/],
      [{ items: [document('a', 'x'), document('a', 'y')] }, /twice/],
    ];
    for (const [body, says] of wrong)
      assert.match(JSON.stringify(await done('PUT', `${at}/documents`, body, 422)), says);
    assert.deepEqual((await done('GET', `${at}/documents`, undefined, 200)).items, []);
    await done('POST', '/collections', { properties: { name: 'ab' } }, 422);
    await done('POST', `${at}/query`, { query: '' }, 422);
    const long = await done('POST', `${at}/query`, { query: 'word '.repeat(19_000) }, 400);
    assert.match(JSON.stringify(long), /context_length_exceeded.*takes \d+ tokens, but here it is served by .*\d+/);
    await done('GET', `${at}/documents/not-an-id`, undefined, 404);
  });

  test('collections of another contract are 404 for every call', async () => {
    const at = await collect();
    await done('PUT', `${at}/documents`, { items: [document('a', 'A secret.')] }, 200);
    const { token } = await secondContract(region);
    for (const [method, path, body] of [
      ['GET', at],
      ['GET', `${at}/documents`],
      ['PUT', `${at}/documents`, { items: [] }],
      ['POST', `${at}/query`, { query: 'secret' }],
      ['DELETE', `${at}/documents`],
    ] as const)
      assert.equal((await region.call(method, `${native}${path}`, body, { token })).status, 404, `${method} ${path}`);
    const stolen = { properties: { input: '{{.context}}', collectionId: at.split('/').at(-1) } };
    const path = `${native}/models/${encodeURIComponent('openai/gpt-oss-120b')}/predictions`;
    assert.equal((await region.call('POST', path, stolen, { token })).status, 404);
  });
});

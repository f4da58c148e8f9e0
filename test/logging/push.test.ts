// Pushing log lines over HTTP and the forward protocol, and finding them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { encode } from '@msgpack/msgpack';
import { until } from '../../src/testing/waiting.ts';
import { Message, snappy } from '../clients/promql/remote-write.ts';
import { dialForward, greet, openForward } from '../harness/forward.ts';
import { addLogPipeline, type LogPipeline, logPipelines, post, search, searchAt, stream } from '../harness/logs.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';

const seconds = (): number => Math.floor(Date.now() / 1000);

suite('log lines', () => {
  let region: Region;
  let pipeline: LogPipeline;
  before(async () => {
    region = await startRegion();
    pipeline = await addLogPipeline(region, [
      stream('app', { labels: ['level'] }),
      stream('web', { source: 'http' }),
      stream('agent', { protocol: 'tcp', source: 'docker' }),
    ]);
  });
  after(() => region.stop());
  const lines = async (query: string): Promise<string[]> =>
    (await search(region, pipeline, query)).map(({ line }) => line);

  test('[LOG-05] [LOG-06] JSON records are found by tag, field and text, with their labels', async () => {
    const sent: [string, unknown][] = [
      ['/app', { level: 'warn', message: 'disk is full', code: 507 }],
      ['/app', [{ level: 'info', message: 'all is well' }, { message: 'no level' }]],
      ['/web', '{"message":"one"}\n{"message":"two"}\n'],
    ];
    for (const [to, body] of sent) {
      const { status, body: said } = await post(region, pipeline, to, body as object);
      assert.equal(status, 200, said);
    }
    const [full, ...none] = await search(region, pipeline, '{tag="app"} |= "disk"');
    assert.equal(none.length, 0);
    assert.equal(full?.line, '{"level":"warn","message":"disk is full","code":507}');
    assert.partialDeepStrictEqual(full?.labels, {
      tag: 'app',
      source: 'generic',
      pipeline: pipeline.id,
      level: 'warn',
    });
    assert.deepEqual(await lines('{tag="app"} | json | code = 507'), [full?.line]);
    assert.equal((await lines('{tag="app", level="info"}')).length, 1);
    assert.deepEqual(await lines('{tag="web", source="http"}'), ['{"message":"one"}', '{"message":"two"}']);
    const byToken = await searchAt(region, `${logPipelines}/${pipeline.id}`, '{tag="web"}');
    assert.equal(byToken.length, 2);
  });

  test('[LOG-05] anything but JSON records, and unknown streams, are refused and store nothing', async () => {
    const wrong: [to: string, body: string, type: string, status: number][] = [
      ['/web', 'plain text', 'application/json', 400],
      ['/web', '[1, 2]', 'application/json', 400],
      ['/web', '"text"', 'application/json', 400],
      ['/web', '', 'application/json', 400],
      ['/web', '{"a":1}', 'text/plain', 415],
      ['/web', '<a/>', 'application/xml', 415],
      ['/nope', '{"a":1}', 'application/json', 404],
      ['/agent', '{"a":1}', 'application/json', 404],
      ['/loki/api/v1/push', '{"streams":[{"stream":{"tag":"nope"},"values":[["1","x"]]}]}', 'application/json', 400],
      ['/loki/api/v1/push', '{"streams":1}', 'application/json', 400],
      ['/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}', 'application/json', 400],
      ['/v1/logs', 'x', 'text/plain', 415],
    ];
    for (const [to, body, type, status] of wrong) {
      const answer = await post(region, pipeline, to, body, { 'content-type': type });
      assert.equal(answer.status, status, `${to} ${body}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal((await lines('{tag="web"}')).length, 2);
  });

  test('[LOG-04] wrong keys, keys of other pipelines and replaced keys are refused everywhere', async () => {
    const other = await addLogPipeline(region);
    const strange = { path: pipeline.path, key: `${pipeline.key.slice(0, -4)}AAAA` };
    assert.equal((await post(region, strange, '/web', {})).status, 401);
    assert.equal((await post(region, { ...pipeline, key: other.key }, '/web', {})).status, 403);
    const refused = await dialForward(region);
    assert.deepEqual(await greet(refused, strange.key), [false, 'shared_key mismatch']);
    assert.equal(await refused.next(), undefined, 'the connection ends');
    const client = await openForward(region, other);
    await client.sendAcked(['agent', [[seconds(), { n: 1 }]]], 'c1');
    const { body } = await region.call('POST', `${logPipelines}/${other.id}/key`, {});
    client.send(['agent', [[seconds(), { n: 2 }]], { chunk: 'c2' }]);
    assert.equal(await client.next(), undefined, 'a replaced key ends its connections');
    const again = await openForward(region, { key: String(body.key) });
    await again.sendAcked(['agent', [[seconds(), { n: 3 }]]], 'c3');
    again.close();
    const found = await search(region, { ...other, key: String(body.key) }, '{tag="agent"}');
    assert.deepEqual(
      found.map(({ line }) => line),
      ['{"n":1}', '{"n":3}'],
    );
  });

  test('[LOG-04] the forward protocol: acknowledged when stored, a repeated chunk is stored once', async () => {
    const number = /\d+$/.exec(pipeline.path)?.[0];
    const servername = `${number}-logs.${region.contract}.logging.de-txl.cumulet.local`;
    for (const [index, options] of [{}, { servername }].entries()) {
      const client = await openForward(region, pipeline, options);
      const packed = Buffer.concat([1, 2].map((n) => encode([seconds(), { index, n }])));
      const message = ['agent', packed];
      await client.sendAcked(message, `chunk-${index}`);
      await client.sendAcked(message, `chunk-${index}`);
      client.send(null);
      await client.sendAcked(['agent', seconds(), { index, n: 3 }], `message-${index}`);
      await client.sendAcked(['agent', []], `empty-${index}`);
      client.close();
      const found = await lines(`{tag="agent"} | json | index = ${index}`);
      assert.deepEqual(
        found.map((line) => (JSON.parse(line) as { n: number }).n),
        [1, 2, 3],
      );
    }
  });

  test('[LOG-04] a message for an unknown stream is not acknowledged, and is logged once', async () => {
    const client = await openForward(region, pipeline);
    for (const tag of ['nope', 'nope', 'web']) client.send([tag, [[seconds(), { x: 1 }]], { chunk: tag }]);
    await client.sendAcked(['agent', [[seconds(), { last: true }]]], 'last');
    client.close();
    await region.logged('no stream with the tag \\"nope\\"');
    assert.equal(region.log().split('no stream with the tag \\"nope\\"').length, 2, 'once');
  });

  test("Loki's push API and OTLP, in protobuf and JSON", async () => {
    const line = new Message().bytes(1, new Message().varint(1, seconds())).bytes(2, 'by protobuf');
    const sent = new Message().bytes(1, new Message().bytes(1, '{tag="web", job="promtail"}').bytes(2, line));
    const protobuf = { 'content-type': 'application/x-protobuf' };
    const loki = await post(region, pipeline, '/loki/api/v1/push', snappy(sent.whole()), protobuf);
    assert.deepEqual([loki.status, loki.body], [204, '']);
    const json = { streams: [{ stream: { tag: 'web', job: 'j' }, values: [[`${seconds()}000000001`, 'by json']] }] };
    assert.equal((await post(region, pipeline, '/loki/api/v1/push', json)).status, 204);
    const attribute = { key: 'tag', value: { stringValue: 'web' } };
    const logRecords = [{ body: { stringValue: 'by otlp' }, attributes: [attribute], severityText: 'INFO' }];
    const otlp = await post(region, pipeline, '/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    assert.deepEqual([otlp.status, otlp.body as unknown], [200, {}]);
    assert.deepEqual((await lines('{tag="web"} |= "by "')).sort(), ['by json', 'by otlp', 'by protobuf']);
    assert.deepEqual(await lines('{tag="web"} | severity_text = "INFO"'), ['by otlp']);
  });

  test('garbage, silence and giant frames are refused cheaply, and other clients are not affected', async () => {
    const good = await openForward(region, pipeline);
    const before = await memoryOf(region);
    const heads = ['c640000000', 'dd40000000', '93a4', 'c1', '474554202f20485454502f312e310d0a'];
    await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const client = await dialForward(region);
        await client.next();
        client.socket.write(Buffer.from(heads[at % heads.length] ?? '', 'hex'));
        client.socket.write(Buffer.alloc(8192));
        assert.equal(await client.next(), undefined);
      }),
    );
    const inside = await openForward(region, pipeline);
    inside.socket.write(Buffer.from('93a56167656e74c640000000', 'hex'));
    assert.equal(await inside.next(), undefined, 'after the handshake too');
    await good.sendAcked(['agent', [[seconds(), { good: true }]]], 'good');
    good.close();
    assert.ok((await memoryOf(region)) - before < 100 * 1024 * 1024);
    await region.logged('a message too large');
  });

  test('unfinished messages of one contract take half of the memory of requests, and give it back', async () => {
    const other = await secondContract(region);
    const theirs = await addLogPipeline(region, undefined, { token: other.token });
    const announced = 0x1f00000; // 31 MB of a message that never comes
    const half = (await figureOf(region, 'cumulet_bodies_limit_bytes')) / 2;
    const fitting = Math.floor(half / announced);
    const clients = [];
    for (let nth = 0; nth <= fitting; nth++) {
      const client = await openForward(region, pipeline);
      client.socket.write(Buffer.concat([Buffer.from([0x92]), encode('agent'), Buffer.from([0xc6, 1, 0xf0, 0, 0])]));
      if (nth === fitting) assert.equal(await client.next(), undefined, 'the last one is closed');
      else clients.push(client);
      await until(
        'the others hold theirs',
        () => heldBytes(region),
        (held) => held >= clients.length * announced,
      );
    }
    assert.ok((await heldBytes(region)) <= half);
    await (await openForward(region, theirs)).sendAcked(['agent', [[seconds(), { a: 1 }]]], 'theirs');
    for (const client of clients) client.close();
    await until(
      'it is given back',
      () => heldBytes(region),
      (held) => held < announced,
    );
    await (await openForward(region, pipeline)).sendAcked(['agent', [[seconds(), { a: 1 }]]], 'mine');
  });

  test('[LOG-08] a deleted pipeline accepts no lines, and its lines are deleted', async () => {
    const gone = await addLogPipeline(region);
    assert.equal((await post(region, gone, '/app', { a: 1 })).status, 200);
    const client = await openForward(region, gone);
    await region.call('DELETE', `${logPipelines}/${gone.id}`);
    assert.equal((await post(region, gone, '/app', { a: 1 })).status, 401);
    client.send(['agent', [[seconds(), { a: 1 }]], { chunk: 'x' }]);
    assert.equal(await client.next(), undefined);
  });
});

async function figureOf(region: Region, name: string): Promise<number> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(body)?.[1]);
}

const memoryOf = (region: Region): Promise<number> => figureOf(region, 'process_resident_memory_bytes');
const heldBytes = (region: Region): Promise<number> => figureOf(region, 'cumulet_bodies_held_bytes');

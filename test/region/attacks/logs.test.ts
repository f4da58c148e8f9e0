// Log pushes that are small to send and costly to read: they block neither the main thread nor other contracts.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { encode } from '@msgpack/msgpack';
import { pause } from '../../../src/testing/waiting.ts';
import { Message } from '../../clients/promql/remote-write.ts';
import { openForward } from '../../harness/forward.ts';
import { addLogPipeline, type LogPipeline, post, search, stream } from '../../harness/logs.ts';
import { stopwatchOfAll } from '../../harness/slowness.ts';
import { assertYields, type MeteredRegion, startMetered } from '../../harness/turns.ts';
import { secondContract } from '../../sweep/api.ts';

const mb = 1024 * 1024;
const mostWaitMs = 1000; // that another contract waits for its push and its query

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const repeated = (pattern: Buffer | string, count: number): Buffer => {
  const one = Buffer.from(pattern);
  return Buffer.alloc(one.length * count, one);
};
const tag = Buffer.from(encode('agent'));
const time = Buffer.from(encode(Math.floor(Date.now() / 1000)));
const nestedMap = bytes(0x81, 0xa1, 0x61);

const message = (record: Buffer): Buffer => Buffer.concat([bytes(0x93), tag, time, record]);
const entry = (record: Buffer): Buffer => Buffer.concat([bytes(0x92), time, record]);
const compressed = (entries: Buffer): Buffer =>
  Buffer.from(encode(['agent', gzipSync(entries), { compressed: 'gzip' }]));

const forwardAttacks: Record<string, () => Buffer> = {
  'nested maps': () => message(repeated(nestedMap, 3_000_000)),
  'nested lists': () => message(repeated(bytes(0x91), 30 * mb)),
  'a list header without its values': () => bytes(0x93, ...tag, ...time, 0x81, 0xa1, 0x61, 0xdd, 1, 0xff, 0xff, 0xff),
  'a map header without its values': () => bytes(0x93, ...tag, ...time, 0xdf, 0, 0xff, 0xff, 0xff),
  'many values in one record': () =>
    message(Buffer.concat([bytes(0x81, 0xa1, 0x61, 0xdd, 1, 0, 0, 0), repeated(bytes(0xc0), 16 * mb)])),
  'a long text': () => message(Buffer.from(encode({ log: 'x'.repeat(16 * mb) }))),
  'a large extension': () =>
    message(Buffer.concat([bytes(0x81, 0xa1, 0x61, 0xc9, 1, 0, 0, 0, 7), Buffer.alloc(16 * mb)])),
  'many heartbeats': () => repeated(bytes(0xc0), mb),
  'many small messages': () => repeated(message(bytes(0x81, 0xa1, 0x61, 1)), 2000),
};

const lokiLabels = (): Buffer => {
  const text = `{tag="app",${Array.from({ length: 6000 }, (_, at) => `l${at}="v"`).join()}}`;
  const one = new Message().bytes(1, new Message().bytes(1, text).bytes(2, new Message().bytes(2, 'x')));
  return repeated(one.whole(), 200);
};

const nestedProtobuf = (depth: number): Buffer => {
  let value: Buffer = Buffer.from([0x0a, 1, 0x61]);
  for (let nth = 0; nth < depth && value.length < mb; nth++)
    value = new Message().bytes(5, new Message().bytes(1, value)).whole(); // an array of one value
  const record = new Message().bytes(2, new Message().bytes(5, value));
  return new Message().bytes(1, new Message().bytes(2, record)).whole();
};

const forwardPath = '/fluent/v1/forward';
const msgpack = 'application/msgpack';
const json = 'application/json';
const protobuf = 'application/x-protobuf';
const nowNs = `${Date.now()}000000`;
const values = (count: number): string => Array.from({ length: count }, () => `["${nowNs}","x"]`).join();

const httpAttacks: Record<string, [path: string, type: string, body: () => string | Buffer]> = {
  'nested maps': [forwardPath, msgpack, () => message(repeated(nestedMap, 3_000_000))],
  'in the forward protocol, nested lists, compressed': [
    forwardPath,
    msgpack,
    () => compressed(entry(repeated(bytes(0x91), 60 * mb))),
  ],
  'in the forward protocol, many values, compressed': [
    forwardPath,
    msgpack,
    () => compressed(entry(Buffer.concat([bytes(0x81, 0xa1, 0x61, 0xdd, 3, 0, 0, 0), repeated(bytes(0xc0), 48 * mb)]))),
  ],
  'in the forward protocol, maps of many keys, compressed': [
    forwardPath,
    msgpack,
    () =>
      compressed(repeated(entry(Buffer.concat([bytes(0xde, 0x40, 0), repeated(bytes(0xa1, 0x61, 1), 0x4000)])), 1300)),
  ],
  'in the forward protocol, many entries, compressed': [
    forwardPath,
    msgpack,
    () => compressed(repeated(entry(Buffer.from(encode({ log: 'x'.repeat(90) }))), 490_000)),
  ],
  'nested lists in JSON': ['/app', json, () => '['.repeat(60 * mb)],
  'nested objects in JSON': ['/app', json, () => repeated('{"a":', 10 * mb)],
  'many numbers in JSON': ['/app', json, () => `{"a":[${'1,'.repeat(25 * mb)}1]}`],
  'many keys in JSON': ['/app', json, () => `{${Array.from({ length: 2_000_000 }, (_, at) => `"k${at}":1`).join()}}`],
  'many records': ['/app', json, () => `[${'{"a":1},'.repeat(490_000)}{}]`],
  'many lines': ['/app', 'application/x-ndjson', () => repeated(`{"a":"${'x'.repeat(100)}"}\n`, 490_000)],
  'many empty lines': ['/app', 'application/x-ndjson', () => repeated('\n', 60 * mb)],
  'Loki streams': [
    '/loki/api/v1/push',
    json,
    () => {
      const streams = Array.from({ length: 120_000 }, (_, at) => {
        return `{"stream":{"tag":"app","a":"${at}"},"values":[${values(1)}]}`;
      });
      return `{"streams":[${streams.join()}]}`;
    },
  ],
  'Loki lines': [
    '/loki/api/v1/push',
    json,
    () => `{"streams":[{"stream":{"tag":"app"},"values":[${values(390_000)}]}]}`,
  ],
  'Loki labels in protobuf': ['/loki/api/v1/push', protobuf, lokiLabels],
  'nested OTLP values': ['/v1/logs', protobuf, () => nestedProtobuf(2000)],
};

suite('hostile log pushes', () => {
  let metered: MeteredRegion;
  let mine: LogPipeline;
  let theirs: LogPipeline;
  before(async () => {
    metered = await startMetered({ args: ['--rate-burst', '5000'] });
    const { region } = metered;
    const other = await secondContract(region);
    mine = await addLogPipeline(region);
    theirs = await addLogPipeline(region, [stream('app')], { token: other.token });
    for (const pipeline of [mine, theirs]) {
      assert.equal((await post(region, pipeline, '/app', { first: 1 })).status, 200);
      await search(region, pipeline, '{tag="app"}');
    }
    await sendForward(message(Buffer.from(encode({ first: 1 }))));
    await sendHttp('/app', json, `[${'{"a":1},'.repeat(100_000)}{}]`); // starts the thread for large pushes
  });
  after(() => metered.region.stop());

  // Resolves when the region has read and judged it: an acknowledgement for a message after it, or the end of the
  // connection.
  async function sendForward(attack: Buffer): Promise<void> {
    const client = await openForward(metered.region, mine);
    client.socket.write(attack);
    client.send(['agent', [[1, { last: 1 }]], { chunk: 'last' }]);
    for (;;) {
      const answer = await Promise.race([client.next<{ ack?: string }>(), ended(client.socket)]);
      if (answer === undefined || answer.ack === 'last') break;
    }
    client.close();
  }

  const ended = (socket: { once(name: 'close', call: () => void): unknown }): Promise<undefined> =>
    new Promise((resolve) => socket.once('close', () => resolve(undefined)));

  const sendHttp = async (path: string, type: string, body: string | Buffer): Promise<number> => {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    return (await post(metered.region, mine, path, gzipSync(body, { level: 1 }), headers)).status;
  };

  // Another contract pushes and searches until the attack is over. Gives the longest that it waited.
  async function othersWait(attack: () => Promise<unknown>): Promise<number> {
    const { region } = metered;
    let isOver = false;
    const attacked = attack().finally(() => {
      isOver = true;
    });
    let longest = 0;
    for (let nth = 0; !isOver; nth++) {
      // not a wait: it writes and reads
      const elapsedMs = stopwatchOfAll(region);
      assert.equal((await post(region, theirs, '/app', { nth })).status, 200);
      await search(region, theirs, '{tag="app"}', { limit: '10', direction: 'backward' });
      longest = Math.max(longest, elapsedMs());
      await pause(20);
    }
    await attacked;
    return longest;
  }

  const withstand = (name: string, attack: () => Promise<unknown>): Promise<void> =>
    assertYields(metered, name, async () => {
      const waitedMs = await othersWait(attack);
      assert.ok(waitedMs < mostWaitMs, `${name}: another contract waited for ${Math.round(waitedMs)} ms`);
    });

  for (const [name, make] of Object.entries(forwardAttacks))
    test(`by the forward protocol: ${name}`, async () => {
      const attack = make();
      await withstand(name, () => sendForward(attack));
    });

  for (const [name, [path, type, make]] of Object.entries(httpAttacks))
    test(`by HTTP: ${name}`, async () => {
      const attack = make();
      await withstand(name, async () => {
        const status = await sendHttp(path, type, attack);
        assert.ok(status < 500, `${name}: ${status}`);
      });
    });
});

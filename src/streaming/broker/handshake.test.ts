// Which clients are accepted, and what hostile bytes do to a running broker.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { until } from '../../testing/waiting.ts';
import type { Traffic } from './connection/connection.ts';
import { type Certificates, createCertificates, openTestBroker, type TestBroker } from './testing.ts';
import { apis } from './wire/apis.ts';
import { writeRequest } from './wire/frame.ts';
import { mutate, numbers, sampleOf } from './wire/testing.ts';

suite('a listener', () => {
  let broker: TestBroker;
  before(async () => {
    broker = await openTestBroker({ limits: { requestBytes: 1_000_000, handshakeMs: 5_000 } });
  });
  after(() => broker.close());
  const port = (): number => Number(broker.addresses[0]?.split(':')[1]);

  const dial = (certificates?: Pick<Certificates, 'client'>): TLSSocket => {
    const pair = certificates?.client;
    return connect({
      port: port(),
      host: '127.0.0.1',
      ca: broker.certificates.authority,
      ...(pair && { key: pair.key, cert: pair.certificate }),
    });
  };
  // Sends a request and waits for an answer or the end of the connection.
  const ask = async (socket: TLSSocket, bytes: Buffer): Promise<Buffer | undefined> => {
    const answered = new Promise<Buffer | undefined>((resolve) => {
      socket.once('data', resolve);
      socket.once('error', () => resolve(undefined));
      socket.once('close', () => resolve(undefined));
    });
    socket.write(bytes);
    return answered;
  };
  const apiVersions = (version: number): Buffer => {
    const api = apis.get(18) as NonNullable<ReturnType<typeof apis.get>>;
    return Buffer.concat(writeRequest(api, { version, correlationId: 5, clientId: 'x' }, {}));
  };

  test('[STREAM-05] answers a client with a certificate of the cluster', async () => {
    const socket = dial(broker.certificates);
    const answer = (await ask(socket, apiVersions(3))) as Buffer;
    assert.equal(answer.readInt32BE(4), 5);
    socket.destroy();
  });

  test('[STREAM-05] refuses missing, foreign and expired certificates, plain text and silence', async () => {
    const hasWarning = (why: RegExp): boolean =>
      broker.warnings.some((one) => one.client === '127.0.0.1' && one.broker === 1 && why.test(String(one.why)));
    assert.equal(await ask(dial(), apiVersions(3)), undefined);
    assert.equal(await ask(dial(), apiVersions(3)), undefined);
    assert.ok(hasWarning(/^it sent no certificate$/));
    assert.equal(broker.warnings.length, 1, 'identical refusals are logged once');
    assert.equal(await ask(dial({ client: broker.certificates.ended }), apiVersions(3)), undefined);
    assert.ok(hasWarning(/^its certificate has expired$/));
    assert.equal(await ask(dial(await createCertificates()), apiVersions(3)), undefined);
    assert.ok(hasWarning(/^its certificate was not issued for this cluster$/));
    for (const bytes of [apiVersions(0), Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(0)]) {
      const plain = connectPlain(port(), '127.0.0.1');
      plain.on('error', () => {});
      plain.write(bytes);
      let received = Buffer.alloc(0);
      plain.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
      });
      await once(plain, 'close');
      assert.notEqual(received.length >= 8 ? received.readInt32BE(4) : -1, 5, 'no answer of the protocol');
    }
    assert.ok(
      hasWarning(/did not use TLS/) && hasWarning(/HTTP/) && hasWarning(/did not finish the handshake in time/),
    );
  });

  test('reports its versions to a client that uses a newer one', async () => {
    const socket = dial(broker.certificates);
    const frame = apiVersions(0);
    frame.writeInt16BE(99, 6);
    const answer = (await ask(socket, frame)) as Buffer;
    assert.equal(answer.readInt16BE(8), 35);
    socket.destroy();
  });

  test('pauses a client that does not read its answers, and continues when it does', async () => {
    const frame = apiVersions(0);
    frame.writeInt16BE(99, 6);
    const count = 100_000;
    const socket = dial(broker.certificates);
    const size = ((await ask(socket, frame)) as Buffer).length;
    const traffic = broker.listeners[0]?.traffic as Traffic;
    const before = traffic.bytesOut;
    socket.pause();
    socket.write(Buffer.concat(Array.from({ length: count }, () => frame)));
    const other = dial(broker.certificates);
    await until(
      'four megabytes are sent',
      () => traffic.bytesOut - before,
      (bytes) => bytes >= 4_000_000,
    );
    for (let round = 0; round < 50; round++) await ask(other, apiVersions(3));
    assert.ok(traffic.bytesOut - before < 20_000_000, `${traffic.bytesOut - before} bytes wait`);
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received === count * size) break;
    }
    other.destroy();
  });

  test('closes a connection that sends too much or garbage, and serves the others', async () => {
    const tooLong = Buffer.alloc(8);
    tooLong.writeInt32BE(2_000_000);
    const unknown = Buffer.from([0, 0, 0, 8, 0, 99, 0, 0, 0, 0, 0, 1]);
    const negative = Buffer.from([255, 255, 255, 255]);
    for (const bytes of [tooLong, unknown, negative])
      assert.equal(await ask(dial(broker.certificates), bytes), undefined);
    const healthy = dial(broker.certificates);
    assert.ok(await ask(healthy, apiVersions(3)));
    healthy.destroy();
  });

  test('survives mutated frames: each is answered or ends its connection', async () => {
    const next = numbers(9);
    const slow = new Set(['Fetch', 'JoinGroup', 'SyncGroup']); // they may wait before they answer
    const quick = [...apis.values()].filter(({ name }) => !slow.has(name));
    for (let round = 0; round < 200; round++) {
      const api = quick[next(quick.length)] as (typeof quick)[number];
      const version = api.versions[1];
      const frame = writeRequest(
        api,
        { version, correlationId: 5, clientId: 'x' },
        sampleOf(api.fields.request, version),
      );
      const bytes = Buffer.concat(frame);
      const mutated = mutate(bytes.subarray(12), next); // the header is unchanged
      const whole = Buffer.concat([bytes.subarray(0, 12), mutated]);
      whole.writeInt32BE(whole.length - 4);
      const socket = dial(broker.certificates);
      await ask(socket, whole);
      socket.destroy();
    }
    const healthy = dial(broker.certificates);
    assert.ok(await ask(healthy, apiVersions(3)));
    healthy.destroy();
    assert.deepEqual(broker.errors, []);
  });

  test('survives strange values in every request', async () => {
    const slow = new Set(['Fetch', 'JoinGroup', 'SyncGroup']); // they may wait before they answer
    for (const api of apis.values()) {
      if (slow.has(api.name)) continue;
      const version = api.versions[1];
      const frame = writeRequest(
        api,
        { version, correlationId: 5, clientId: 'x' },
        sampleOf(api.fields.request, version),
      );
      const socket = dial(broker.certificates);
      const answer = await ask(socket, Buffer.concat(frame));
      if (answer) assert.equal(answer.readInt32BE(4), 5, api.name);
      else assert.equal(api.name, 'none', `${api.name} is answered`);
      socket.destroy();
    }
    assert.deepEqual(broker.errors, []);
  });
});

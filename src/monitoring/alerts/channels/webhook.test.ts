// Webhooks over TLS, and the errors of unreachable ones.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { createAuthority, issueCertificate } from '../../../base/certificate.ts';
import { machineTime } from '../../../base/clock.ts';
import { sendMail } from './mail.ts';
import { callWebhook, DeliveryError, signature } from './webhook.ts';

const call = {
  body: '{"a":"ä"}',
  secret: 's',
  authorization: '',
  delivery: 'd',
  nowMs: 1_800_000_000_999,
  authorities: [],
};

test('the signature covers seconds, dot and body', () => {
  const wanted = createHmac('sha256', 's').update('1800000000.{"a":"ä"}').digest('hex');
  assert.equal(signature('s', 1_800_000_000, call.body), `sha256=${wanted}`);
});

test('over TLS the certificate is checked, and one of our authority is valid', async (t) => {
  const authority = await createAuthority({ commonName: 'test', days: 1, now: machineTime });
  const pair = await issueCertificate(authority, {
    commonName: 'hook',
    days: 1,
    now: machineTime,
    hosts: ['127.0.0.1'],
  });
  const bodies: string[] = [];
  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.writeHead(204).end());
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await assert.rejects(callWebhook({ ...call, url }), DeliveryError);
  assert.equal(await callWebhook({ ...call, url, authorities: [authority.certificate] }), 'answered 204');
  assert.deepEqual(bodies, [call.body]);
});

test('invalid HTTP, a closed port and an unknown name have readable errors', async (t) => {
  const garbage = createTcpServer((socket) => void socket.on('error', () => undefined).end('SSH-2.0-x\r\n'));
  t.after(() => garbage.close());
  garbage.listen(0, '127.0.0.1');
  await once(garbage, 'listening');
  const { port } = garbage.address() as AddressInfo;
  for (const url of [`http://127.0.0.1:${port}/`, 'http://127.0.0.1:1/', 'http://nobody.invalid/'])
    await assert.rejects(
      callWebhook({ ...call, url }),
      (error) => error instanceof DeliveryError && error.message.length > 5,
    );
});

test('forbidden addresses are not called, neither by name nor by older channels', async () => {
  // The second one is a name to Node, and an address to the system's resolver.
  for (const host of ['169.254.169.254', '0xa9fea9fe', '[fe80::1]', '0.0.0.0'])
    await assert.rejects(
      sendMail({
        url: `smtp://${host}:25`,
        password: '',
        from: 'a@b.c',
        recipients: ['a@b.c'],
        message: '',
        authorities: [],
      }),
      (error) => error instanceof DeliveryError && /is not called: this address is link-local/.test(error.message),
      host,
    );
  for (const url of ['http://169.254.169.254/latest', 'https://[fd00:ec2::254]/', 'http://0:1/'])
    await assert.rejects(callWebhook({ ...call, url }), /is not called: this address is link-local/, url);
});

test('a receiver that never stops, redirects, or changes the protocol is disconnected at once', async (t) => {
  const answers: Record<string, string> = {
    endless: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'ffff\r\n'.padEnd(65_541, 'x')}`,
    redirects: 'HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/latest\r\n\r\n',
    upgrades: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    headers: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`,
  };
  let path = '';
  const server = createTcpServer((socket) => {
    const send = (): void => void (socket.writable && socket.write(answers[path] ?? '', send));
    socket.on('error', () => socket.destroy()).once('data', send);
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  path = 'endless';
  assert.equal(await callWebhook({ ...call, url }), 'answered 200');
  for (path of ['redirects', 'upgrades', 'headers'])
    await assert.rejects(callWebhook({ ...call, url }), DeliveryError, path);
});

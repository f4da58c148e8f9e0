// CONNECT and absolute forms: ours are served, all others refused.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, connect as dial, type Server, Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, test } from 'node:test';
import * as tls from 'node:tls';
import { promisify } from 'node:util';
import { createAuthority } from '../../base/certificate.ts';
import { createClock } from '../../base/clock.ts';
import { createProxy, type ProxyOptions, refusedTarget } from './proxy.ts';
import { namesIn } from './testing.ts';
import { createTlsContexts } from './tls.ts';

const now = createClock().real;
const authority = await createAuthority({ commonName: 'Test authority', days: 30, now });
const names = namesIn('ionos.com', 'cumulet.local');
const nothingKept = { load: async () => undefined, save: async () => {} };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

// The two servers as the platform joins them; the answer says what arrived, and by which of them.
async function gateway(options: Partial<ProxyOptions> = {}) {
  const contexts = await createTlsContexts({ authority, now, names, keep: nothingKept });
  const secureServer = createSecureServer(contexts.options, ({ url, headers: { host } }, response) => {
    response.end(`secure ${host} ${url}`);
  });
  contexts.attach(secureServer);
  const handedOver: Socket[] = [];
  secureServer.on('connection', (socket) => handedOver.push(socket));
  const proxy = createProxy({ names, secureServer, passthrough: false, ...options });
  const server = createServer((request, response) => {
    const target = proxy.absoluteTarget(request.url ?? '');
    if (target === 'refused') response.writeHead(403).end(JSON.stringify(refusedTarget));
    else response.end(`plain ${target?.host ?? request.headers.host} ${target?.path ?? request.url}`);
  });
  server.on('connect', proxy.connect);
  const port = await listen(server);
  closing.push(() => {
    proxy.close();
    secureServer.closeAllConnections();
    server.close().closeAllConnections();
  });
  return { port, proxy, server, handedOver };
}

async function connect(port: number, target: string) {
  const asking = httpRequest({ port, host: '127.0.0.1', method: 'CONNECT', path: target }).end();
  const [response, socket, head] = (await once(asking, 'connect')) as [IncomingMessage, Socket, Buffer];
  closing.push(() => socket.destroy());
  const body = response.statusCode === 200 ? '' : head.toString() + (await text(socket));
  return { status: response.statusCode, socket, body };
}

async function getOver(socket: Duplex, host: string, path: string): Promise<string> {
  const secure = tls.connect({ socket, servername: host, ca: authority.certificate });
  await once(secure, 'secureConnect');
  secure.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return text(secure);
}

async function exchange(port: number, bytes: string): Promise<string> {
  const socket = dial(port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}

test('CONNECT to a host of the platform ends here, with a certificate of that name', async () => {
  const { port } = await gateway();
  const hosts = ['api.ionos.com', 'kafka.de-fra.ionos.com', '7-logs.42.logging.de-txl.cumulet.local'];
  for (const host of hosts) {
    const { status, socket } = await connect(port, `${host}:443`);
    assert.equal(status, 200);
    assert.match(await getOver(socket, host, '/cloudapi/v6'), new RegExp(`secure ${host} /cloudapi/v6`));
  }
  for (const spelling of ['API.Ionos.COM', 'api.ionos.com.']) {
    const { status, socket } = await connect(port, `${spelling}:443`);
    assert.equal(status, 200, spelling);
    socket.destroy();
  }
});

test('a hello that comes together with the CONNECT is not lost', async () => {
  const { port } = await gateway();
  const [near, far] = duplexPair();
  const answer = getOver(near, 'api.ionos.com', '/early');
  const [hello] = (await once(far, 'data')) as [Buffer];
  far.pause();
  const raw = dial(port, '127.0.0.1');
  raw.write(Buffer.concat([Buffer.from('CONNECT api.ionos.com:443 HTTP/1.1\r\n\r\n'), hello]));
  const [first] = (await once(raw, 'data')) as [Buffer];
  raw.pause();
  const end = first.indexOf('\r\n\r\n') + 4;
  assert.match(first.toString('latin1', 0, end), /^HTTP\/1\.1 200 /);
  far.write(first.subarray(end));
  raw.pipe(far).pipe(raw);
  assert.match(await answer, /secure api\.ionos\.com \/early/);
});

// Hosts that are not ours, with any scheme and port.
const foreignHosts = [
  ...['example.com', 'api.ionos.com.evil.example', 'api.ionos.com@evil.example', 'user:pass@api.ionos.com', '*'],
  ...['api.ionos.com..', 'localhost', 'localhost.localdomain', '127.0.0.1', '127.1', '2130706433'],
  ...['0x7f000001', '0x7f.0x0.0x0.0x1', '017700000001', '0', '169.254.169.254', '[::1]', '::1', '[::ffff:127.0.0.1]'],
  ...['[fe80::1%25eth0]', ''],
];
const refusedTargets = [
  ...foreignHosts.map((host) => `${host}:443`),
  ...[':80', ':7070', ':0443', ':443:443', '', ':', ':443/'].map((rest) => `api.ionos.com${rest}`),
  ...['http://api.ionos.com:443', 'https://api.ionos.com/', '//api.ionos.com:443', '/api.ionos.com:443'],
];
// These the HTTP parser may stop even before us.
const malformedTargets = [
  ...['api.ionos.com\0:443', 'api .ionos.com:443', 'api.ionos.com :443', 'api.ionos.com\t:443'],
  ...['api.ionos.com:443#', '', '\xe4pi.ionos.com:443'],
];

for (const passthrough of [false, true]) {
  test(`CONNECT to anything else is refused before it is resolved, passthrough ${passthrough}`, async () => {
    const resolved: string[] = [];
    const resolve = async (name: string) => (resolved.push(name) ? ['127.0.0.1'] : []);
    const { port, handedOver } = await gateway({ passthrough, resolve });
    for (const target of refusedTargets) {
      const { status, body } = await connect(port, target);
      assert.equal(status, 403, target);
      assert.deepEqual(JSON.parse(body), refusedTarget, target);
    }
    for (const target of malformedTargets) {
      assert.match(
        await exchange(port, `CONNECT ${target} HTTP/1.1\r\n\r\n`),
        /^HTTP\/1\.1 40[03] /,
        JSON.stringify(target),
      );
    }
    assert.equal(handedOver.length, 0);
    const names = ['example.com', 'api.ionos.com.evil.example', 'localhost.localdomain'];
    assert.deepEqual(resolved, passthrough ? names : []);
  });
}

test('the refusal is whole: status, type, length, close', async () => {
  const { port, proxy } = await gateway();
  const answer = await exchange(port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: api.ionos.com\r\n\r\nmore bytes');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 403 Forbidden\r\n/);
  assert.match(head, /\r\nContent-Type: application\/json\r\n/);
  assert.match(head, new RegExp(`\\r\\nContent-Length: ${body.length}\\r\\nConnection: close$`));
  assert.equal(JSON.parse(body).httpStatus, 403);
  for (const url of malformedTargets) {
    const [near, far] = duplexPair();
    proxy.connect(Object.assign(new IncomingMessage(new Socket()), { url }), far, Buffer.alloc(0));
    near.end();
    assert.match(await text(near), /^HTTP\/1\.1 403 /, JSON.stringify(url));
  }
});

test('absolute forms: the platform at port 80, or 443 where the scheme is https, nothing else', async () => {
  const { port, proxy } = await gateway();
  const { absoluteTarget } = proxy;
  for (const url of ['/', '/cloudapi/v6?depth=1', '//evil.example/x', '/http://evil.example/']) {
    assert.equal(absoluteTarget(url), undefined, url);
  }
  const host = 'api.ionos.com';
  assert.deepEqual(absoluteTarget(`http://${host}/a?b=http://x/`), { host, path: '/a?b=http://x/', secure: false });
  assert.deepEqual(absoluteTarget(`http://${host}:80/a`), { host, path: '/a', secure: false });
  assert.deepEqual(absoluteTarget(`http://${host}`), { host, path: '/', secure: false });
  assert.deepEqual(absoluteTarget(`http://${host}?q`), { host, path: '/?q', secure: false });
  assert.deepEqual(absoluteTarget(`https://${host}/a`), { host, path: '/a', secure: true });
  assert.deepEqual(absoluteTarget(`https://${host}:443/a`), { host, path: '/a', secure: true });
  const refused = [
    '',
    '*',
    'a',
    `https://${host}:80/`,
    `ftp://${host}/`,
    `http://${host}:443/`,
    `http://${host}:7070/`,
  ];
  refused.push('http://', 'http:///x', `http:/${host}/`, `http://x@${host}/`, `http://${host}@evil.example/`);
  refused.push(`http://${host}.evil.example/`, `http://${host}\\@evil.example/`, `http://${host}#@evil.example/`);
  refused.push(
    `http://${host}../`,
    `http://${host}\0/`,
    `http://${host} /`,
    `http://${host}/a#b`,
    `http://${host}:080/`,
  );
  for (const foreign of foreignHosts)
    refused.push(`http://${foreign}/`, `http://${foreign}:80/`, `https://${foreign}/`);
  for (const url of refused) assert.equal(absoluteTarget(url), 'refused', url);
  const close = 'Host: evil.example\r\nConnection: close\r\n\r\n';
  assert.match(await exchange(port, `GET http://${host}/a HTTP/1.1\r\n${close}`), /plain api\.ionos\.com \/a/);
  assert.match(await exchange(port, `GET http://127.0.0.1/a HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 403 /);
});

test('a client that starts no TLS is closed after 30 seconds, one that did is not', async (context) => {
  const { port } = await gateway();
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = await connect(port, 'api.ionos.com:443');
  const { socket } = await connect(port, 'api.ionos.com:443');
  const secure = tls.connect({ socket, servername: 'api.ionos.com', ca: authority.certificate });
  await once(secure, 'secureConnect');
  // An answer proves that the server, too, has finished the handshake.
  secure.write('GET /1 HTTP/1.1\r\nHost: api.ionos.com\r\n\r\n');
  await once(secure, 'data');
  context.mock.timers.tick(29_999);
  assert.equal(silent.socket.destroyed, false);
  const closed = once(silent.socket.resume(), 'close');
  context.mock.timers.tick(1);
  await closed;
  secure.write('GET /2 HTTP/1.1\r\nHost: api.ionos.com\r\nConnection: close\r\n\r\n');
  assert.match(await text(secure), /\/2/);
});

test('clients that talk nonsense or vanish do no harm', async () => {
  const { port, server } = await gateway();
  for (const target of ['api.ionos.com:443', 'evil.example:443']) {
    const raw = dial(port, '127.0.0.1');
    raw.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
    const [, accepted] = await Promise.all([once(raw, 'data'), once(server, 'connect')]);
    const gone = Promise.withResolvers<void>();
    (accepted[1] as Socket).on('close', gone.resolve);
    raw.resetAndDestroy();
    await gone.promise;
  }
  const { socket } = await connect(port, 'api.ionos.com:443');
  socket.write('this is not TLS at all, not even close\r\n\r\n');
  socket.resume().on('error', () => {});
  await once(socket, 'close');
  const working = await connect(port, 'api.ionos.com:443');
  assert.match(await getOver(working.socket, 'api.ionos.com', '/still'), /\/still/);
});

test('with passthrough another name is tunnelled to the address that was checked', async () => {
  const upstream = createTcpServer({ allowHalfOpen: true }, (socket) => {
    const heard: unknown[] = [];
    socket.on('data', (bytes) => heard.push(bytes));
    socket.on('end', () => socket.end(`heard ${heard.join('')}`));
  });
  const upstreamPort = await listen(upstream);
  closing.push(() => upstream.close());
  const opened: unknown[] = [];
  const { port, handedOver } = await gateway({
    passthrough: true,
    resolve: async () => ['1.1.1.1', '2606:4700::1111'],
    open: (addresses, wantedPort) => {
      opened.push(addresses, wantedPort);
      return dial({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
    },
  });
  const raw = dial({ port, host: '127.0.0.1', allowHalfOpen: true });
  raw.write('CONNECT example.com:443 HTTP/1.1\r\n\r\nearly ');
  await once(raw, 'readable');
  raw.end('and late');
  assert.equal(await text(raw), 'HTTP/1.1 200 Connection Established\r\n\r\nheard early and late');
  assert.deepEqual(opened, [['1.1.1.1', '2606:4700::1111'], 443]);
  const { socket } = await connect(port, 'api.ionos.com:443');
  assert.match(await getOver(socket, 'api.ionos.com', '/mine'), /secure api\.ionos\.com/);
  assert.equal(handedOver.length, 1);
});

test('with passthrough a name that points inside is refused, one that leads nowhere is a bad gateway', async () => {
  let answer: string[] = [];
  const resolve = async () => answer;
  const nowhere = createTcpServer();
  const deadPort = await listen(nowhere);
  await promisify(nowhere.close.bind(nowhere))();
  const { port } = await gateway({ passthrough: true, resolve, open: () => dial(deadPort, '127.0.0.1') });
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const inside = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.0.0.1', '100.64.0.1', '169.254.169.254', '172.31.255.255'];
  inside.push('192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1');
  inside.push('::ffff:8.8.8.8', 'fe80::1', 'fc00::1', 'fd00::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', ...own);
  for (const address of inside) {
    answer = ['1.1.1.1', address];
    assert.equal((await connect(port, 'trick.example:443')).status, 403, address);
  }
  for (const addresses of [[], ['1.1.1.1'], ['172.32.0.1'], ['2606:4700::1111']]) {
    answer = addresses;
    const { status, body } = await connect(port, 'nowhere.example:443');
    assert.equal(status, 502);
    assert.equal(JSON.parse(body).httpStatus, 502);
  }
});

const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

test('curl works through the proxy without any setting of a host', { skip: withoutCurl }, async () => {
  const { port } = await gateway();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const root = join(folder, 'ca.pem');
  writeFileSync(root, authority.certificate);
  const curl = async (...args: string[]) => {
    const general = ['--silent', '--show-error', '--max-time', '20', '--proxy', `http://127.0.0.1:${port}`];
    return (await promisify(execFile)('curl', [...general, '--cacert', root, ...args], { env: {} })).stdout;
  };
  assert.equal(await curl('https://api.ionos.com/cloudapi/v6'), 'secure api.ionos.com /cloudapi/v6');
  assert.equal(await curl('https://b.s3.eu-central-3.ionoscloud.com/k'), 'secure b.s3.eu-central-3.ionoscloud.com /k');
  assert.equal(await curl('http://api.ionos.com/plain?x=1'), 'plain api.ionos.com /plain?x=1');
  assert.deepEqual(JSON.parse(await curl('http://example.com/')), refusedTarget);
  await assert.rejects(curl('https://example.com/'), /403/);
  await assert.rejects(curl('https://127.0.0.1/'), /403/);
});

// The TLS listeners of a region accept only new versions and ciphers, no renegotiation, and nothing but TLS.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { type Region, startRegion } from '../../harness/region.ts';
import { addCluster, reach } from '../../streaming/clusters.ts';

const host = '127.0.0.1';

interface Place {
  name: string;
  host: string;
  port: number;
  options: ConnectionOptions; // of a client that gets in
}

suite('TLS listeners', () => {
  let region: Region;
  let places: Place[];
  let plainPort: number;

  before(async () => {
    region = await startRegion();
    const { addresses, certificates } = await reach(region, await addCluster(region));
    const { ready } = region;
    plainPort = Number(new URL(ready.gateway).port);
    const [brokerHost = '', brokerPort] = addresses[0]?.split(':') ?? [];
    const { authority, client } = certificates;
    const mutual = { ca: authority, key: client.key, cert: client.certificate, servername: '' };
    const secure = Object.entries(ready.services).filter(([, url]) => /^(tls|https):/.test(String(url)));
    const own = { rejectUnauthorized: false };
    places = [
      { name: 'gateway', host, port: Number(new URL(ready.https).port), options: own },
      ...secure.map(([name, url]) => ({ name, host, port: Number(new URL(String(url)).port), options: own })),
      { name: 'broker', host: brokerHost, port: Number(brokerPort), options: mutual },
    ];
    assert.ok(places.length >= 3, JSON.stringify(ready.services));
  });
  after(() => region.stop());

  // The socket after its handshake, or why there is none.
  const dial = (
    { host, port }: Pick<Place, 'host' | 'port'>,
    options: ConnectionOptions,
  ): Promise<TLSSocket | string> =>
    new Promise((resolve) => {
      const socket = connect({ host, port, servername: 'localhost', ...options });
      socket.once('secureConnect', () => resolve(socket));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.once('close', () => resolve('closed'));
    });
  const ended = (socket: Socket, limitMs: number): Promise<string> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve('still open'), limitMs); // deadline
      let text = '';
      socket.on('data', (piece: Buffer) => {
        text += piece.toString('latin1');
      });
      socket.on('error', () => {});
      socket.once('close', () => {
        clearTimeout(timer);
        resolve(text);
      });
    });

  test('TLS 1.2 and 1.3 are spoken, older versions are refused', async () => {
    for (const { name, options, ...at } of places) {
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const socket = await dial(at, { ...options, minVersion: version, maxVersion: version });
        assert.ok(typeof socket !== 'string', `${name} ${version}: ${socket}`);
        assert.equal(socket.getProtocol(), version, name);
        socket.destroy();
      }
      for (const version of ['TLSv1', 'TLSv1.1'] as const) {
        const old = { minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' };
        assert.equal(typeof (await dial(at, { ...options, ...old })), 'string', `${name} ${version}`);
      }
    }
  });

  test('ciphers without forward secrecy or authenticated encryption are refused', async () => {
    const weak = [
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-ECDSA-AES256-SHA384',
      'AES128-SHA',
      'AES256-GCM-SHA384',
      'aNULL',
      'eNULL',
      'PSK',
    ];
    for (const { name, options, ...at } of places)
      for (const cipher of weak) {
        const offered = { ciphers: `${cipher}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' } as const;
        assert.equal(typeof (await dial(at, { ...options, ...offered })), 'string', `${name} ${cipher}`);
      }
  });

  test('a client can not have a second handshake on its connection', async () => {
    for (const { name, options, ...at } of places) {
      const socket = await dial(at, { ...options, maxVersion: 'TLSv1.2' });
      assert.ok(typeof socket !== 'string', name);
      socket.on('error', () => {});
      const again = await new Promise<string>((resolve) => {
        // The server ignores the wish, or hangs up.
        setTimeout(() => resolve('refused'), 1000); // deadline
        socket.once('close', () => resolve('refused'));
        socket.renegotiate({}, (error) => resolve(error ? 'refused' : 'accepted'));
      });
      assert.equal(again, 'refused', name);
      socket.destroy();
    }
  });

  test('plain text at a TLS port and TLS at a plain port end the connection', async () => {
    for (const { name, host, port } of places) {
      const socket = connectPlain({ host, port });
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      assert.notEqual(await ended(socket, 10_000), 'still open', name);
    }
    assert.equal(typeof (await dial({ host, port: plainPort }, { rejectUnauthorized: false })), 'string');
  });

  test('a foreign host name gets a certificate that does not match it', async () => {
    const ca = readFileSync(`${region.data}/ca.pem`, 'utf8');
    for (const { name, ...at } of places.filter(({ name }) => name !== 'broker'))
      for (const servername of ['bank.example', 'www.bank.example', 'a.b.c.d.e.f', `${'x'.repeat(60)}.example`])
        assert.match(
          String(await dial(at, { ca, servername })),
          /ERR_TLS_CERT_ALTNAME_INVALID|CERT/,
          `${name} ${servername}`,
        );
  });

  test('handshakes that do not end hold up no others', async () => {
    for (const { name, options, ...at } of places) {
      const idle = Array.from({ length: 200 }, () => connectPlain(at).on('error', () => {}));
      for (const socket of idle) socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1])); // the beginning of one
      try {
        const socket = await dial(at, options);
        assert.ok(typeof socket !== 'string', `${name}: ${socket}`);
        socket.destroy();
      } finally {
        for (const socket of idle) socket.destroy();
      }
    }
  });
});

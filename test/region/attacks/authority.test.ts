// Whoever steals the key of the region's CA can't pass for hosts that are not the platform's, and clients that trust it
// connect as before.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startRegion } from '../../harness/region.ts';

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

test('the CA of a new region is for its own names only', async (t) => {
  await using region = await startRegion({
    args: ['--domain', 'cloud.example', '--public-url', 'https://public.example'],
  });
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-ca-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const ca = join(region.data, 'ca.pem');
  const { port } = new URL(region.https);

  await t.test(
    'it permits the platform, --domain, the public URL and localhost',
    { skip: !has('openssl', 'version') },
    () => {
      const { stdout } = spawnSync('openssl', ['x509', '-in', ca, '-noout', '-ext', 'nameConstraints'], {
        encoding: 'utf8',
      });
      assert.match(stdout, /critical/);
      assert.deepEqual([...stdout.matchAll(/DNS:(\S+)/g)].map(([, name]) => name).sort(), [
        ...['cloud.example', 'ionos-cloud.github.io', 'ionos.com', 'ionoscloud.com', 'localhost'],
        ...['profitbricks.com', 'public.example'],
      ]);
    },
  );

  await t.test('Node accepts all of its names', async () => {
    for (const host of [
      'localhost',
      '127.0.0.1',
      'api.ionos.com',
      'api.cloud.example',
      'public.example',
      'a.b.s3.eu-central-1.ionoscloud.com',
    ])
      assert.equal(await statusBy(host, Number(port), readFileSync(ca, 'utf8')), 200, host);
  });

  await t.test('Python does', { skip: !has('python3', '--version') }, async () => {
    const script = join(folder, 'client.py');
    writeFileSync(script, python);
    const { stdout } = await promisify(execFile)('python3', [
      script,
      ca,
      port,
      'localhost',
      'api.ionos.com',
      's3.cloud.example',
    ]);
    assert.equal(stdout.trim(), 'localhost api.ionos.com s3.cloud.example');
  });
});

const statusBy = (servername: string, port: number, ca: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const name = /^[\d.]+$/.test(servername) ? {} : { servername };
    get({ host: '127.0.0.1', port, path: '/health', ca, agent: false, ...name }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    }).on('error', reject);
  });

const python = `import socket, ssl, sys
ca, port, *hosts = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
context.verify_flags |= ssl.VERIFY_X509_STRICT
for host in hosts:
    with socket.create_connection(("127.0.0.1", int(port))) as plain:
        with context.wrap_socket(plain, server_hostname=host):
            pass
print(*hosts)
`;

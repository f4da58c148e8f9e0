// Let's Encrypt's ACME server for tests, which looks names up at the region's name server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAuthority, issueCertificate } from '../../../src/testing/black-box/certificates.ts';
import { freePort } from '../../../src/testing/free-port.ts';
import { launch, signalIfAlive } from '../../harness/process.ts';
import { workFolder } from '../run.ts';

export interface Pebble {
  directory: string;
  rootAddress: string; // of the root certificate
}

export interface PebbleHost {
  folder: string;
  caFile: string; // of the CA that is trusted for its own HTTPS
  port: number;
  managementPort: number;
  dnsPort: number; // of the region's name server, whenever it starts
}

// The region has to know the CA when it starts, and Pebble the region's name server, so this comes before both.
export async function preparePebble(t: TestContext): Promise<PebbleHost> {
  const folder = workFolder(t);
  const now = (): number => Date.now();
  const authority = await createAuthority({ commonName: 'Pebble host CA', days: 2, now });
  const own = await issueCertificate(authority, { commonName: 'localhost', hosts: ['127.0.0.1'], days: 2, now });
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, authority.certificate);
  writeFileSync(join(folder, 'cert.pem'), own.certificate);
  writeFileSync(join(folder, 'key.pem'), own.key);
  return { folder, caFile, port: await freePort(), managementPort: await freePort(), dnsPort: await freePort() };
}

export async function startPebble(t: TestContext, program: string, host: PebbleHost): Promise<Pebble> {
  const { folder, port, managementPort, dnsPort } = host;
  const config = join(folder, 'pebble.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort: 1,
    tlsPort: 1,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    profiles: { default: { description: 'ninety days', validityPeriod: 90 * 86_400 } },
  };
  writeFileSync(config, JSON.stringify({ pebble }));
  // By default it sleeps before it checks proofs, and refuses some nonces to test its clients. The latter stays on.
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' };
  const command = [program, '-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`];
  const child = launch([], { command, env });
  t.after(() => signalIfAlive(child.pid, 'SIGKILL'));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('ACME directory available')) resolve();
      });
    child.once('exit', () => reject(new Error(`Pebble has ended:\n${said}`)));
  });
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    rootAddress: `https://127.0.0.1:${managementPort}/roots/0`,
  };
}

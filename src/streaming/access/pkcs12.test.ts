// PKCS#12 files as OpenSSL and Java read them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type CertificatePair, createAuthority, issueCertificate } from '../../base/certificate.ts';
import { machineTime } from '../../base/clock.ts';
import { keyStore, trustStore } from './pkcs12.ts';

const password = 'changeit-ü';
const has = (program: string): boolean => spawnSync(program, ['-version']).error === undefined;

suite('PKCS#12', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-pkcs12-'));
  const file = (name: string): string => join(folder, name);
  let authority: CertificatePair;
  let pair: CertificatePair;
  before(async () => {
    authority = await createAuthority({ commonName: 'the authority', days: 2, now: machineTime });
    pair = await issueCertificate(authority, {
      commonName: 'admin',
      hosts: [],
      days: 1,
      now: machineTime,
      client: true,
    });
    writeFileSync(file('key.p12'), await keyStore(pair, [authority.certificate], 'admin', 'changeit'));
    writeFileSync(file('trust.p12'), await trustStore([authority.certificate], 'authority', 'changeit'));
    writeFileSync(file('other.p12'), await keyStore(pair, [], 'admin', password));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('[STREAM-04] OpenSSL finds the key and both certificates, and needs the password', {
    skip: !has('openssl') && 'openssl is not installed',
  }, () => {
    const read = (name: string, pass: string) =>
      spawnSync('openssl', ['pkcs12', '-in', file(name), '-passin', `pass:${pass}`, '-nodes'], { encoding: 'utf8' });
    const { stdout } = read('key.p12', 'changeit');
    assert.equal(stdout.match(/BEGIN CERTIFICATE/g)?.length, 2);
    const body = (pem: string): string => pem.replaceAll(/-----.*-----|\s/g, '');
    assert.ok(stdout.replaceAll(/\s/g, '').includes(body(pair.key)));
    assert.match(read('other.p12', password).stdout, /BEGIN PRIVATE KEY/);
    assert.notEqual(read('key.p12', 'wrong').status, 0);
  });

  test('[STREAM-04] Java reads the key store, and trusts what the trust store has', {
    skip: !has('keytool') && 'keytool is not installed',
  }, () => {
    const list = (name: string): string =>
      spawnSync('keytool', ['-list', '-v', '-storetype', 'PKCS12', '-storepass', 'changeit', '-keystore', file(name)], {
        encoding: 'utf8',
      }).stdout;
    assert.match(list('key.p12'), /PrivateKeyEntry[\s\S]*Certificate chain length: 2[\s\S]*Owner: CN=admin/);
    assert.match(list('trust.p12'), /trustedCertEntry[\s\S]*Owner: CN=the authority/);
  });
});

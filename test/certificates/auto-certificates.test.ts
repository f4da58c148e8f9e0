// Auto-certificates of the region's own CA: issued, renewed when the clock moves, and refused for names of others.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { cumulet } from '../harness/process.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { addZone, callerOn, letsEncrypt, made, moveClock, settled, untilCertificate } from './certificates.ts';

suite('auto-certificates', () => {
  let region: Region;
  let provider: string;
  before(async () => {
    region = await startRegion();
    await addZone(region, 'example.com');
    ({ id: provider } = await made(region, '/providers', {
      name: 'public',
      email: 'a@example.com',
      server: letsEncrypt,
    }));
  });
  after(() => region.stop());

  const ask = (commonName: string, more: object = {}): Promise<ResourceBody> =>
    made(region, '/auto-certificates', { name: commonName, provider, commonName, keyAlgorithm: 'rsa2048', ...more });
  const certificateOf = async ({ metadata }: ResourceBody): Promise<ResourceBody> =>
    (await callerOn(region)('GET', `/certificates/${metadata.lastIssuedCertificate}`)).body;
  const issuedBy = async ({ id }: ResourceBody): Promise<ResourceBody[]> =>
    (await callerOn(region)('GET', `/certificates?filter.autoCertificate=${id}&orderBy=createdDate`)).body.items;

  test('[TOOLS-05] it is issued for all of its names, by a CA that the gateway and its clients do not use', async () => {
    const auto = await ask('www.example.com', { subjectAlternativeNames: ['*.example.com', 'example.com'] });
    const { metadata } = await settled(region, auto.id);
    assert.equal(metadata.state, 'AVAILABLE', String(metadata.message));
    const certificate = await certificateOf(await settled(region, auto.id));
    assert.equal(certificate.metadata.autoCertificate, auto.id);
    const leaf = new X509Certificate(String(certificate.properties.certificate));
    const issuer = new X509Certificate(String(certificate.properties.certificateChain));
    assert.equal(leaf.subject, 'CN=www.example.com');
    for (const host of ['www.example.com', 'any.example.com', 'example.com']) assert.ok(leaf.checkHost(host), host);
    assert.equal(leaf.publicKey.asymmetricKeyDetails?.modulusLength, 2048);
    assert.ok(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey));
    assert.ok(leaf.validFromDate.getTime() < Date.now(), 'it is valid already');
    const gateway = new X509Certificate(readFileSync(`${region.data}/ca.pem`));
    assert.notEqual(issuer.fingerprint256, gateway.fingerprint256);
    const { stdout } = await cumulet(['ca', '--data', region.data]);
    assert.ok(!stdout.includes(String(certificate.properties.certificateChain).split('\n')[2] as string));
    assert.deepEqual(
      (await issuedBy(auto)).map(({ id }) => id),
      [certificate.id],
    );
    const renamed = await callerOn(region)('PATCH', `/auto-certificates/${auto.id}`, { name: 'renamed' });
    assert.deepEqual([renamed.status, renamed.body.properties.name], [200, 'renamed']);
    assert.equal(
      (await callerOn(region)('PATCH', `/auto-certificates/${auto.id}`, { commonName: 'x.example.com' })).status,
      422,
    );
  });

  test('[TOOLS-05] a name outside the zones of the contract is FAILED with the reason, and issued once there is a zone', async () => {
    const auto = await ask('www.later.example');
    const { metadata } = await settled(region, auto.id);
    assert.equal(metadata.state, 'FAILED');
    assert.match(String(metadata.message), /^www\.later\.example is in no enabled DNS zone of the contract/);
    assert.equal(metadata.lastIssuedCertificate, undefined);
    await addZone(region, 'later.example');
    await moveClock(region, 0.1);
    assert.equal(
      (await untilCertificate(region, auto.id, (one) => one.metadata.state === 'AVAILABLE')).metadata.message,
      '',
    );
  });

  test('[TOOLS-05] it is renewed when a third of its life remains; then the old one expires', async () => {
    const auto = await settled(region, (await ask('renewed.example.com')).id);
    const first = await certificateOf(auto);
    await moveClock(region, 50);
    assert.equal((await settled(region, auto.id)).metadata.lastIssuedCertificate, first.id, 'not before');
    await moveClock(region, 11);
    const renewed = await untilCertificate(
      region,
      auto.id,
      ({ metadata }) => metadata.lastIssuedCertificate !== first.id,
    );
    const second = await certificateOf(renewed);
    assert.ok(String(second.metadata.notAfter) > String(first.metadata.notAfter));
    const leaf = new X509Certificate(String(second.properties.certificate));
    assert.ok(leaf.validFromDate.getTime() < Date.now(), 'it is valid for clients, whose clock was not moved');
    await moveClock(region, 30);
    const shown = await issuedBy(auto);
    assert.deepEqual(shown.map(({ id, metadata }) => [id, metadata.expired]).slice(0, 2), [
      [first.id, true],
      [second.id, false],
    ]);
  });

  test('[TOOLS-05] without its provider it is not renewed and reports why; issued certificates remain', async () => {
    const { id: passing } = await made(region, '/providers', {
      name: 'passing',
      email: 'a@example.com',
      server: letsEncrypt,
    });
    const auto = await settled(region, (await ask('orphan.example.com', { provider: passing })).id);
    assert.equal((await callerOn(region)('DELETE', `/providers/${passing}`)).status, 202);
    await moveClock(region, 61);
    const { metadata } = await untilCertificate(region, auto.id, (one) => one.metadata.message !== '');
    assert.deepEqual(
      [metadata.state, metadata.message],
      ['AVAILABLE', 'The certificate could not be renewed: Its provider was deleted.'],
    );
    assert.equal((await callerOn(region)('DELETE', `/auto-certificates/${auto.id}`)).status, 202);
    for (let status = 200; status !== 404; )
      ({ status } = await callerOn(region)('GET', `/auto-certificates/${auto.id}`));
    assert.equal((await certificateOf(auto)).id, auto.metadata.lastIssuedCertificate);
    assert.equal((await issuedBy(auto)).length, 1);
  });

  test('[TOOLS-05] wrong bodies are refused: 422', async () => {
    const good = { name: 'a', provider, commonName: 'a.example.com', keyAlgorithm: 'rsa2048' };
    for (const [more, reason] of [
      [{ provider: crypto.randomUUID() }, /Provider [-0-9a-f]+ does not exist/],
      [{ provider: undefined }, /provider\]/],
      [{ commonName: 'no name' }, /commonName\] Expected a domain name/],
      [{ commonName: 'a.*.example.com' }, /commonName\] Expected a domain name/],
      [{ keyAlgorithm: 'rsa1024' }, /Expected one of \[rsa2048, rsa3072, rsa4096\]/],
      [
        { subjectAlternativeNames: ['good.example.com', '-'] },
        /subjectAlternativeNames\.\[1\]\] Expected a domain name/,
      ],
    ] as const) {
      const { status, body } = await callerOn(region)('POST', '/auto-certificates', { ...good, ...more });
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), reason);
    }
    for (const more of [
      { server: 'ftp://example.com' },
      { server: 'http://192.168.1.1/dir' },
      { server: 'https://169.254.169.254/latest' },
      { server: undefined },
      { email: 'nobody' },
    ]) {
      const sent = { name: 'a', email: 'a@example.com', server: letsEncrypt, ...more };
      assert.equal((await callerOn(region)('POST', '/providers', sent)).status, 422);
    }
  });

  test('[TOOLS-05] the key id of an external account is shown, and its secret is not', async () => {
    const { properties } = await made(region, '/providers', {
      ...{ name: 'bound', email: 'a@example.com', server: letsEncrypt },
      externalAccountBinding: { keyId: 'a key', keySecret: 'a secret' },
    });
    assert.deepEqual(properties.externalAccountBinding, { keyId: 'a key' });
  });

  test('[TOOLS-05] a contract has 200 providers at most; a deletion makes room', async () => {
    const body = { name: 'one of many', email: 'a@example.com', server: letsEncrypt };
    const { items } = (await callerOn(region)('GET', '/providers?limit=1000')).body;
    let last = '';
    for (let count = items.length; count < 200; count++) ({ id: last } = await made(region, '/providers', body));
    const { status, body: answer } = await callerOn(region)('POST', '/providers', body);
    assert.equal(status, 422);
    assert.match(
      JSON.stringify(answer),
      /The contract has 200 providers of certificates already, which is the maximum\./,
    );
    assert.equal((await callerOn(region)('DELETE', `/providers/${last}`)).status, 202);
    for (let gone = 200; gone !== 404; ) ({ status: gone } = await callerOn(region)('GET', `/providers/${last}`));
    await made(region, '/providers', body);
  });
});

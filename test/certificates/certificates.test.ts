// Certificates by the API: uploads are validated, and keys are never shown.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import type { CertificatePair } from '../../src/testing/black-box/certificates.ts';
import { addGroup, addPerson } from '../harness/people.ts';
import { type Region, startRegion, waitRequest } from '../harness/region.ts';
import { makeSample } from '../harness/samples.ts';
import { secondContract } from '../sweep/world.ts';
import { authorityFor, callerOn, leafOf, made, service } from './certificates.ts';

suite('certificates', () => {
  let region: Region;
  let authority: CertificatePair;
  let leaf: CertificatePair;
  before(async () => {
    [region, authority] = await Promise.all([startRegion(), authorityFor('Test CA')]);
    leaf = await leafOf(authority, ['www.example.com', '*.example.com', '192.0.2.1']);
  });
  after(() => region.stop());

  const body = (more: object = {}): object => ({
    name: 'uploaded',
    certificate: leaf.certificate,
    certificateChain: authority.certificate,
    privateKey: leaf.key,
    ...more,
  });

  test('[TOOLS-05] an upload shows the contents of the certificate, is renamed, found and deleted; its key is never shown', async () => {
    const call = callerOn(region);
    const shown = await made(region, '/certificates', body());
    const parsed = new X509Certificate(leaf.certificate);
    assert.deepEqual(shown.properties, {
      name: 'uploaded',
      certificate: leaf.certificate,
      certificateChain: authority.certificate,
    });
    assert.partialDeepStrictEqual(shown.metadata, {
      state: 'AVAILABLE',
      message: '',
      expired: false,
      commonName: 'www.example.com',
      subjectAlternativeNames: ['www.example.com', '*.example.com', '192.0.2.1'],
      serialNumber: parsed.serialNumber,
      notBefore: parsed.validFromDate.toISOString(),
      notAfter: parsed.validToDate.toISOString(),
    });
    const path = `/certificates/${shown.id}`;
    const renamed = await call('PATCH', path, { name: 'renamed' });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.body.properties.name, 'renamed');
    assert.equal((await call('PATCH', path, { certificate: authority.certificate })).status, 422);
    assert.equal((await call('PATCH', path, { privateKey: leaf.key })).status, 422);
    assert.equal((await call('PUT', path, body())).status, 405);
    const found = async (query: string): Promise<string[]> =>
      (await call('GET', `/certificates?${query}`)).body.items.map(({ id }) => id);
    assert.deepEqual(await found('filter.commonName=www.example.com'), [shown.id]);
    assert.deepEqual(await found('filter.commonName=other'), []);
    assert.deepEqual(await found(`filter.autoCertificate=${shown.id}`), [], 'it was not issued by an auto-certificate');
    assert.equal((await call('DELETE', path)).status, 202);
    for (let status = 200; status !== 404; ) ({ status } = await call('GET', path));
  });

  test('[TOOLS-05] certificates and keys that do not match are refused with the reason: 422', async () => {
    const call = callerOn(region);
    const other = await leafOf(authority, ['other.example.com']);
    const stranger = await authorityFor('Strange CA');
    const self = { certificate: authority.certificate, privateKey: authority.key };
    for (const [more, reason] of [
      [{ privateKey: other.key }, /privateKey\] The key does not belong/],
      [{ privateKey: 'nonsense' }, /privateKey\] Expected a private key in PEM/],
      [{ privateKey: '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----' }, /password/],
      [{ certificate: 'nonsense' }, /certificate\] Expected a certificate in PEM/],
      [{ certificate: leaf.certificate.slice(0, 200) }, /certificate\] It has a PEM block without an end/],
      [{ certificate: leaf.certificate + authority.certificate }, /issuers belong into certificateChain/],
      [{ certificate: leaf.key }, /certificate\] Expected certificates only, found a key/],
      [{ certificateChain: authority.certificate + leaf.key }, /certificateChain\] Expected certificates only/],
      [{ certificateChain: stranger.certificate }, /Certificate 1 has not issued the certificate/],
      [
        { certificateChain: authority.certificate + stranger.certificate },
        /Certificate 2 has not issued certificate 1/,
      ],
      [{ certificateChain: 'nonsense' }, /certificateChain\] Expected certificates in PEM/],
      [{ name: '' }, /name\]/],
      [{ privateKey: null }, /privateKey\]/],
    ] as const) {
      const answer = await call('POST', '/certificates', body(more));
      assert.equal(answer.status, 422, JSON.stringify(more));
      const text = JSON.stringify(answer.body);
      assert.match(text, reason);
      assert.ok(!text.includes(leaf.key.split('\n')[1] as string), 'no part of a key is shown');
    }
    for (const more of [
      { certificateChain: leaf.certificate + authority.certificate },
      { certificateChain: '' },
      { ...self, certificateChain: authority.certificate },
    ])
      await made(region, '/certificates', body(more));
  });

  test('[TOOLS-05] a certificate that an application load balancer presents can be deleted only when it is no longer in use', async () => {
    const call = callerOn(region);
    const { id } = await made(region, '/certificates', body({ name: 'presented' }));
    const rule = await makeSample(region, 'applicationforwardingrule');
    const patch = async (serverCertificates: string[]) => {
      const answer = await region.call('PATCH', rule, { serverCertificates });
      if (answer.status < 300) await waitRequest(region, String(answer.headers.location));
      return answer;
    };
    assert.match(JSON.stringify((await patch([crypto.randomUUID()])).body), /Certificate [0-9a-f-]+ does not exist/);
    assert.equal((await patch([id])).status, 202);
    const kept = await call('DELETE', `/certificates/${id}`);
    assert.equal(kept.status, 422);
    assert.match(JSON.stringify(kept.body), /forwardingrules\/\S+ uses it/);
    assert.equal((await patch([])).status, 202);
    assert.equal((await call('DELETE', `/certificates/${id}`)).status, 202);
  });

  test('[GEN-07] other contracts, and people without the privilege, see and change nothing', async () => {
    const { id } = await made(region, '/certificates', body());
    const { token } = await secondContract(region);
    const paths = [`/certificates/${id}`];
    for (const path of paths)
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal(
          (await callerOn(region)(method, path, method === 'PATCH' ? { name: 'mine' } : undefined, { token })).status,
          404,
        );
    const person = await addPerson(region);
    const list = (): Promise<number> =>
      region.call('GET', `${service}/certificates`, undefined, { token: person.token }).then(({ status }) => status);
    assert.equal(await list(), 403);
    await addGroup(region, ['accessAndManageCertificates'], [person.user]);
    assert.equal(await list(), 200);
  });
});

// What the console asks of the name server and of certificates, where browsers can't: who may, and what is answered.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { validityOf } from '../../console/certificates/chain.ts';
import { digOf, fullName } from '../../console/dns/lookup.ts';
import { sampleCertificate } from '../../src/testing/black-box/certificates.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { signIn, type Visitor } from './calls.ts';

interface Answer {
  status: string;
  flags: string[];
  server: string;
  answers: { name: string; type: string; ttl: number; data: string }[];
  authorities: { type: string }[];
}

describe('names in the console', () => {
  let region: Region;
  let owner: Visitor;
  before(async () => {
    region = await startRegion();
    owner = await signIn(region, region.owner);
    const zone = (await region.call('POST', '/dns/zones', { properties: { zoneName: 'example.com' } })).body;
    const add = (properties: object) => region.call('POST', `/dns/zones/${zone.id}/records`, { properties });
    await add({ name: 'www', type: 'A', content: '192.0.2.7', ttl: 300 });
    await add({ name: '', type: 'MX', content: 'mail.example.com', priority: 10, ttl: 600 });
    await add({ name: 'note', type: 'TXT', content: 'a "b" <c>', ttl: 60 });
  });
  after(() => region.stop());
  const ask = (query: string) => owner.call<Answer>('GET', `/console/dns-lookup?${query}`);

  it('the name server answers as it does on the network', async () => {
    const { body } = await ask('name=www.example.com&type=A');
    assert.deepEqual(body.answers, [{ name: 'www.example.com', type: 'A', ttl: 300, data: '192.0.2.7' }]);
    assert.deepEqual([body.status, body.flags], ['NOERROR', ['qr', 'aa', 'rd']]);
    assert.equal((await ask('name=example.com&type=MX')).body.answers[0]?.data, '10 mail.example.com');
    assert.match((await ask('name=note.example.com.&type=txt')).body.answers[0]?.data ?? '', /<c>/);
    const missing = (await ask('name=nothing.example.com&type=AAAA&dnssec=1')).body;
    assert.deepEqual([missing.status, missing.authorities[0]?.type], ['NXDOMAIN', 'SOA']);
    assert.equal((await ask('name=example.org')).body.status, 'REFUSED');
    assert.match(body.server, /:\d+$/);
  });

  it('refuses what is no question, and callers that are not signed in', async () => {
    const long = 'a'.repeat(64);
    for (const query of ['name=a..b', `name=${long}.example.com`, 'name=example.com&type=AXFR', 'name=x&type=%3Cb%3E'])
      assert.equal((await ask(query)).status, 422, query);
    assert.equal((await region.call('GET', '/console/dns-lookup?name=x', undefined, { token: null })).status, 401);
    const cross = { 'x-console': '1', 'sec-fetch-site': 'cross-site' };
    assert.equal((await owner.call('GET', '/console/dns-lookup?name=x', undefined, cross)).status, 403);
    assert.equal((await owner.call('POST', '/console/certificate-chain', { pem: '' }, cross)).status, 403);
  });

  it('reads a chain of certificates', async () => {
    const { certificate, certificateChain } = sampleCertificate;
    const pem = `${certificate}\n${certificate}\n${certificateChain}`;
    const { status, body } = await owner.call<{ certificates: { isSigned: boolean; commonName: string }[] }>(
      'POST',
      '/console/certificate-chain',
      { pem },
    );
    assert.equal(status, 200);
    assert.ok(body.certificates.length >= 1);
    assert.ok(body.certificates.every(({ isSigned }) => isSigned !== false));
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    assert.equal((await owner.call('POST', '/console/certificate-chain', { pem: broken })).status, 422);
    assert.equal((await owner.call('POST', '/console/certificate-chain', {})).status, 422);
  });

  it('says how long a certificate is valid, and how to ask by the command line', () => {
    const year = { notBefore: '2026-01-01T00:00:00Z', notAfter: '2027-01-01T00:00:00Z' };
    const at = (day: string) => validityOf(year, Date.parse(day));
    assert.deepEqual(at('2026-07-02T12:00:00Z'), { look: 'good', text: '182 days left', share: 0.5 });
    assert.equal(at('2026-12-20T00:00:00Z').look, 'waits');
    assert.equal(at('2027-01-03T00:00:00Z').text, 'Expired 2 days ago');
    assert.equal(at('2025-12-31T00:00:00Z').text, 'Valid in 1 day');
    const names = ['', '@', 'www', 'www.example.com', 'a.test.'].map((name) => fullName(name, 'example.com'));
    assert.deepEqual(names, ['example.com', 'example.com', 'www.example.com', 'www.example.com', 'a.test']);
    const answer = { server: '127.0.0.1:7053' };
    const dig = (name: string): string =>
      digOf({ ...answer, question: { name, type: 'MX' } } as Parameters<typeof digOf>[0], true);
    assert.equal(dig('example.com'), 'dig @127.0.0.1 -p 7053 example.com MX +dnssec');
    assert.equal(dig('$(id).example.com'), "dig @127.0.0.1 -p 7053 '$(id).example.com' MX +dnssec");
  });
});

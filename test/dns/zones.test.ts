// Zones and records by the API, and the answers of the name server.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { addPerson, core } from '../harness/people.ts';
import { type Answer, createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/api.ts';
import { ask, dataOf, portOf } from './query.ts';

suite('DNS zones', () => {
  let region: Region;
  let port: number;
  before(async () => {
    region = await startRegion();
    port = portOf(region);
  });
  after(() => region.stop());

  const call = (method: string, path: string, properties?: object, options?: object): Promise<Answer> =>
    region.call(method, `/dns${path}`, properties && { properties }, options);
  const must = async (method: string, path: string, properties?: object): Promise<ResourceBody> => {
    const { status, body } = await call(method, path, properties);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const addZone = async (zoneName: string): Promise<string> =>
    `/zones/${(await must('POST', '/zones', { zoneName })).id}`;
  const addRecord = (zone: string, name: string, type: string, content: string, more = {}) =>
    must('POST', `${zone}/records`, { name, type, content, ...more });
  const ready = async (path: string): Promise<ResourceBody> =>
    until(
      `${path} is provisioned`,
      async () => (await call('GET', path)).body,
      ({ metadata }) => metadata.state !== 'PROVISIONING',
    );

  test('[TOOLS-05] a zone and its records resolve as soon as they are created, until they are deleted', async () => {
    const zone = await addZone('Lives.Example.com.');
    const shown = await ready(zone);
    assert.equal(shown.properties.zoneName, 'lives.example.com');
    assert.equal(shown.metadata.state, 'AVAILABLE');
    assert.equal((shown.metadata.nameservers as string[]).length, 4);
    const record = await addRecord(zone, 'www', 'A', '192.0.2.10');
    assert.equal(record.metadata.fqdn, 'www.lives.example.com');
    assert.equal(record.metadata.zoneId, shown.id);
    const found = await ask(port, 'WWW.lives.example.com', 'A');
    assert.deepEqual(dataOf(found), ['192.0.2.10']);
    assert.equal(found.flag_aa, true);
    const path = `${zone}/records/${record.id}`;
    await ready(path);
    await must('PUT', path, { name: 'www', type: 'A', content: '192.0.2.11', ttl: 60 });
    await ready(path);
    assert.deepEqual(dataOf(await ask(port, 'www.lives.example.com', 'A')), ['192.0.2.11']);
    await must('DELETE', path);
    assert.equal((await ask(port, 'www.lives.example.com', 'A')).rcode, 'NXDOMAIN');
    await must('PUT', zone, { zoneName: 'lives.example.com', enabled: false });
    await ready(zone);
    assert.equal((await ask(port, 'lives.example.com', 'SOA')).rcode, 'REFUSED');
    await must('DELETE', zone);
    for (let status = 200; status !== 404; ) ({ status } = await call('GET', zone));
    await addZone('lives.example.com');
  });

  test('[TOOLS-05] a PUT with an id of the client creates, as ionosctl and Terraform do', async () => {
    const id = crypto.randomUUID();
    const made = await call('PUT', `/zones/${id}`, { zoneName: 'chosen.example.com', description: 'x', enabled: true });
    assert.deepEqual([made.status, made.body.id], [202, id]);
    await ready(`/zones/${id}`);
    const recordId = crypto.randomUUID();
    const properties = { name: '', type: 'MX', content: 'mail.example.net', ttl: 300, priority: 10, enabled: true };
    const record = await call('PUT', `/zones/${id}/records/${recordId}`, properties);
    assert.deepEqual([record.status, record.body.id], [202, recordId]);
    assert.deepEqual(dataOf(await ask(port, 'chosen.example.com', 'MX')), [
      { preference: 10, exchange: 'mail.example.net' },
    ]);
  });

  test('[TOOLS-05] lists are filtered, and exact matches come first', async () => {
    const zone = await addZone('exact.example.org');
    await addZone('more.exact.example.org');
    const { items } = await must('GET', '/zones?filter.zoneName=exact.example.org&limit=1');
    assert.deepEqual(
      items.map(({ properties }) => properties.zoneName),
      ['exact.example.org'],
    );
    await addRecord(zone, 'api', 'A', '192.0.2.1');
    await addRecord(zone, 'api2', 'A', '192.0.2.2');
    await addRecord(zone, 'api', 'TXT', 'text');
    const zoneId = zone.split('/').at(-1);
    const all = await must('GET', `/records?filter.zoneId=${zoneId}`);
    assert.equal(all.items.length, 3);
    const one = await must('GET', `/records?filter.zoneId=${zoneId}&filter.name=api&filter.type=A&limit=1`);
    assert.deepEqual(
      one.items.map(({ properties }) => properties.name),
      ['api'],
    );
    const quota = await must('GET', '/quota');
    assert.ok(Number((quota.quotaUsage as Record<string, number>).records) >= 3);
    assert.equal((quota.quotaLimits as Record<string, number>).zones, 50_000);
  });

  test('[GEN-05] records that no name server could serve are refused with the reason', async () => {
    const zone = await addZone('strict.example.com');
    const refused: [number, string, string, string, object?][] = [
      [422, 'a', 'A', '192.0.2.300'],
      [422, 'a', 'AAAA', '192.0.2.1'],
      [422, 'a', 'MX', 'mail.example.com'],
      [422, 'a', 'SRV', '5 mail.example.com', { priority: 1 }],
      [422, 'a', 'CAA', 'issue'],
      [422, 'a', 'TLSA', '3 1 1 xyz'],
      [422, 'a', 'LOC', '99 N 200 E 0m'],
      [422, 'a', 'HTTPS', '1 . color=red'],
      [422, 'a', 'DS', '1 8 2'],
      [422, 'a', 'OPENPGPKEY', '???'],
      [422, 'a', 'PTR', 'x.example.com'],
      [422, 'bad name', 'A', '192.0.2.1'],
      [422, '', 'CNAME', 'x.example.com'],
      [422, 'x'.repeat(64), 'A', '192.0.2.1'],
      [422, 'a', 'TXT', '"open'],
      [422, 'a', 'A', '192.0.2.1', { ttl: 5 }],
    ];
    for (const [status, name, type, content, more = {}] of refused) {
      const answer = await call('POST', `${zone}/records`, { name, type, content, ...more });
      assert.equal(answer.status, status, `${name} ${type} ${content}: ${JSON.stringify(answer.body)}`);
    }
    for (const zoneName of ['', 'com', '*.example.com', 'a..b', `${'a.'.repeat(130)}com`])
      assert.equal((await call('POST', '/zones', { zoneName })).status, 422, zoneName);
    assert.equal((await call('POST', '/zones', { zoneName: 'strict.example.com' })).status, 409);
    await addRecord(zone, 'c', 'CNAME', 'x.example.com');
    assert.equal((await call('POST', `${zone}/records`, { name: 'c', type: 'A', content: '192.0.2.1' })).status, 409);
    await addRecord(zone, 'd', 'A', '192.0.2.1');
    assert.equal((await call('POST', `${zone}/records`, { name: 'd', type: 'A', content: '192.0.2.1' })).status, 409);
    assert.equal((await call('POST', `${zone}/records`, { name: 'd', type: 'CNAME', content: 'x.y' })).status, 409);
  });

  test('[TOOLS-05] a zone file that was read can be written back, and another replaces all records', async () => {
    const zone = await addZone('file.example.com');
    const samples: [string, string, string, object?][] = [
      ['', 'A', '192.0.2.1'],
      ['', 'TXT', 'v=spf1 -all'],
      ['long', 'TXT', `"${'x'.repeat(255)}" "${'y'.repeat(20)} \\"quoted\\""`],
      ['', 'MX', 'mail.file.example.com', { priority: 5 }],
      ['_xmpp._tcp', 'SRV', '0 5222 mail.file.example.com', { priority: 1 }],
      ['', 'CAA', '0 issue "ca.example.net"'],
      ['ssh', 'SSHFP', '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789'],
      ['_443._tcp', 'TLSA', '3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'],
      ['svc', 'SVCB', '1 svc.example.net alpn=h2 port=8443'],
      ['cert', 'CERT', 'PKIX 0 0 AQIDBA=='],
      ['u', 'URI', '1 "https://example.com/?a=b;c"', { priority: 10 }],
      ['rp', 'RP', 'admin.example.com text.example.com'],
      ['loc', 'LOC', '52 31 N 13 24 E 34m'],
      ['off', 'A', '192.0.2.99', { enabled: false }],
    ];
    for (const [name, type, content, more] of samples) await addRecord(zone, name, type, content, more);
    const text = await file('GET', zone);
    assert.equal(text.status, 200);
    assert.match(text.headers['content-type'] ?? '', /^text\/plain/);
    const again = await file('PUT', zone, text.body);
    assert.equal(again.status, 200, again.body);
    const kept = (await must('GET', `${zone}/records?limit=100`)).items;
    assert.equal(kept.length, samples.length - 1, 'a disabled record is a comment in the file');
    assert.equal(
      (await file('GET', zone)).body.replace(/ \d+ 10800/, ''),
      text.body.replace(/ \d+ 10800/, '').replace(/; off.*\n/, ''),
    );
    const other = `$TTL 2h\n@ IN SOA a. b. 1 2 3 4 5\n  IN NS ns.other.example.\nwww 300 IN A 192.0.2.7 ; a comment\n      IN AAAA ( 2001:db8::7\n )\nsub IN NS ns1.example.net.\n`;
    assert.equal((await file('PUT', zone, other)).status, 200);
    const { items } = await must('GET', `${zone}/records`);
    assert.deepEqual(items.map(({ properties: { name, type, ttl } }) => `${name} ${type} ${ttl}`).sort(), [
      'sub NS 7200',
      'www A 300',
      'www AAAA 7200',
    ]);
    assert.deepEqual(dataOf(await ask(port, 'www.file.example.com', 'AAAA')), ['2001:db8::7']);
    for (const [bad, line] of [
      ['www IN A nonsense', 1],
      ['$INCLUDE /etc/passwd', 1],
      ['x IN A (192.0.2.1', 1],
      ['\na.elsewhere.org. IN A 192.0.2.1', 2],
      ['c IN CNAME a.b.\nc IN A 192.0.2.1', 2],
    ] as const) {
      const answer = await file('PUT', zone, bad);
      assert.ok(answer.status >= 400 && answer.status < 500, `${bad}: ${answer.status}`);
      assert.match(answer.body, new RegExp(`Line ${line}:`), bad);
    }
    assert.equal((await must('GET', `${zone}/records`)).items.length, 3, 'a refused file changes nothing');
  });

  const file = async (method: string, zone: string, body?: string) => {
    const answer = await fetch(`${region.url}/dns${zone}/zonefile`, {
      method,
      headers: { authorization: `Bearer ${region.token}`, 'content-type': 'text/plain' },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };

  test('[TOOLS-05] a reverse record is for an address of the contract, and resolves', async () => {
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [ip = ''] = block.properties.ips as string[];
    const made = await call('POST', '/reverserecords', { name: 'host.example.com', ip });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const name = `${ip.split('.').toReversed().join('.')}.in-addr.arpa`;
    assert.deepEqual(dataOf(await ask(port, name, 'PTR')), ['host.example.com']);
    assert.equal((await call('POST', '/reverserecords', { name: 'other.example.com', ip })).status, 409);
    assert.equal((await call('POST', '/reverserecords', { name: 'x.example.com', ip: '198.18.255.254' })).status, 422);
    assert.equal((await must('GET', `/reverserecords?filter.recordIp=${ip}`)).items.length, 1);
    await must('DELETE', `/reverserecords/${made.body.id}`);
    assert.equal((await ask(port, name, 'PTR')).rcode, 'NXDOMAIN');
  });

  test('[TOOLS-05] new zones and records are AVAILABLE in the answer, and all five removals answer with an object', async () => {
    const created = await must('POST', '/zones', { zoneName: 'instant.example.com' });
    const zone = `/zones/${created.id}`;
    const record = await addRecord(zone, 'www', 'A', '192.0.2.10');
    assert.deepEqual([created.metadata.state, record.metadata.state], ['AVAILABLE', 'AVAILABLE']);
    const secondary = { zoneName: 'copied.example.com', primaryIps: ['198.51.100.7'] };
    const { id: secondaryId } = await must('POST', '/secondaryzones', secondary);
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [ip] = block.properties.ips as string[];
    const reverse = await call('POST', '/reverserecords', { name: 'host.example.com', ip });
    await must('POST', `${zone}/keys`, {
      keyParameters: { algorithm: 'RSASHA256', kskBits: 2048, zskBits: 1024 },
      nsecParameters: { nsecMode: 'NSEC', nsec3Iterations: 0, nsec3SaltBits: 64 },
      validity: 90,
    });
    const removals = [
      `${zone}/records/${record.id}`,
      `${zone}/keys`,
      `/secondaryzones/${secondaryId}`,
      `/reverserecords/${reverse.body.id}`,
      zone,
    ];
    for (const path of removals) assert.deepEqual(await must('DELETE', path), {}, `the answer to DELETE ${path}`);
  });

  test('[GEN-07] zones of another contract, are 404, and users without the privilege have no access', async () => {
    const zone = await addZone('private.example.com');
    const { token } = await secondContract(region);
    const plain = await addPerson(region);
    assert.equal((await call('GET', zone, undefined, { token })).status, 404);
    assert.equal((await call('GET', `${zone}/zonefile`, undefined, { token })).status, 404);
    assert.equal(
      (await call('POST', `${zone}/records`, { name: 'x', type: 'A', content: '192.0.2.1' }, { token })).status,
      404,
    );
    assert.equal((await call('POST', '/zones', { zoneName: 'private.example.com' }, { token })).status, 409);
    assert.equal((await call('GET', '/zones', undefined, { token: plain.token })).status, 403);
    assert.deepEqual((await call('GET', '/records', undefined, { token })).body.items, []);
  });

  test('[GEN-06] the same records are answered after a crash, and the serial does not decrease', async () => {
    const zone = await addZone('durable.example.com');
    await addRecord(zone, 'a', 'A', '192.0.2.5');
    const serial = async () =>
      (dataOf(await ask(portOf(region), 'durable.example.com', 'SOA'))[0] as { serial: number }).serial;
    const before = await serial();
    await region.kill();
    await region.start();
    for (let code = 'SERVFAIL'; code === 'SERVFAIL'; )
      code = (await ask(portOf(region), 'a.durable.example.com', 'A')).rcode;
    assert.deepEqual(dataOf(await ask(portOf(region), 'a.durable.example.com', 'A')), ['192.0.2.5']);
    assert.equal(await serial(), before);
    port = portOf(region);
  });
});

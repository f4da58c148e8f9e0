// Which names are the platform’s.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../testing/processor-time.ts';
import { builtInDomain, HostNames } from './host-names.ts';
import { sampleServices } from './testing.ts';

const names = new HostNames(sampleServices, [builtInDomain, 'cumulet.local']);

const ours = [
  'api.ionos.com',
  'API.Ionos.Com',
  'api.ionos.com.',
  's3.ionos.com',
  'monitoring.de-fra.ionos.com',
  'logging.gb-lhr.ionos.com',
  'kafka.us-mci.ionos.com',
  'kafka.de-fra-2.ionos.com',
  'dns.de-fra.ionos.com',
  'certificate-manager.de-fra.ionos.com',
  'inference.de-txl.ionos.com',
  'openai.inference.de-txl.ionos.com',
  '4711-metrics.31000001.monitoring.de-txl.ionos.com',
  'a1b2c3d4e5f6-logs.0123456789ab.logging.de-txl.ionos.com',
  's3.eu-central-3.ionoscloud.com',
  's3.us-central-1.ionoscloud.com',
  's3.eu-south-2.ionoscloud.com',
  's3-website.de-central.profitbricks.com',
  'pages.s3-website.de-central.profitbricks.com',
  'my-bucket.s3.eu-central-3.ionoscloud.com',
  'my.dotted.bucket.s3.eu-central-3.ionoscloud.com',
  'api.cumulet.local',
  'monitoring.de-txl.cumulet.local',
  '4711-metrics.31000001.monitoring.de-txl.cumulet.local',
  'bucket.s3.eu-central-3.cumulet.local',
];

const foreign = [
  '',
  '.',
  'ionos.com',
  'www.ionos.com',
  'ionoscloud.com',
  'api.ionoscloud.com',
  's3.eu-central-3.profitbricks.com',
  'de-central.profitbricks.com',
  'eu-central-3.ionoscloud.com',
  's3.eu-central-3.ionos.com',
  'api.ionos.com..',
  '.api.ionos.com',
  'api.ionos.com:443',
  'api.ionos.com.evil.example',
  'evil.example#.api.ionos.com',
  'api-ionos.com',
  'apixionos.com',
  'xapi.ionos.com',
  'x.api.ionos.com',
  'api.ionos.com\0',
  'api.ionos.com\n',
  'api .ionos.com',
  'user@api.ionos.com',
  'mysql.de-fra.ionos.com',
  'monitoring.ionos.com',
  'monitoring.evil.example.ionos.com',
  'openai.monitoring.de-fra.ionos.com',
  'x-logs.y.monitoring.de-txl.ionos.com',
  '-metrics.1.monitoring.de-txl.ionos.com',
  'a_b.s3.eu-central-3.ionoscloud.com',
  '-b.s3.eu-central-3.ionoscloud.com',
  'b..s3.eu-central-3.ionoscloud.com',
  `${'a.'.repeat(120)}s3.eu-central-3.ionoscloud.com`,
  'localhost',
  '127.0.0.1',
  '::1',
  '\u0430pi.ionos.com',
  'ap\u0131.ionos.com',
  'api.\u0130onos.com',
  'api.cumulet.local.ionos.com',
  '\u212aafka.de-fra.ionos.com',
];

test('the hosts of the platform are known in every spelling of the same name', () => {
  for (const host of ours) assert.equal(names.has(host), true, host);
});

test('no other host is taken for the platform', () => {
  for (const host of foreign) assert.equal(names.has(host), false, JSON.stringify(host));
});

test('a domain counts only where it is listed', () => {
  const own = new HostNames(sampleServices, ['Region.Example.']);
  for (const host of ['api.ionos.com', 'api.cumulet.local']) assert.equal(own.has(host), false, host);
  for (const host of ['api.region.example', 'b.s3.eu-central-3.region.example'])
    assert.equal(own.has(host), true, host);
});

test('a long name that almost fits is judged at once', () => {
  const usedMs = processorMs(() => {
    names.has(`${'a'.repeat(60)}-${'logs-'.repeat(20_000)}`);
    names.has(`${'a-logs'.repeat(10)}.${'a.'.repeat(90)}s3.eu-central-3.ionoscloud.con`);
  });
  assert.ok(usedMs < 500, `${usedMs} ms`);
});

test('one certificate per suffix, and it covers the host by one wildcard label', () => {
  const hostsOf = (host: string) => names.certificateFor(host);
  for (const host of ours) {
    const found = hostsOf(host);
    const name = host.toLowerCase().replace(/\.$/, '');
    assert.ok(found, host);
    assert.equal(name.slice(name.indexOf('.') + 1), found.suffix);
    assert.ok(found.names.includes(`*.${found.suffix}`));
  }
  assert.equal(hostsOf('monitoring.de-fra.ionos.com')?.suffix, hostsOf('KAFKA.de-fra.ionos.com.')?.suffix);
  assert.equal(hostsOf('7-metrics.42.monitoring.de-fra.ionos.com')?.suffix, '42.monitoring.de-fra.ionos.com');
  assert.deepEqual(hostsOf('api.ionos.com')?.names, ['ionos.com', '*.ionos.com', 'api.ionos.com', 's3.ionos.com']);
  assert.equal(hostsOf('evil.example'), undefined);
});

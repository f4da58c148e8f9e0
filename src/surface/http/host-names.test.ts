// Which names are the platform’s.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../testing/processor-time.ts';
import { builtInDomain, certificateHosts, platformHost } from './host-names.ts';

const domains = [builtInDomain, 'cumulet.local'];

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
  for (const host of ours) assert.equal(platformHost(host, domains), true, host);
});

test('no other host is taken for the platform', () => {
  for (const host of foreign) assert.equal(platformHost(host, domains), false, JSON.stringify(host));
});

test('a domain counts only where it is listed', () => {
  assert.equal(platformHost('api.ionos.com', ['cumulet.local']), false);
  assert.equal(platformHost('s3.eu-central-3.ionoscloud.com', ['cumulet.local']), false);
  assert.equal(platformHost('api.cumulet.local', [builtInDomain]), false);
  assert.equal(platformHost('api.region.example', ['Region.Example.']), true);
});

test('a long name that almost fits is judged at once', () => {
  const usedMs = processorMs(() => {
    platformHost(`${'a'.repeat(60)}-${'logs-'.repeat(20_000)}`, domains);
    platformHost(`${'a-logs'.repeat(10)}.${'a.'.repeat(90)}s3.eu-central-3.ionoscloud.con`, domains);
  });
  assert.ok(usedMs < 500, `${usedMs} ms`);
});

test('one certificate per suffix, and it covers the host by one wildcard label', () => {
  const hostsOf = certificateHosts(domains);
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

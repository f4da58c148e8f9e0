// DNS by ionosctl, where it is installed: zones, records, zone files, DNSSEC keys, reverse records, quota.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ask, dataOf, portOf } from '../../dns/query.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and DNS', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  for (const name of ['direct', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    await t.test(name, (inner) => journey(inner, ctl, region, home));
  }
});

async function journey(t: TestContext, ctl: Ctl, region: Region, home: string): Promise<void> {
  const zone = `${ctl.tag}.example.com`;
  const port = portOf(region);
  const dns = (...args: string[]): Promise<string> => ctl.text('dns', ...args, '--force');

  await t.test('[TOOLS-05] zone create and record create, by the name of the zone', async () => {
    await dns('zone', 'create', '--name', zone, '--description', 'x', '--enabled');
    assert.match(await dns('zone', 'list'), new RegExp(zone));
    await dns(
      'record',
      'create',
      '--zone',
      zone,
      '--name',
      'www',
      '--type',
      'A',
      '--content',
      '192.0.2.1',
      '--ttl',
      '120',
    );
    await dns(
      'record',
      'create',
      '--zone',
      zone,
      '--name',
      '',
      '--type',
      'MX',
      '--content',
      `mail.${zone}`,
      '--priority',
      '5',
    );
    assert.deepEqual(dataOf(await ask(port, `www.${zone}`, 'A')), ['192.0.2.1']);
    assert.match(await dns('record', 'list', '--zone', zone), /www.*192\.0\.2\.1/);
    assert.match(await dns('zone', 'get', '--zone', zone), /AVAILABLE/);
  });
  await t.test('[TOOLS-05] record update and delete', async () => {
    await dns('record', 'update', '--zone', zone, '--record', 'www', '--name', 'www', '--content', '192.0.2.2');
    assert.deepEqual(dataOf(await ask(port, `www.${zone}`, 'A')), ['192.0.2.2']);
    await dns('record', 'delete', '--zone', zone, '--record', 'www');
    assert.equal((await ask(port, `www.${zone}`, 'A')).rcode, 'NXDOMAIN');
  });
  await t.test('[TOOLS-05] zone file get and update', async () => {
    const file = join(home, `${zone}.txt`);
    writeFileSync(file, 'api 300 IN A 192.0.2.9\n');
    await dns('zone', 'file', 'update', '--zone', zone, '--zone-file', file);
    // This is the only command of the client that does not accept names.
    const [shown] = (await region.call('GET', `/dns/zones?filter.zoneName=${zone}`)).body.items;
    assert.match(await dns('zone', 'file', 'get', '--zone', String(shown?.id)), /api 300 IN A 192\.0\.2\.9/);
    assert.deepEqual(dataOf(await ask(port, `api.${zone}`, 'A')), ['192.0.2.9']);
  });
  await t.test('[TOOLS-05] dnssec create, list and delete', async () => {
    await dns(
      'dnssec',
      'create',
      '--zone',
      zone,
      '--ksk-bits',
      '2048',
      '--zsk-bits',
      '1024',
      '--nsec-mode',
      'NSEC3',
      '--nsec3-iterations',
      '1',
      '--nsec3-salt-bits',
      '64',
      '--validity',
      '90',
    );
    assert.match(await dns('dnssec', 'list', '--zone', zone), /\d{2,5}/);
    const signed = await ask(port, `api.${zone}`, 'A', { edns: 1232, dnssec: true });
    assert.ok(signed.answers?.some(({ type }) => type === 'RRSIG'));
    await dns('dnssec', 'delete', '--zone', zone);
  });
  await t.test('[TOOLS-05] reverse records, secondary zones, quota, and zone delete', async () => {
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [ip = ''] = block.properties.ips as string[];
    await dns('reverse-record', 'create', '--name', `host.${zone}`, '--ip', ip);
    assert.match(await dns('reverse-record', 'list'), new RegExp(ip));
    // The client finds none by address: it filters by `reflect.Value value`.
    const [made] = (await region.call('GET', `/dns/reverserecords?filter.recordIp=${ip}`)).body.items;
    await dns('reverse-record', 'delete', '--record', String(made?.id));
    await dns(
      'secondary-zone',
      'create',
      '--name',
      `second.${zone}`,
      '--primary-ips',
      '127.0.0.1',
      '--description',
      'x',
    );
    assert.match(await dns('secondary-zone', 'list'), new RegExp(`second.${zone}`));
    await dns('secondary-zone', 'transfer', 'start', '--zone', `second.${zone}`);
    await dns('secondary-zone', 'transfer', 'get', '--zone', `second.${zone}`);
    await dns('secondary-zone', 'delete', '--zone', `second.${zone}`);
    assert.match(await dns('quota', 'get'), /\d/);
    await dns('zone', 'delete', '--zone', zone);
    assert.equal((await ask(port, zone, 'SOA')).rcode, 'REFUSED');
  });
}

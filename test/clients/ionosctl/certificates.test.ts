// Certificates by ionosctl, where it is installed: uploads, providers, auto-certificates.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addZone, authorityFor, leafOf, letsEncrypt, settled } from '../../certificates/certificates.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and certificates', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion();
  const home = workFolder(t);
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    await t.test(name, (inner) => journey(inner, ctl, region, home));
  }
});

async function journey(t: TestContext, ctl: Ctl, region: Region, home: string): Promise<void> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const manager = (...args: string[]): Promise<string> => ctl.text('certmanager', ...args, '--force');

  await t.test('[TOOLS-05] certificate create, get, list, update, delete', async () => {
    const authority = await authorityFor('ionosctl CA');
    const leaf = await leafOf(authority, ['ctl.example.com']);
    const files = [
      ...['--certificate-path', file('leaf.pem', leaf.certificate)],
      ...['--certificate-chain-path', file('chain.pem', authority.certificate)],
      ...['--private-key-path', file('key.pem', leaf.key)],
    ];
    const create = ['certificate', 'create', '--certificate-name', `${ctl.tag}-uploaded`, ...files];
    const { id } = await ctl.shown('certmanager', ...create, '--force');
    assert.match(await manager('certificate', 'list'), new RegExp(`${ctl.tag}-uploaded`));
    const pem = await manager('certificate', 'get', '--certificate-id', id, '--certificate');
    assert.ok(pem.includes(leaf.certificate.trim()), pem);
    await manager('certificate', 'update', '--certificate-id', id, '--certificate-name', `${ctl.tag}-renamed`);
    assert.match(await manager('certificate', 'list'), new RegExp(`${ctl.tag}-renamed`));
    await manager('certificate', 'delete', '--certificate-id', id);
    assert.doesNotMatch(await manager('certificate', 'list'), new RegExp(`${ctl.tag}-renamed`));
  });

  await t.test('[TOOLS-05] provider and autocertificate: created, issued, renamed, deleted', async () => {
    const zone = `${ctl.tag}.example.org`;
    await addZone(region, zone);
    const named = ['--name', `${ctl.tag}-provider`, '--email', 'a@example.com', '--server', letsEncrypt];
    const provider = await ctl.shown('certmanager', 'provider', 'create', ...named, '--force');
    assert.match(await manager('provider', 'list'), new RegExp(`${ctl.tag}-provider`));
    const args = ['--provider-id', provider.id, '--common-name', `www.${zone}`, '--key-algorithm', 'rsa2048'];
    const name = ['--name', `${ctl.tag}-auto`];
    const auto = await ctl.shown('certmanager', 'autocertificate', 'create', ...args, ...name, '--force');
    assert.equal((await settled(region, auto.id)).metadata.state, 'AVAILABLE');
    assert.match(await manager('autocertificate', 'list'), new RegExp(`${ctl.tag}-auto`));
    assert.match(await manager('certificate', 'list'), new RegExp(`${ctl.tag}-auto`));
    await manager('autocertificate', 'update', '--autocertificate-id', auto.id, '--name', `${ctl.tag}-other`);
    assert.match(
      await manager('autocertificate', 'get', '--autocertificate-id', auto.id),
      new RegExp(`${ctl.tag}-other`),
    );
    await manager('autocertificate', 'delete', '--autocertificate-id', auto.id);
    await manager('provider', 'delete', '--provider-id', provider.id);
    assert.doesNotMatch(await manager('provider', 'list'), new RegExp(`${ctl.tag}-provider`));
  });
}

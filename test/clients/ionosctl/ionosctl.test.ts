// ionosctl, where it is installed, against a fresh region: by IONOS_API_URL, by its config file, and by the proxy
// without any address.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl', { skip: ionosctl.skip ?? false, concurrency: true }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  const ctlBy = (way: Way): Ctl => ctlOf(ionosctl.path as string, region, way);
  const direct = await wayTo(region, 'direct', home);
  const proxy = await wayTo(region, 'proxy', home);
  const config = await wayTo(region, 'config', home);
  await Promise.all([
    ...[direct, proxy].map((way) => t.test(way.name, (inner) => everything(inner, ctlBy(way), region))),
    t.test('config', (inner) => infrastructure(inner, ctlBy(config))),
    t.test('[GEN-02] the endpoint by HTTPS, with the region’s CA', async () => {
      const { SSL_CERT_FILE = '' } = proxy.env;
      const ctl = ctlBy({ ...direct, env: { ...direct.env, IONOS_API_URL: region.https, SSL_CERT_FILE } });
      const link = String(await ctl.query('_links.self', 'compute', 'datacenter', 'list'));
      assert.ok(link.startsWith(region.https), link);
    }),
  ]);
});

async function everything(t: TestContext, ctl: Ctl, region: Region): Promise<void> {
  await tokens(t, ctl, region);
  await infrastructure(t, ctl);
  await identity(t, ctl);
  await catalogue(t, ctl);
}

async function tokens(t: TestContext, ctl: Ctl, region: Region): Promise<void> {
  const { email, password } = region.owner;
  const byPassword = ctl.as({ IONOS_TOKEN: '', IONOS_USERNAME: email, IONOS_PASSWORD: password });
  let token = '';

  await t.test('[AUTH-01] token generate: with a password, and with another token', async () => {
    token = (await byPassword.text('token', 'generate', '--ttl', '1D')).trim();
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(await ctl.text('token', 'generate'), /^[\w-]+\.[\w-]+\.[\w-]+\s*$/);
  });
  await t.test('[AUTH-03] token generate: an invalid lifetime is refused, and the valid ones are named', async () => {
    const said = await ctl.fails('token', 'generate', '--ttl', '5m');
    assert.match(said, /422/);
    assert.match(said, /3600 \(1 Hour\).*31536000 \(365 Days\)/);
  });
  await t.test('token parse: user, contract, role and privileges', async () => {
    const parsed = await ctl.text('token', 'parse', '--token', token);
    assert.match(parsed, new RegExp(`${ctl.contract}\\s+owner`));
    assert.match(await ctl.text('token', 'parse', '--privileges', '--token', token), /^CREATE_DATA_CENTER$/m);
  });
  await t.test('[AUTH-07] token list, get, delete: a deleted token stops working at once', async () => {
    const [id] = /[0-9a-f-]{36}/.exec(await ctl.text('token', 'get', '--token', token)) ?? [''];
    assert.match(await ctl.text('token', 'list'), new RegExp(id));
    const withIt = ctl.as({ IONOS_TOKEN: token });
    assert.equal((await withIt.text('whoami')).trim(), email);
    assert.match(await ctl.text('token', 'delete', '--token-id', id, '--force'), /success/);
    assert.match(await withIt.fails('compute', 'datacenter', 'list'), /401/);
    assert.match(await ctl.fails('token', 'get', '--token-id', id), /404/);
  });
  await t.test('[AUTH-07] token delete --current, --expired', async () => {
    const current = (await ctl.text('token', 'generate', '--ttl', '1h')).trim();
    const withIt = ctl.as({ IONOS_TOKEN: current });
    assert.match(await withIt.text('token', 'delete', '--current', '--force'), /success/);
    assert.match(await withIt.fails('token', 'list'), /401/);
    assert.match(await ctl.text('token', 'delete', '--expired', '--force'), /success/);
  });
}

async function infrastructure(t: TestContext, ctl: Ctl): Promise<void> {
  const { tag } = ctl;
  let dc = '';
  const at = (): string[] => ['--datacenter-id', dc];

  await t.test('[CORE-01] datacenter create --wait: AVAILABLE when it returns', async () => {
    const args = ['--name', `${tag}-dc`, '--description', 'by ionosctl', '--location', 'de/fra', '--wait'];
    const made = await ctl.shown('compute', 'datacenter', 'create', ...args);
    dc = made.id;
    assert.equal(made.metadata.state, 'AVAILABLE');
    assert.equal(made.properties.location, 'de/fra');
    assert.match(await ctl.text('compute', 'datacenter', 'get', ...at()), new RegExp(`${tag}-dc`));
  });
  await t.test('[CORE-06] datacenter list: filters, depth, order, limit', async () => {
    const list = ['compute', 'datacenter', 'list', '--filters', `name=${tag.toUpperCase()}`];
    assert.deepEqual(await ctl.query('items[].properties.name', ...list), [`${tag}-dc`]);
    assert.deepEqual(await ctl.query('items[].entities.lans.items', ...list, '--depth', '3'), [[]]);
    assert.equal(await ctl.query('limit', ...list, '--limit', '1', '--order-by', 'name'), 1);
  });
  await t.test('[CORE-01] datacenter update --wait', async () => {
    const made = await ctl.shown('compute', 'datacenter', 'update', ...at(), '--name', `${tag}-dc2`, '--wait');
    assert.equal(made.properties.name, `${tag}-dc2`);
    assert.equal(made.properties.description, 'by ionosctl');
  });
  await t.test('lan create, update, list, get, delete --wait', async () => {
    const made = await ctl.shown('compute', 'lan', 'create', ...at(), '--name', 'one', '--public', '--wait');
    assert.equal(made.id, '1');
    assert.equal(made.metadata.state, 'AVAILABLE');
    const lan = [...at(), '--lan-id', '1'];
    await ctl.text('compute', 'lan', 'update', ...lan, '--name', 'two', '--public=false', '--wait');
    const list = ['compute', 'lan', 'list', ...at()];
    assert.deepEqual(await ctl.query('items[].properties.public', ...list, '-F', 'name=TWO'), [false]);
    assert.equal((await ctl.shown('compute', 'lan', 'get', ...lan)).properties.name, 'two');
    await ctl.text('compute', 'lan', 'delete', ...lan, '--force', '--wait');
    assert.deepEqual(await ctl.query('items', ...list), []);
  });
  await t.test('label add, list, get, get-by-urn, remove', async () => {
    const on = ['--resource-type', 'datacenter', ...at()];
    await ctl.text('compute', 'label', 'add', ...on, '--label-key', 'stage', '--label-value', 'test');
    assert.match(await ctl.text('compute', 'label', 'list', ...on), /stage\s+test/);
    assert.match(await ctl.text('compute', 'label', 'get', ...on, '--label-key', 'stage'), /stage\s+test/);
    const urn = `urn:label:datacenter:${dc}:stage`;
    assert.match(await ctl.text('compute', 'label', 'list'), new RegExp(urn));
    assert.match(
      await ctl.text('compute', 'label', 'get-by-urn', '--label-urn', urn),
      new RegExp(`datacenter\\s+${dc}`),
    );
    await ctl.text('compute', 'label', 'remove', ...on, '--label-key', 'stage', '--force');
    assert.doesNotMatch(await ctl.text('compute', 'label', 'list', ...on), /stage/);
  });
  await t.test('ipblock create, update, list, get, delete --wait', async () => {
    const args = ['--name', `${tag}-ips`, '--location', 'de/txl', '--size', '3', '--wait'];
    const made = await ctl.shown('compute', 'ipblock', 'create', ...args);
    assert.equal((made.properties.ips as string[]).length, 3);
    const block = ['--ipblock-id', made.id];
    await ctl.text('compute', 'ipblock', 'update', ...block, '--name', `${tag}-renamed`, '--wait');
    const list = ['compute', 'ipblock', 'list', '-F', `name=${tag}`, '-F', 'location=de/txl'];
    assert.deepEqual(await ctl.query('items[].properties.name', ...list), [`${tag}-renamed`]);
    assert.equal((await ctl.shown('compute', 'ipblock', 'get', ...block)).properties.size, 3);
    await ctl.text('compute', 'ipblock', 'delete', ...block, '--force', '--wait');
    assert.match(await ctl.fails('compute', 'ipblock', 'get', ...block), /404/);
  });
  await t.test('[CORE-02] request list, get, wait', async () => {
    const filters = ['-F', 'method=POST', '-F', `body=${tag}-dc`];
    const ids = (await ctl.query('items[].id', 'compute', 'request', 'list', ...filters)) as string[];
    assert.equal(ids.length, 1);
    const request = ['--request-id', ids[0] as string];
    assert.match(await ctl.text('compute', 'request', 'get', ...request), new RegExp(`DONE.*${dc} \\(datacenter\\)`));
    assert.match(await ctl.text('compute', 'request', 'wait', ...request), /DONE/);
  });
  await t.test('[GEN-05] errors contain the status and the problem', async () => {
    assert.match(
      await ctl.fails('compute', 'datacenter', 'create', '--location', 'xx/yyy'),
      /422[\s\S]*xx\/yyy[\s\S]*de\/txl/,
    );
    assert.match(await ctl.fails('compute', 'lan', 'get', ...at(), '--lan-id', '7'), /404[\s\S]*309/);
    assert.match(
      await ctl.as({ IONOS_TOKEN: 'no.real.token' }).fails('compute', 'datacenter', 'list'),
      /401[\s\S]*315/,
    );
  });
  await t.test('[GEN-07] a contract that is not the caller’s is refused', async () => {
    const list = ['compute', 'datacenter', 'list'];
    assert.match(await ctl.as({ IONOS_CONTRACT_NUMBER: '1' }).fails(...list), /403/);
    await ctl.as({ IONOS_CONTRACT_NUMBER: String(ctl.contract) }).text(...list);
  });
  await t.test('[CORE-05] datacenter delete --wait', async () => {
    await ctl.text('compute', 'datacenter', 'delete', ...at(), '--force', '--wait');
    assert.match(await ctl.fails('compute', 'datacenter', 'get', ...at()), /404/);
  });
}

async function identity(t: TestContext, ctl: Ctl): Promise<void> {
  const { tag } = ctl;
  let user: string[] = [];
  let group: string[] = [];

  await t.test('[AUTH-09] user create, update, list, get --wait', async () => {
    const names = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', `${tag}@example.com`];
    const made = await ctl.shown('compute', 'user', 'create', ...names, '--password', 'A-Password-1', '--wait');
    user = ['--user-id', made.id];
    await ctl.text('compute', 'user', 'update', ...user, '--first-name', 'Augusta', '--wait');
    const list = ['compute', 'user', 'list', '-F', `email=${tag}@`];
    assert.deepEqual(await ctl.query('items[].properties.firstname', ...list), ['Augusta']);
    assert.equal((await ctl.shown('compute', 'user', 'get', ...user)).properties.lastname, 'Lovelace');
  });
  await t.test('[AUTH-08] group create, update, list, get --wait', async () => {
    const rights = ['--create-dc', '--s3privilege'];
    const made = await ctl.shown('compute', 'group', 'create', '--name', `${tag}-group`, ...rights, '--wait');
    group = ['--group-id', made.id];
    assert.equal(made.properties.createDataCenter, true);
    await ctl.text('compute', 'group', 'update', ...group, '--name', `${tag}-group2`, '--reserve-ip', '--wait');
    const { properties } = await ctl.shown('compute', 'group', 'get', ...group);
    assert.deepEqual(
      [properties.name, properties.createDataCenter, properties.reserveIp],
      [`${tag}-group2`, true, true],
    );
    assert.match(await ctl.text('compute', 'group', 'list'), new RegExp(`${tag}-group2`));
  });
  await t.test('[AUTH-09] user s3key create, update, list, delete --wait', async () => {
    await ctl.text('compute', 'group', 'user', 'add', ...group, ...user, '--wait');
    const made = await ctl.shown('compute', 'user', 's3key', 'create', ...user, '--wait');
    const key = [...user, '--s3key-id', made.id];
    await ctl.text('compute', 'user', 's3key', 'update', ...key, '--s3key-active=false', '--wait');
    const list = ['compute', 'user', 's3key', 'list', ...user];
    assert.deepEqual(await ctl.query('items[].properties.active', ...list), [false]);
    await ctl.text('compute', 'user', 's3key', 'delete', ...key, '--force', '--wait');
    assert.deepEqual(await ctl.query('items', ...list), []);
    await ctl.text('compute', 'group', 'user', 'remove', ...group, ...user, '--force', '--wait');
    assert.match(await ctl.fails('compute', 'user', 's3key', 'create', ...user), /422[\s\S]*ACCESS_S3_OBJECT_STORAGE/);
  });
  await t.test('[AUTH-09] group user add, list, remove --wait; share create, update, list, delete --wait', async () => {
    await ctl.text('compute', 'group', 'user', 'add', ...group, ...user, '--wait');
    const members = ['compute', 'group', 'user', 'list', ...group];
    assert.deepEqual(await ctl.query('items[].id', ...members), [user[1]]);
    const dc = (await ctl.shown('compute', 'datacenter', 'create', '--name', `${tag}-shared`, '--wait')).id;
    const share = [...group, '--resource-id', dc];
    await ctl.text('compute', 'share', 'create', ...share, '--edit-privilege', '--wait');
    await ctl.text('compute', 'share', 'update', ...share, '--share-privilege', '--wait');
    assert.match(await ctl.text('compute', 'share', 'list', ...group), new RegExp(`${dc}\\s+true\\s+true`));
    assert.match(
      await ctl.text('compute', 'group', 'resource', 'list', ...group),
      new RegExp(`${dc}\\s+${tag}-shared`),
    );
    assert.match(await ctl.text('compute', 'resource', 'get', '--type', 'datacenter'), new RegExp(dc));
    await ctl.text('compute', 'share', 'delete', ...share, '--force', '--wait');
    await ctl.text('compute', 'group', 'user', 'remove', ...group, ...user, '--force', '--wait');
    assert.deepEqual(await ctl.query('items', ...members), []);
    await ctl.text('compute', 'datacenter', 'delete', '--datacenter-id', dc, '--force', '--wait');
  });
  await t.test('[AUTH-09] group delete, user delete --wait', async () => {
    await ctl.text('compute', 'group', 'delete', ...group, '--force', '--wait');
    await ctl.text('compute', 'user', 'delete', ...user, '--force', '--wait');
    assert.match(await ctl.fails('compute', 'user', 'get', ...user), /404/);
  });
}

async function catalogue(t: TestContext, ctl: Ctl): Promise<void> {
  await t.test('[CORE-21] location list, get, cpu list', async () => {
    assert.match(await ctl.text('compute', 'location', 'list'), /^de\/fra\/2\s/m);
    assert.equal((await ctl.shown('compute', 'location', 'get', '--location-id', 'de/txl')).id, 'de/txl');
    assert.match(await ctl.text('compute', 'location', 'cpu', 'list', '--location-id', 'de/txl'), /INTEL_SKYLAKE/);
  });
  await t.test('[CORE-21] contract get, with its limits', async () => {
    assert.match(await ctl.text('compute', 'contract', 'get'), new RegExp(`${ctl.contract}\\s+\\S+@`));
    for (const limits of ['CORES', 'RAM', 'HDD', 'SSD', 'IPS'])
      assert.match(await ctl.text('compute', 'contract', 'get', '--resource-limits', limits), /\d+\s+\d+\s*$/, limits);
  });
}

// Metric pipelines by ionosctl, where it is installed: by IONOS_API_URL, by its config file, and by the proxy.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pipelines } from '../../harness/pipelines.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and metric pipelines', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    // With one address for all locations, the pipeline is created in the default location, regardless of the option.
    await t.test(name, (inner) => journey(inner, ctl, region, name === 'direct' ? 'de/txl' : 'de/fra'));
  }
});

async function journey(t: TestContext, ctl: Ctl, region: Region, location: string): Promise<void> {
  const { tag } = ctl;
  const call = (...args: string[]): string[] => ['monitoring', ...args, '--location', 'de/fra', '--force'];
  let id = '';
  const named = (): string[] => ['--pipeline-id', id];

  await t.test('[METRIC-01] pipeline create --wait: AVAILABLE when it returns', async () => {
    const made = await ctl.shown(...call('pipeline', 'create', '--name', `${tag}-one`, '--wait'));
    id = made.id;
    const { body } = await region.call('GET', `${pipelines}/${id}`);
    assert.equal(body.metadata.status, 'AVAILABLE');
    assert.equal(body.properties.name, `${tag}-one`);
    assert.match(String(body.metadata.resourceURN), new RegExp(`:${location}:`));
  });
  await t.test('[METRIC-02] pipeline get, list and update', async () => {
    const got = await ctl.text(...call('pipeline', 'get', ...named()));
    assert.match(got, new RegExp(`${id}.*${tag}-one.*AVAILABLE`));
    if (location === 'de/txl') {
      // With one address for all products, lists of both kinds of pipelines have the same path.
      assert.match(await ctl.fails(...call('pipeline', 'list')), /\/monitoring, \/logging/);
    } else {
      assert.match(await ctl.text(...call('pipeline', 'list')), new RegExp(`${id}\\s+${tag}-one`));
      // It requests the list of each location.
      assert.equal((await ctl.text('monitoring', 'pipeline', 'list')).split(id).length - 1, 1);
    }
    await ctl.text(...call('pipeline', 'update', ...named(), '--name', `${tag}-two`, '--wait'));
    assert.equal((await region.call('GET', `${pipelines}/${id}`)).body.properties.name, `${tag}-two`);
  });
  await t.test('[METRIC-02] key create: another one each time', async () => {
    const keys = [
      await ctl.text(...call('key', 'create', ...named())),
      await ctl.text(...call('key', 'create', ...named())),
    ];
    for (const key of keys) assert.match(key, /\S{32,}/);
    assert.notEqual(keys[0], keys[1]);
  });
  await t.test('central enable, get and disable, which send an empty id', async () => {
    if (location === 'de/txl') {
      assert.match(await ctl.fails(...call('central', 'get')), /\/monitoring, \/logging/);
      return;
    }
    await ctl.text(...call('central', 'enable'));
    assert.match(await ctl.text(...call('central', 'get')), /true/);
    await ctl.text(...call('central', 'disable'));
    assert.match(await ctl.text(...call('central', 'get')), /false/);
  });
  await t.test('[METRIC-02] pipeline delete --wait: deleted when it returns', async () => {
    await ctl.text(...call('pipeline', 'delete', ...named(), '--wait'));
    assert.match(await ctl.fails(...call('pipeline', 'get', ...named())), /404/);
  });
}

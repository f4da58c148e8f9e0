// Log pipelines by ionosctl, where it is installed: by its config file and by the proxy. With one address for all
// products, lists of log and metric pipelines have the same path, so the region answers with a hint.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { logPipelines, untilState } from '../../harness/logs.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and log pipelines', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  for (const name of ['config', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    await t.test(name, (inner) => journey(inner, ctl, region));
  }
  await t.test('direct: a list shows the valid prefixes', async () => {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, 'direct', home));
    const said = await ctl.fails('logging-service', 'pipeline', 'list', '--location', 'de/txl');
    assert.match(said, /\/monitoring, \/logging/);
  });
});

async function journey(t: TestContext, ctl: Ctl, region: Region): Promise<void> {
  const call = (...args: string[]): string[] => ['logging-service', ...args, '--location', 'de/fra', '--force'];
  const read = async (id: string) => (await region.call('GET', `${logPipelines}/${id}`)).body;
  const tagsOf = async (id: string): Promise<string[]> =>
    ((await read(id)).properties.logs as { tag: string }[]).map(({ tag }) => tag).sort();
  let id = '';
  const named = (): string[] => ['--pipeline-id', id];

  await t.test('[LOG-01] pipeline create, get and list', async () => {
    const log = ['--log-tag', 'first', '--log-source', 'docker', '--log-protocol', 'tcp', '--log-retention-time', '7'];
    const made = await ctl.shown(...call('pipeline', 'create', '--name', ctl.tag, ...log));
    id = made.id;
    assert.match(JSON.stringify(made), /"key": ?"\S{32,}"/);
    const { properties } = await read(id);
    assert.partialDeepStrictEqual(properties, {
      name: ctl.tag,
      logs: [{ tag: 'first', source: 'docker', protocol: 'tcp', retentionInDays: 7 }],
    });
    assert.match(await ctl.text(...call('pipeline', 'get', ...named())), new RegExp(`${id}.*${ctl.tag}`));
    assert.match(await ctl.text(...call('pipeline', 'list')), new RegExp(id));
  });
  await t.test('[LOG-08] logs add, list, update and remove send the whole list', async () => {
    const more = ['--log-tag', 'second', '--log-source', 'generic', '--log-protocol', 'http'];
    await ctl.text(...call('logs', 'add', ...named(), ...more));
    assert.deepEqual(await tagsOf(id), ['first', 'second']);
    assert.match(await ctl.text(...call('logs', 'list', ...named())), /first[\s\S]*second|second[\s\S]*first/);
    await ctl.text(...call('logs', 'remove', ...named(), '--log-tag', 'first'));
    assert.deepEqual(await tagsOf(id), ['second']);
  });
  await t.test('[LOG-08] key create returns another one', async () => {
    assert.match(
      await ctl.text('logging-service', 'pipeline', 'key', ...named(), '--location', 'de/fra', '--force'),
      /\S{32,}/,
    );
  });
  await t.test('[LOG-07] central enable, get and disable', async () => {
    await ctl.text(...call('central', 'enable'));
    assert.match(await ctl.text(...call('central', 'get')), /true/);
    await ctl.text(...call('central', 'disable'));
    assert.match(await ctl.text(...call('central', 'get')), /false/);
  });
  await t.test('[LOG-08] pipeline delete', async () => {
    await ctl.text(...call('pipeline', 'delete', ...named()));
    await untilState(region, `${logPipelines}/${id}`, 404);
  });
}

// Tests of the palette: how it parses commands and which entries it shows.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { commandsIn, matchesVerb } from '../../../console/palette/commands.ts';
import { matching } from '../../../console/palette/entries.ts';
import { pageEntries } from '../../../console/palette/page-entries.ts';
import { PaletteState, type PaletteTools } from '../../../console/palette/palette-state.ts';
import type { FoundResource, NamedActions } from '../../../console/palette/resource-pages.ts';
import type { OperationModel, ResourceModel } from '../../../console/resources/model.ts';
import { setSitemap } from '../../../console/sitemap.ts';

const operation = (title: string): OperationModel => ({
  operation: `server_${title.toLowerCase()}`,
  title,
  summary: title,
  method: 'POST',
  path: '/servers/{serverId}/x',
  query: [],
});

const server: ResourceModel = {
  name: 'server',
  title: 'Server',
  titles: 'Servers',
  service: 'cloudapi',
  prefix: '/cloudapi/v6',
  isRegional: false,
  collection: '/servers',
  item: '/servers/{serverId}',
  hasPage: true,
  isReference: false,
  columns: [],
  immutable: [],
  words: {},
  read: {},
  isPaged: true,
  isListedAcross: false,
  list: operation('List'),
  change: operation('Edit'),
  remove: operation('Delete'),
  ofAll: [],
  ofOne: [operation('Start'), operation('Stop')],
};

const nic: ResourceModel = {
  ...server,
  name: 'nic',
  title: 'NIC',
  titles: 'NICs',
  collection: '/servers/{serverId}/nics',
  item: '/servers/{serverId}/nics/{nicId}',
  parent: '/servers',
  create: operation('Create NIC'),
  ofOne: [],
};

const resources: readonly FoundResource[] = [
  { name: 'web-1', kind: 'Server', path: '/cloudapi/v6/servers/1' },
  { name: 'web-10', kind: 'Server', path: '/cloudapi/v6/servers/10' },
  { name: 'boot', kind: 'Volume', path: '/cloudapi/v6/servers/20', within: 'web-1' },
  { name: 'boot', kind: 'Volume', path: '/cloudapi/v6/servers/21', within: 'web-2' },
  { name: 'webshop', kind: 'Bucket', path: '/console/s3/webshop' },
];

function openState(pathname = '/console') {
  const done: string[] = [];
  const searches: string[] = [];
  const tools: PaletteTools = {
    pathname,
    pages: [{ key: 'Costs', text: 'Costs', note: 'Region', url: '/console/costs' }],
    actions: [],
    models: async () => [server, nic],
    search: async (text) => {
      searches.push(text);
      return resources.filter(({ name }) => name.includes(text));
    },
    refusal: ({ path }) => (path.startsWith('/cloudapi/v6/servers/9') ? 'Not yours.' : undefined),
    list: async (_model, path) => [{ id: `${path} 1`.slice(-1), properties: { name: 'web-1' } }],
    async actionsOf(_models, path): Promise<NamedActions> {
      const name = resources.find((one) => one.path === path)?.name ?? '';
      const isBucket = path.startsWith('/console/s3');
      const actions = (isBucket ? ['Delete'] : ['Start', 'Stop', 'Delete']).map((title) => ({
        operation: title,
        title,
        note: title,
        obstacle: title === 'Start' ? 'Only in state SHUTOFF. The current state is RUNNING.' : undefined,
        act: () => void done.push(`${title} ${name}`),
      }));
      return { name, actions };
    },
  };
  const { signal } = new AbortController();
  const state = new PaletteState(tools, signal);
  const shown = async (text: string): Promise<string[]> => {
    state.write(text);
    await state.look(signal);
    return state.entries.value.map((one) => `${one.text}: ${one.note}`);
  };
  return { state, shown, done, searches };
}

suite('the palette', () => {
  test('a text is a verb and a resource name, in either order', () => {
    assert.deepEqual(commandsIn('stop web 1'), [{ verb: ['stop'], name: 'web 1' }]);
    assert.deepEqual(
      commandsIn('web-1 STOP').map(({ verb, name }) => `${verb.join(' ')}: ${name}`),
      ['web-1: STOP', 'stop: web-1'],
    );
    assert.deepEqual(commandsIn('stop'), []);
    assert.ok(matchesVerb({ title: 'Create snapshot' }, ['snap']));
    assert.ok(matchesVerb({ title: 'Delete' }, ['remove']), 'by a synonym');
    assert.ok(!matchesVerb({ title: 'Delete' }, ['stop']));
  });

  test('a command finds resources and runs on the selected one; a disabled action shows the reason', async () => {
    const { state, shown, done } = openState();
    await state.begin();
    assert.deepEqual(await shown('stop web-1'), ['Stop web-1: Server', 'Stop web-10: Server']);
    state.entries.value[0]?.act?.();
    assert.deepEqual(done, ['Stop web-1']);
    assert.deepEqual((await shown('web-10 start')).slice(0, 1), [
      'Start web-10: Only in state SHUTOFF. The current state is RUNNING.',
    ]);
    assert.equal(state.entries.value[0]?.isOff, true);
    assert.deepEqual(await shown('delete webshop'), ['Delete webshop: Bucket']);
  });

  test('words that no action has are not searched as commands', async () => {
    const { state, shown, searches } = openState();
    await state.begin();
    await shown('my shop');
    assert.deepEqual(searches, ['my shop']);
  });

  test('a resource opens its page, or its actions, and the user can go back', async () => {
    const { state, shown } = openState();
    await state.begin();
    assert.deepEqual(await shown('webshop'), ['webshop: Bucket']);
    assert.equal(state.entries.value[0]?.url, '/console/buckets/webshop');
    assert.ok(await state.enter(state.entries.value[0]));
    assert.deepEqual(await shown(''), ['Delete: Delete']);
    state.leave();
    assert.ok((await shown('')).length > 1, 'pages again');
    assert.equal(await state.enter(state.entries.value[0]), false, 'a page has no actions');
  });

  test('the creation of a nested resource is found by synonyms and asks for the parent', async () => {
    const { state, shown } = openState();
    await state.begin();
    for (const text of ['new nic', 'create NIC', 'add nic'])
      assert.deepEqual(await shown(text), ['Create NIC: Select server'], text);
    const [creation] = state.entries.value;
    assert.ok(creation?.creates);
    await state.ask(creation.creates);
    assert.equal(state.within.value?.question, 'Select server');
    assert.deepEqual(
      state.entries.value.map(({ text, url }) => [text, url]),
      [['web-1', '/console/resources/cloudapi/servers/1/nics/new']],
    );
    state.leave();
    assert.deepEqual(await shown('create nic web-10'), ['Create NIC: web-10: Server']);
    assert.equal(state.entries.value[0]?.url, '/console/resources/cloudapi/servers/10/nics/new');
  });

  test('pages are found by synonyms', () => {
    const page = (title: string, words: string) =>
      ({ title, words, url: `/console/${title}`, icon: 'folder', beside: [] }) as const;
    const account = page('Account', 'password 2FA two-factor second factor authenticator');
    const parts = [account, page('Buckets', 'upload files objects S3'), page('Event streams', 'Kafka topics')];
    setSitemap({ groups: [{ title: 'All', parts: parts.map((one) => ({ ...one, beside: [] })) }], titles: {} });
    const groups = pageEntries();
    for (const [text, title] of [
      ['2fa', 'Account'],
      ['two factor', 'Account'],
      ['upload', 'Buckets'],
      ['kafka', 'Event streams'],
    ] as const)
      assert.equal(matching(groups, text)[0]?.text, title, text);
  });

  test('resources of the same name show their parents', async () => {
    const { state, shown } = openState();
    await state.begin();
    assert.deepEqual(await shown('boot'), ['boot: Volume in web-1', 'boot: Volume in web-2']);
  });

  test('on the page of a resource its actions come first', async () => {
    const { state, shown } = openState('/console/resources/cloudapi/servers/1');
    await state.begin();
    assert.deepEqual((await shown('')).slice(1, 3), ['Stop web-1: Action', 'Delete web-1: Action']);
    assert.deepEqual((await shown('stop')).slice(0, 1), ['Stop web-1: Action']);
  });
});

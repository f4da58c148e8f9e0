// The palette: how a text is read as a command, and what can be chosen for it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { commandsIn, isMeant } from '../../console/palette/commands.ts';
import { matching } from '../../console/palette/entries.ts';
import { pageEntries } from '../../console/palette/page-entries.ts';
import { PaletteState, type PaletteTools } from '../../console/palette/palette-state.ts';
import type { Actable, Thing } from '../../console/palette/thing-pages.ts';
import type { OperationModel, ResourceModel } from '../../console/resources/model.ts';

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
  create: operation('New NIC'),
  ofOne: [],
};

const things: readonly Thing[] = [
  { name: 'web-1', kind: 'Server', path: '/cloudapi/v6/servers/1' },
  { name: 'web-10', kind: 'Server', path: '/cloudapi/v6/servers/10' },
  { name: 'boot', kind: 'Volume', path: '/cloudapi/v6/servers/20', within: 'web-1' },
  { name: 'boot', kind: 'Volume', path: '/cloudapi/v6/servers/21', within: 'web-2' },
  { name: 'webshop', kind: 'Bucket', path: '/console/s3/webshop' },
];

function openState(pathname = '/console') {
  const done: string[] = [];
  const asked: string[] = [];
  const tools: PaletteTools = {
    pathname,
    pages: [{ key: 'Costs', text: 'Costs', note: 'Region', url: '/console/costs' }],
    actions: [],
    models: async () => [server, nic],
    search: async (text) => {
      asked.push(text);
      return things.filter(({ name }) => name.includes(text));
    },
    list: async (_model, path) => [{ id: `${path} 1`.slice(-1), properties: { name: 'web-1' } }],
    async actionsOf(_models, path): Promise<Actable> {
      const name = things.find((one) => one.path === path)?.name ?? '';
      const isBucket = path.startsWith('/console/s3');
      const actions = (isBucket ? ['Delete'] : ['Start', 'Stop', 'Delete']).map((title) => ({
        operation: title,
        title,
        note: title,
        obstacle: title === 'Start' ? 'Possible when it is SHUTOFF. It is RUNNING.' : undefined,
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
  return { state, shown, done, asked };
}

suite('the palette', () => {
  test('a text is a verb and a thing, in either order', () => {
    assert.deepEqual(commandsIn('stop web 1'), [{ verb: ['stop'], thing: 'web 1' }]);
    assert.deepEqual(
      commandsIn('web-1 STOP').map(({ verb, thing }) => `${verb.join(' ')}: ${thing}`),
      ['web-1: STOP', 'stop: web-1'],
    );
    assert.deepEqual(commandsIn('stop'), []);
    assert.ok(isMeant({ title: 'Create snapshot' }, ['snap']));
    assert.ok(isMeant({ title: 'Delete' }, ['remove']), 'by another word');
    assert.ok(!isMeant({ title: 'Delete' }, ['stop']));
  });

  test('a command names its things and acts on the chosen one; what can not be done says why', async () => {
    const { state, shown, done } = openState();
    await state.begin();
    assert.deepEqual(await shown('stop web-1'), ['Stop web-1: Server', 'Stop web-10: Server']);
    state.entries.value[0]?.act?.();
    assert.deepEqual(done, ['Stop web-1']);
    assert.deepEqual((await shown('web-10 start')).slice(0, 1), [
      'Start web-10: Possible when it is SHUTOFF. It is RUNNING.',
    ]);
    assert.equal(state.entries.value[0]?.isOff, true);
    assert.deepEqual(await shown('delete webshop'), ['Delete webshop: Bucket']);
  });

  test('words that no action has are not looked for as commands', async () => {
    const { state, shown, asked } = openState();
    await state.begin();
    await shown('my shop');
    assert.deepEqual(asked, ['my shop']);
  });

  test('a thing opens its page, or its actions, and lets go of them', async () => {
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

  test('what is made in a thing is found by either word, and asks in which', async () => {
    const { state, shown } = openState();
    await state.begin();
    for (const text of ['new nic', 'create NIC', 'add nic'])
      assert.deepEqual(await shown(text), ['New NIC: Asks in which server'], text);
    const [making] = state.entries.value;
    assert.ok(making?.makes);
    await state.ask(making.makes);
    assert.equal(state.within.value?.question, 'In which server');
    assert.deepEqual(
      state.entries.value.map(({ text, url }) => [text, url]),
      [['web-1', '/console/resources/cloudapi/servers/1/nics/new']],
    );
    state.leave();
    assert.deepEqual(await shown('create nic web-10'), ['New NIC: web-10: Server']);
    assert.equal(state.entries.value[0]?.url, '/console/resources/cloudapi/servers/10/nics/new');
  });

  test('pages are found by what people call them', () => {
    const groups = pageEntries();
    for (const [text, title] of [
      ['2fa', 'Account'],
      ['two factor', 'Account'],
      ['upload', 'Buckets'],
      ['kafka', 'Event streams'],
    ] as const)
      assert.equal(matching(groups, text)[0]?.text, title, text);
  });

  test('things of the same name say what they are in', async () => {
    const { state, shown } = openState();
    await state.begin();
    assert.deepEqual(await shown('boot'), ['boot: Volume in web-1', 'boot: Volume in web-2']);
  });

  test('on the page of a thing its actions come first', async () => {
    const { state, shown } = openState('/console/resources/cloudapi/servers/1');
    await state.begin();
    assert.deepEqual((await shown('')).slice(1, 3), ['Stop web-1: Action', 'Delete web-1: Action']);
    assert.deepEqual((await shown('stop')).slice(0, 1), ['Stop web-1: Action']);
  });
});

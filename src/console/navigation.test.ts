// Tests of the console's navigation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { navigationOf } from './navigation.ts';
import type { ResourceModel } from './resource-model.ts';

const model = (service: string, collection: string, titles: string): ResourceModel => {
  const list = { operation: 'x_list', title: titles, summary: '', method: 'GET', path: collection, query: [] };
  const about = { name: 'x', title: titles, titles, service, prefix: `/${service}`, collection, list };
  const flags = { isRegional: false, hasPage: true, isReference: false, isPaged: true, isListedAcross: false };
  return { ...about, ...flags, columns: [], immutable: [], words: {}, read: {}, ofAll: [], ofOne: [] };
};

const dns = {
  title: 'DNS',
  group: 'Network',
  icon: 'dns',
  collection: ['dns', '/zones'],
  among: 'Zones',
  counted: { title: 'DNS zones', privilege: 'accessAndManageDns' },
  leadsToOthers: true,
} as const;

test('a collection that no product lists becomes a tab of the main page of its service', () => {
  const models = [model('dns', '/zones', 'Zones'), model('dns', '/secondaryzones', 'Secondary zones')];
  const [group] = navigationOf([dns], models);
  const beside = [{ title: 'Secondary zones', url: '/console/resources/dns/secondaryzones' }];
  const url = '/console/resources/dns/zones';
  const counted = { title: 'DNS zones', path: '/dns/zones', privilege: 'accessAndManageDns' };
  const part = { title: 'DNS', url, icon: 'dns', among: 'Zones', counted, beside };
  assert.deepEqual(group, { title: 'Network', parts: [part] });
});

test('without such a page a top-level collection gets an entry; nested collections get none', () => {
  const models = [model('new', '/notes', 'Notes'), model('new', '/notes/{noteId}/lines', 'Lines')];
  const parts = [{ title: 'Notes', url: '/console/resources/new/notes', icon: 'folder', beside: [] }];
  assert.deepEqual(navigationOf([], models), [{ title: 'Resources', parts }]);
});

test('a page whose parent page does not exist gets its own entry', () => {
  const logs = { title: 'Log pipelines', group: 'Observability', collection: ['logging', '/pipelines'] } as const;
  const [group] = navigationOf([{ ...logs, under: 'Pipelines' }], []);
  assert.deepEqual(
    group?.parts.map(({ title }) => title),
    ['Log pipelines'],
  );
});

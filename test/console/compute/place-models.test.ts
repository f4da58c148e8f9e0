// The list or resource that an address names, and the parents of resources in combined lists.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { acrossEntries } from '../../../console/palette/entries.ts';
import type { OperationModel, ResourceModel } from '../../../console/resources/model.ts';
import { acrossPath, findPlace, itemPath, itemUrl } from '../../../console/resources/place.ts';

const list: OperationModel = { operation: '', title: '', summary: '', method: 'GET', path: '', query: [] };
const modelOf = (name: string, collection: string, more: Partial<ResourceModel> = {}): ResourceModel => ({
  name,
  title: name,
  titles: `${name}s`,
  service: 'cloudapi',
  prefix: '/cloudapi/v6',
  isRegional: false,
  collection,
  item: `${collection}/{${name.toLowerCase()}Id}`,
  hasPage: true,
  isReference: false,
  columns: ['name'],
  immutable: [],
  words: {},
  read: {},
  isPaged: true,
  isListedAcross: false,
  list,
  ofAll: [],
  ofOne: [],
  ...more,
});

const datacenters = modelOf('Datacenter', '/datacenters');
const servers = modelOf('Server', '/datacenters/{datacenterId}/servers', {
  parent: '/datacenters',
  isListedAcross: true,
});
const nics = modelOf('NIC', '/datacenters/{datacenterId}/servers/{serverId}/nics', {
  parent: servers.collection,
  isListedAcross: true,
});
const labels = modelOf('Label', '/datacenters/{datacenterId}/labels', { parent: '/datacenters' });
const models = [datacenters, servers, nics, labels];

suite('an address', () => {
  test('can name all resources of a kind, in all parents', () => {
    const place = findPlace(models, 'cloudapi', '/datacenters/-/servers/-/nics');
    assert.ok(place);
    assert.deepEqual([place.model, place.view, place.params], [nics, 'list', {}]);
    assert.deepEqual(
      place.above.map(({ path }) => path),
      ['/datacenters', '/datacenters/-/servers'],
    );
    assert.equal(findPlace(models, 'cloudapi', '/datacenters/-/servers/new'), undefined, 'it is not known in which');
    assert.equal(findPlace(models, 'cloudapi', '/datacenters/-/labels'), undefined);
    const one = findPlace(models, 'cloudapi', '/datacenters/D/servers');
    assert.deepEqual(
      [one?.params, one?.above.map(({ path }) => path)],
      [{ datacenterId: 'D' }, ['/datacenters', '/datacenters/D']],
    );
  });

  test("of a resource in such a list is in the resource's parent", () => {
    const item = { id: 'S', href: '/cloudapi/v6/datacenters/D/servers/S', properties: {} };
    const path = acrossPath(servers);
    assert.equal(path, '/datacenters/-/servers');
    assert.equal(itemPath(servers, path, item), '/datacenters/D/servers/S');
    assert.equal(itemUrl(models, servers, path, item), '/console/resources/cloudapi/datacenters/D/servers/S');
    assert.equal(itemPath(servers, '/datacenters/D/servers', item), '/datacenters/D/servers/S');
  });

  test('of each such list is found by the palette', () => {
    assert.deepEqual(
      acrossEntries(models).map(({ text, url }) => [text, url]),
      [
        ['Servers of all datacenters', '/console/resources/cloudapi/datacenters/-/servers'],
        ['NICs of all servers', '/console/resources/cloudapi/datacenters/-/servers/-/nics'],
      ],
    );
  });
});

// What the console says of requests, and where things have their pages.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { requestIdOf } from '../../console/requests/request-location.ts';
import { noFilter, requestOf, requestsPath } from '../../console/requests/requests-api.ts';
import { adviceOf, barOf, nameIn, spanOf, titleOf } from '../../console/requests/requests-model.ts';
import type { ResourceModel } from '../../console/resources/model.ts';
import { billedThingUrl, namedThingUrl, pathOf, thingUrl } from '../../console/resources/things.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 17, 12, 0, second)).toISOString();

const shown = (method: string, path: string, status: 'BUSY' | 'DONE' | 'FAILED', second = 0, body = '') =>
  requestOf({
    id: `r${second}`,
    metadata: {
      createdDate: at(second),
      createdBy: 'owner@example.com',
      requestStatus: {
        metadata: {
          status,
          message: 'Not enough cores: the limit is 10',
          targets: [
            { target: { id: 'S', type: 'server', href: `http://x:1/cloudapi/v6/datacenters/D/servers/S` }, status },
          ],
        },
      },
    },
    properties: { method, headers: {}, body, url: `http://x:1/cloudapi/v6${path}` },
  });

suite('requests in the console', () => {
  test('a title says what was done with which thing', () => {
    const body = '{"properties":{"name":"web <b>"}}';
    assert.equal(titleOf(shown('POST', '/datacenters/D/servers', 'DONE', 0, body)), 'Create server web <b>');
    assert.equal(titleOf(shown('POST', '/datacenters/D/servers/S/start', 'DONE')), 'Start server');
    assert.equal(titleOf(shown('DELETE', '/datacenters/D/servers/S', 'DONE')), 'Delete server');
    const lan = shown('POST', '/datacenters/01a1/lans', 'DONE');
    const [first] = lan.targets;
    assert.ok(first);
    const made = { ...lan, targets: [{ ...first, id: '1', type: 'lan' }] };
    assert.equal(titleOf(made), 'Create LAN', 'an id that other ids contain');
    const rule = { ...lan, targets: [{ ...first, type: 'natgateway', name: 'out' }] };
    assert.equal(titleOf(rule), 'Create NAT gateway out', 'in the words of the navigation');
    assert.equal(nameIn('no JSON'), '');
  });

  test('bars have their place in the time of the page; what runs reaches until now', () => {
    const old = shown('POST', '/a', 'DONE', 0);
    const running = shown('POST', '/a', 'BUSY', 30);
    const now = Date.parse(at(60));
    const span = spanOf([running, old], now);
    assert.equal(span.from, Date.parse(at(0)));
    assert.ok(span.to >= now);
    assert.deepEqual(barOf(old, span, now), { left: 0, width: 0 });
    const bar = barOf(running, span, now);
    assert.ok(bar.left > 45 && bar.left < 50 && bar.width > 45 && bar.left + bar.width <= 100, JSON.stringify(bar));
    assert.ok(barOf(old, span, now, Date.parse(at(30))).width > 45, 'an end that was seen');
  });

  test('a failure says what to do next, by whether the thing is there', () => {
    const failed = shown('POST', '/datacenters/D/servers', 'FAILED');
    const ways = (isThere: boolean | undefined) => adviceOf(failed, () => isThere).map(({ leadsTo }) => leadsTo);
    assert.deepEqual(ways(false), ['limits', undefined, 'activity']);
    assert.deepEqual(ways(true), ['limits', 'thing', 'activity']);
    assert.deepEqual(ways(undefined), ['limits', 'activity']);
  });

  test('filters become those of the API, and only those that are given', () => {
    const path = requestsPath({ ...noFilter, state: 'FAILED', resource: 'servers' }, 50, 25);
    assert.equal(path, '/cloudapi/v6/requests?depth=2&offset=50&limit=25&filter.status=FAILED&filter.url=servers');
  });

  test('the request of an accepted change is in its Location', () => {
    assert.equal(requestIdOf('http://x/cloudapi/v6/requests/abc-1/status'), 'abc-1');
    assert.equal(requestIdOf(null), undefined);
  });
});

const model = (name: string, prefix: string, collection: string, more: Partial<ResourceModel> = {}): ResourceModel => ({
  name,
  title: name,
  titles: `${name}s`,
  service: prefix.split('/')[1] ?? '',
  prefix,
  isRegional: false,
  isPaged: true,
  isListedAcross: false,
  words: {},
  collection,
  item: `${collection}/{${name}Id}`,
  hasPage: true,
  isReference: false,
  columns: [],
  immutable: [],
  read: {},
  list: { operation: `${name}_list`, title: name, summary: '', method: 'GET', path: collection, query: [] },
  ofAll: [],
  ofOne: [],
  ...more,
});

suite('pages of things', () => {
  const models = [
    model('datacenter', '/cloudapi/v6', '/datacenters'),
    model('server', '/cloudapi/v6', '/datacenters/{datacenterId}/servers'),
    model('volume', '/cloudapi/v6', '/datacenters/{datacenterId}/volumes'),
    model('volume', '/cloudapi/v6', '/datacenters/{datacenterId}/servers/{serverId}/volumes', { isReference: true }),
    model('pipeline', '/logging', '/pipelines', { isRegional: true }),
    model('zone', '/dns', '/zones'),
  ];

  test('the deepest thing of a path that has a page of its own', () => {
    const path = pathOf('http://127.0.0.1:7070/cloudapi/v6/datacenters/D/servers/S/start?x=1');
    assert.equal(thingUrl(models, path), '/console/resources/cloudapi/datacenters/D/servers/S');
    assert.equal(
      thingUrl(models, '/cloudapi/v6/datacenters/D/servers/S/volumes/V'),
      '/console/resources/cloudapi/datacenters/D/servers/S',
    );
    assert.equal(thingUrl(models, '/cloudapi/v6/datacenters'), undefined);
    assert.equal(thingUrl(models, '/billing/1/cost'), undefined);
    assert.equal(thingUrl(models, '/de-fra/logging/pipelines/P'), '/console/resources/logging/pipelines/P');
    assert.equal(thingUrl(models, '/de-txl/dns/zones/Z'), '/console/resources/dns/zones/Z');
  });

  test('a thing by its name and id, as it was called', () => {
    assert.equal(
      namedThingUrl(models, 'volume', 'V', '/cloudapi/v6/datacenters/D/volumes'),
      '/console/resources/cloudapi/datacenters/D/volumes/V',
    );
    assert.equal(namedThingUrl(models, 'volume', 'V', '/cloudapi/v6/snapshots'), undefined);
    assert.equal(billedThingUrl(models, 'server', 'S', 'D'), '/console/resources/cloudapi/datacenters/D/servers/S');
    assert.equal(billedThingUrl(models, 'nic', 'N', 'D'), undefined);
  });
});

// The model of the request pages, and the links to pages of resources.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { requestIdOf } from '../../../console/requests/request-location.ts';
import { noFilter, requestOf, requestsPath } from '../../../console/requests/requests-api.ts';
import { adviceOf, barOf, nameIn, spanOf, titleOf } from '../../../console/requests/requests-model.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { pageUrlAt, pageUrlByName, pageUrlOfBilled, pathOf } from '../../../console/resources/page-urls.ts';
import { setSitemap } from '../../../console/sitemap.ts';

setSitemap({ groups: [], titles: { lan: ['LAN', 'LANs'], natgateway: ['NAT gateway', 'NAT gateways'] } });

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
  test('a title has a verb and a resource', () => {
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

  test('bars are placed in the time span of the page; running requests reach until now', () => {
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

  test('the advice for a failure depends on whether the resource exists', () => {
    const failed = shown('POST', '/datacenters/D/servers', 'FAILED');
    const ways = (isThere: boolean | undefined) => adviceOf(failed, () => isThere).map(({ leadsTo }) => leadsTo);
    assert.deepEqual(ways(false), ['limits', undefined, 'activity']);
    assert.deepEqual(ways(true), ['limits', 'resource', 'activity']);
    assert.deepEqual(ways(undefined), ['limits', 'activity']);
  });

  test('only given filters become filters of the API', () => {
    const path = requestsPath({ ...noFilter, state: 'FAILED', resource: 'servers' }, 50, 25);
    assert.equal(path, '/cloudapi/v6/requests?depth=2&offset=50&limit=25&filter.status=FAILED&filter.url=servers');
  });

  test('the request of an accepted change is taken from its Location', () => {
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

suite('pages of resources', () => {
  const models = [
    model('datacenter', '/cloudapi/v6', '/datacenters'),
    model('server', '/cloudapi/v6', '/datacenters/{datacenterId}/servers'),
    model('volume', '/cloudapi/v6', '/datacenters/{datacenterId}/volumes'),
    model('volume', '/cloudapi/v6', '/datacenters/{datacenterId}/servers/{serverId}/volumes', { isReference: true }),
    model('pipeline', '/logging', '/pipelines', { isRegional: true }),
    model('zone', '/dns', '/zones'),
  ];

  test('a path leads to its deepest resource with a page', () => {
    const path = pathOf('http://127.0.0.1:7070/cloudapi/v6/datacenters/D/servers/S/start?x=1');
    assert.equal(pageUrlAt(models, path), '/console/resources/cloudapi/datacenters/D/servers/S');
    assert.equal(
      pageUrlAt(models, '/cloudapi/v6/datacenters/D/servers/S/volumes/V'),
      '/console/resources/cloudapi/datacenters/D/servers/S',
    );
    assert.equal(pageUrlAt(models, '/cloudapi/v6/datacenters'), undefined);
    assert.equal(pageUrlAt(models, '/billing/1/cost'), undefined);
    assert.equal(pageUrlAt(models, '/de-fra/logging/pipelines/P'), '/console/resources/logging/pipelines/P');
    assert.equal(pageUrlAt(models, '/de-txl/dns/zones/Z'), '/console/resources/dns/zones/Z');
  });

  test('a kind and an id lead to the resource in the called path', () => {
    assert.equal(
      pageUrlByName(models, 'volume', 'V', '/cloudapi/v6/datacenters/D/volumes'),
      '/console/resources/cloudapi/datacenters/D/volumes/V',
    );
    assert.equal(pageUrlByName(models, 'volume', 'V', '/cloudapi/v6/snapshots'), undefined);
    assert.equal(pageUrlOfBilled(models, 'server', 'S', 'D'), '/console/resources/cloudapi/datacenters/D/servers/S');
    assert.equal(pageUrlOfBilled(models, 'nic', 'N', 'D'), undefined);
  });
});

// The models of the pages of servers and IP blocks.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { chartsOf, healthOf, healthQueries } from '../../../console/compute/balancer/balancer-charts.ts';
import { checkListener } from '../../../console/compute/balancer/listener-check.ts';
import { holdersOf, ipUsersOf, unnamedIn } from '../../../console/compute/ip-users.ts';
import { addressesOf, imageOf, serverPathOf, storageOf, volumeNames } from '../../../console/compute/list-facts.ts';
import { attachedOf } from '../../../console/compute/server/attached.ts';
import { plotOf } from '../../../console/plot/plot.ts';
import { sparkPath } from '../../../console/plot/spark-path.ts';
import type { Item } from '../../../console/resources/model.ts';
import { shownState } from '../../../console/resources/place.ts';
import { setSitemap } from '../../../console/sitemap.ts';

setSitemap({ groups: [], titles: { natgateway: ['NAT gateway', 'NAT gateways'] } });

const item = (id: string, properties: Item['properties'], entities: Item['entities'] = {}): Item => ({
  id,
  properties,
  entities,
});

suite('the page of a server', () => {
  test('shows its addresses with the names of their LANs, and its volumes with their images', () => {
    const nics = { items: [item('N', { name: null, lan: 2, ips: ['10.0.0.4'], ipv6Ips: ['fd00::4'] })] };
    const volumes = {
      items: [item('V', { name: 'boot', size: 10, image: 'I' }), item('W', { name: 'data', size: 5 })],
    };
    const server = item('S', { bootVolume: { id: 'V' } }, { nics, volumes });
    const lans = [item('1', { name: 'out', public: true }), item('2', { name: 'inside', public: false })];
    assert.deepEqual(attachedOf('/datacenters/D', server, lans), {
      nics: [
        {
          id: 'N',
          name: 'NIC',
          path: '/datacenters/D/servers/S/nics/N',
          ips: ['10.0.0.4', 'fd00::4'],
          lan: { name: 'inside', path: '/datacenters/D/lans/2', isPublic: false },
        },
      ],
      volumes: [
        { id: 'V', name: 'boot', path: '/datacenters/D/volumes/V', sizeGb: 10, image: 'I', isBoot: true },
        { id: 'W', name: 'data', path: '/datacenters/D/volumes/W', sizeGb: 5, image: '', isBoot: false },
      ],
    });
  });
});

suite('the list of servers', () => {
  const nics = {
    items: [item('N', { ips: ['10.0.0.4', '10.0.0.5'], ipv6Ips: ['fd00::4'] }), item('M', { ips: null })],
  };
  const volumes = { items: [item('V', { size: 10, image: null }), item('W', { size: 5, image: 'I' })] };

  test('has all addresses, the storage, and the image of the boot volume or of another one', () => {
    const server = item('S', { bootVolume: null }, { nics, volumes });
    assert.deepEqual(addressesOf(server), ['10.0.0.4', '10.0.0.5', 'fd00::4']);
    assert.deepEqual([storageOf(server), imageOf(server)], [15, 'I']);
    assert.equal(imageOf(item('S', { bootVolume: { id: 'V' } }, { volumes })), '', 'it boots from an empty volume');
    assert.deepEqual([addressesOf(item('S', {})), imageOf(item('S', {}))], [[], '']);
  });

  test('of volumes has the server of each, with its page', () => {
    const href = 'https://region/cloudapi/v6/datacenters/D/volumes/V';
    assert.equal(serverPathOf({ ...item('V', { bootServer: 'S' }), href }), '/datacenters/D/servers/S');
    assert.equal(serverPathOf({ ...item('V', { bootServer: null }), href }), undefined);
    assert.deepEqual(
      volumeNames.at('/datacenters/-/volumes')[0]?.split('?')[0],
      '/console/across/datacenters/-/servers',
    );
  });

  test('shows one state: that of the machine, unless the server is changing', () => {
    const state = (own: string, vmState?: string): string | undefined =>
      shownState({ ...item('S', { vmState }), metadata: { state: own } });
    assert.deepEqual(
      [state('AVAILABLE', 'SHUTOFF'), state('BUSY', 'RUNNING'), state('AVAILABLE')],
      ['SHUTOFF', 'BUSY', 'AVAILABLE'],
    );
  });

  test('has the load of a server as a line with gaps', () => {
    const size = { width: 30, height: 12 };
    assert.equal(sparkPath([0, 100, null, 50], { ...size, most: 100 }), 'M0.0 11.0L10.0 1.0M30.0 6.0');
    assert.equal(sparkPath([0, 0], size), 'M0.0 11.0L30.0 11.0');
  });
});

suite('a form of a balancer', () => {
  const checked = async (t: TestContext, ips: string[], isPublic: boolean, status = 200): Promise<object> => {
    const body = { id: '1', properties: { public: isPublic } };
    const answer = { ok: status < 400, status, headers: new Headers(), text: async () => JSON.stringify(body) };
    t.mock.method(globalThis, 'fetch', async () => answer);
    const { signal } = new AbortController();
    return checkListener({ listenerLan: 1, ips }, { datacenterId: 'D' }, signal);
  };

  test('asks for a reserved address in a public LAN, and leaves an unknown LAN to the platform', async (t) => {
    assert.deepEqual(Object.keys(await checked(t, [], true)), ['properties.ips.0']);
    assert.deepEqual(Object.keys(await checked(t, [''], true)), ['properties.ips.0']);
    assert.deepEqual(await checked(t, ['192.0.2.1'], true), {});
    assert.deepEqual(await checked(t, [], false), {});
    assert.deepEqual(await checked(t, [], true, 404), {});
  });
});

suite('the page of an IP block', () => {
  test('names the user of each address, including gateways and balancers, which the API does not name', () => {
    const place = { datacenterId: 'D', datacenterName: 'shop' };
    const block = item('B', {
      ips: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
      ipConsumers: [
        { ip: '192.0.2.1', serverId: 'S', serverName: 'web', ...place },
        { ip: '192.0.2.2', serverId: null, serverName: null, ...place },
      ],
    });
    assert.deepEqual(unnamedIn(block), ['D']);
    const gateway = item('G', { name: 'nat', publicIps: ['192.0.2.2'] });
    const users = ipUsersOf(block, [{ collection: 'natgateways', datacenter: 'D', item: gateway }]);
    assert.deepEqual(
      users.map(({ ip, name, path }) => [ip, name, path]),
      [
        ['192.0.2.1', 'web', '/datacenters/D/servers/S'],
        ['192.0.2.2', 'nat', '/datacenters/D/natgateways/G'],
        ['192.0.2.3', '', ''],
      ],
    );
    assert.deepEqual(
      holdersOf(users).map(({ kind, name }) => `${kind} ${name}`),
      ['Server web', 'NAT gateway nat'],
      'that keep it from being deleted',
    );
  });
});

suite('the metrics of a load balancer', () => {
  const rules = [
    { id: 'R', name: 'web' },
    { id: 'S', name: 'admin' },
  ];

  test('are charts by rule and by target, with names instead of ids', () => {
    const charts = chartsOf('B', rules);
    assert.deepEqual(
      charts.map(({ title, queries }) => [title, queries.length]),
      [
        ['Requests', 2],
        ['Errors', 2],
        ['Traffic', 4],
        ['Latency of targets', 2],
        ['Requests of targets', 2],
        ['Errors of targets', 2],
        ['Traffic of targets', 4],
      ],
    );
    assert.deepEqual(charts[0]?.queries[0], {
      expression: 'loadbalancer_requests{balancer_id="B",rule_id="R",target=""} / 60',
      legend: 'web',
    });
    assert.deepEqual(charts[3]?.queries[1], {
      expression: 'loadbalancer_response_milliseconds{balancer_id="B",rule_id="S",target!=""}',
      legend: 'admin · {{target}}',
    });
    assert.equal(healthQueries('B', rules.slice(0, 1))[0]?.legend, '{{target}}');
  });

  test('have the health of each target as periods', () => {
    const query = { expression: 'x', legend: '{{target}}' };
    const values = ['1', '1', '0', '0', '1'].map((value, at): [number, string] => [60 * (at < 4 ? at : at + 1), value]);
    const answers = [{ query, series: [{ metric: { target: '10.0.0.1:80' }, values }] }];
    const [health] = healthOf(plotOf({ fromS: 0, toS: 360 }, 60, answers));
    assert.deepEqual(health, {
      name: '10.0.0.1:80',
      isHealthy: true,
      periods: [
        { fromS: 0, toS: 120, isHealthy: true },
        { fromS: 120, toS: 240, isHealthy: false },
        { fromS: 300, toS: 360, isHealthy: true },
      ],
    });
  });
});

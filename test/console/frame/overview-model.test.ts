// The model of the overview: datacenters with their servers, and problems.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashedOf, type ServerItem, sitesOf } from '../../../console/overview/landscape-model.ts';
import { problemsOf } from '../../../console/overview/problems-model.ts';
import type { Requested } from '../../../console/requests/requests-api.ts';

const site = (id: string) => ({ id, href: '', properties: { name: `name of ${id}`, location: 'de/fra' } });
const server = (datacenter: string, id: string, vmState: string, state = 'AVAILABLE'): ServerItem => ({
  id,
  href: `/cloudapi/v6/datacenters/${datacenter}/servers/${id}`,
  metadata: { state },
  properties: { name: id, vmState },
});
const failed = (id: string): Requested => ({
  id,
  created: '2026-11-17T12:00:00Z',
  by: '',
  state: 'FAILED',
  message: 'No host has enough memory',
  method: 'POST',
  path: '/cloudapi/v6/datacenters',
  headers: {},
  body: '',
  targets: [],
});

suite('the landscape of the overview', () => {
  const servers = [
    server('a', 'web', 'RUNNING'),
    server('b', 'far', 'SHUTOFF'),
    server('a', 'new', 'RUNNING', 'BUSY'),
    server('a', 'old', 'CRASHED'),
    server('a', 'db', 'RUNNING'),
  ];
  const sites = sitesOf([site('a'), site('b'), site('c')], servers);

  test('shows the servers of each datacenter with their states, the most frequent state first', () => {
    assert.deepEqual(
      sites.map(({ name, machines, summary }) => [
        name,
        machines.map(({ name: one, look }) => `${one} ${look}`),
        summary,
      ]),
      [
        ['name of a', ['web good', 'new waits', 'old failed', 'db good'], '2 running, 1 busy, 1 crashed'],
        ['name of b', ['far off'], '1 shutoff'],
        ['name of c', [], ''],
      ],
    );
    assert.equal(sites[0]?.machines[0]?.path, '/datacenters/a/servers/web');
  });

  test('lists firing alerts, then crashed servers, then failed requests, and counts the rest', () => {
    const firing = [{ id: 'r', name: 'Disk full', region: 'de-txl', count: 2 }];
    const crashed = crashedOf(sites);
    const few = problemsOf({ firing, crashed, failed: [failed('1')] });
    assert.deepEqual(
      few.problems.map(({ kind, note }) => [kind, note]),
      [
        ['Alert', '2 alerts, de-txl'],
        ['Server', 'crashed'],
        ['Request', 'No host has enough memory'],
      ],
    );
    assert.equal(few.more, 0);
    const many = Array.from({ length: 10 }, (_, index) => failed(String(index)));
    assert.equal(problemsOf({ firing, crashed, failed: many }).more, 4);
    assert.deepEqual(problemsOf({ firing: [], crashed: [], failed: [] }), { problems: [], more: 0 });
  });
});

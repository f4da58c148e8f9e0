// The model of a datacenter's diagram: content, layout, and the way of a packet.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crowdOf } from '../../../console/compute/diagram/crowd.ts';
import { fitted } from '../../../console/compute/diagram/fitted-text.ts';
import {
  deviceKey,
  type Graph,
  graphOf,
  lanKey,
  mostAlone,
  serverKey,
} from '../../../console/compute/diagram/graph.ts';
import { type Answers, landscapeOf } from '../../../console/compute/diagram/landscape.ts';
import { layoutOf, type Rectangle } from '../../../console/compute/diagram/layout.ts';
import {
  bytesText,
  packetsText,
  type Rates,
  type Reading,
  rateOfInterfaces,
  ratesOf,
  rateText,
  trafficOfEdges,
} from '../../../console/compute/diagram/live-traffic.ts';
import { Viewport } from '../../../console/compute/diagram/viewport.ts';
import { canSendReal, problemOf, usualQuestion } from '../../../console/compute/reach/question.ts';
import { marksOf, stepsOf, type VerdictView } from '../../../console/compute/reach/verdict.ts';
import type { Item } from '../../../console/resources/model.ts';
import { processorMs } from '../../../src/testing/processor-time.ts';

const item = (id: string, properties: object, entities: Record<string, Item[]> = {}): Item => ({
  id,
  metadata: { state: 'AVAILABLE' },
  properties: properties as Item['properties'],
  entities: Object.fromEntries(Object.entries(entities).map(([name, items]) => [name, { items }])),
});
const lan = (id: number, more: object = {}): Item => item(String(id), { name: `lan ${id}`, public: false, ...more });
const server = (id: string, lans: readonly number[], more: object = {}): Item =>
  item(
    id,
    { name: id, cores: 2, ram: 4096, vmState: 'RUNNING', type: 'ENTERPRISE', availabilityZone: 'AUTO', ...more },
    {
      nics: lans.map((number, at) =>
        item(`${id}-nic${at}`, { name: `eth${at}`, lan: number, ips: [`10.0.${number}.5`] }),
      ),
      volumes: [item(`${id}-disk`, { name: 'disk', size: 20, type: 'SSD' })],
    },
  );

const nothing: Answers = {
  path: '/datacenters/D',
  lans: [],
  servers: [],
  volumes: [],
  natgateways: [],
  networkloadbalancers: [],
  applicationloadbalancers: [],
  loadbalancers: [],
  pccs: [],
};
const graphFrom = (some: Partial<Answers>): Graph => graphOf(landscapeOf({ ...nothing, ...some }));

// A public LAN, servers that connect it to a private LAN, and the servers in that one.
const shop: Partial<Answers> = {
  lans: [lan(1, { public: true }), lan(2), lan(3, { pcc: 'P' })],
  servers: [server('web', [1, 2]), server('api', [2, 3]), server('db', [3]), server('island', [])],
  volumes: [item('web-disk', { name: 'disk', size: 20 }), item('spare', { name: 'spare', size: 5 })],
  natgateways: [item('nat', { name: 'out', publicIps: ['198.18.0.1'], lans: [{ id: 3 }] })],
  networkloadbalancers: [item('nlb', { name: 'entry', listenerLan: 1, targetLan: 2, ips: ['198.18.0.2'] })],
  pccs: [
    item('P', { name: 'office', peers: [{ datacenterId: 'D' }, { datacenterId: 'E' }] }),
    item('Q', { name: 'other' }),
  ],
};

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function assertSound(graph: Graph): ReturnType<typeof layoutOf> {
  const layout = layoutOf(graph);
  for (const [at, one] of layout.nodes.entries()) {
    assert.ok(one.x >= 0 && one.x + one.width <= layout.width, `${one.key} is within the width`);
    assert.ok(one.y >= 0 && one.y + one.height <= layout.height, `${one.key} is within the height`);
    for (const other of layout.nodes.slice(at + 1)) assert.ok(!overlap(one, other), `${one.key} lies on ${other.key}`);
  }
  const byKey = new Map(layout.nodes.map((node) => [node.key, node]));
  for (const { key, from, to, points } of layout.edges) {
    const [upper, lower] = [byKey.get(from), byKey.get(to)];
    const [first, last] = [points[0], points.at(-1)];
    assert.ok(upper && lower && first && last, key);
    assert.ok(first.x > upper.x && first.x < upper.x + upper.width && first.y === upper.y + upper.height, key);
    assert.ok(last.x > lower.x && last.x < lower.x + lower.width && last.y === lower.y, key);
  }
  return layout;
}

suite('the diagram of a datacenter', () => {
  test('ranks from the internet downwards: public LANs, the devices in them, the LANs behind', () => {
    const graph = graphFrom(shop);
    const { nodes } = assertSound(graph);
    const top = (key: string): number => nodes.find((node) => node.key === key)?.y ?? Number.NaN;
    const down = [
      'internet',
      lanKey('1'),
      serverKey('web'),
      lanKey('2'),
      serverKey('api'),
      lanKey('3'),
      serverKey('db'),
    ];
    for (const [at, key] of down.entries()) assert.ok(at === 0 || top(key) > top(down[at - 1] ?? ''), key);
    assert.deepEqual(
      graph.edges.map(({ key }) => key).sort(),
      [
        `internet > ${lanKey('1')}`,
        `internet > ${deviceKey('nat')}`,
        `${lanKey('1')} > ${serverKey('web')}`,
        `${lanKey('1')} > ${deviceKey('nlb')}`,
        `${lanKey('2')} > ${serverKey('api')}`,
        `${lanKey('3')} > ${serverKey('db')}`,
        `${lanKey('3')} > pcc P`,
        `${serverKey('api')} > ${lanKey('3')}`,
        `${serverKey('web')} > ${lanKey('2')}`,
        `${deviceKey('nat')} > ${lanKey('3')}`,
        `${deviceKey('nlb')} > ${lanKey('2')}`,
      ].sort(),
    );
  });

  test('shows unattached volumes and unconnected servers apart, and cross connects with their peers', () => {
    const { nodes } = graphFrom(shop);
    const titles = nodes.flatMap((node) =>
      node.kind === 'servers' || node.kind === 'volumes' ? [`${node.data.title}: ${node.data.members.length}`] : [],
    );
    assert.deepEqual(titles, ['Servers without a NIC: 1', 'Unattached volumes: 1']);
    const connects = nodes.flatMap((node) => (node.kind === 'crossConnect' ? [node.data] : []));
    assert.deepEqual(
      connects.map(({ name, peers }) => [name, peers]),
      [['office', 1]],
    );
  });

  test('sorts servers of the same LANs by name', () => {
    const servers = ['s10', 's2', 's1', 's3'].map((id) => server(id, [1, 2]));
    const { nodes } = assertSound(graphFrom({ lans: [lan(1, { public: true }), lan(2)], servers }));
    const names = nodes.filter(({ kind }) => kind === 'server').sort((a, b) => a.x - b.x);
    assert.deepEqual(
      names.map(({ key }) => key),
      ['s1', 's2', 's3', 's10'].map(serverKey),
    );
  });

  test('puts many servers of the same LANs into one node', () => {
    const few = Array.from({ length: mostAlone.few }, (_, at) => server(`s${at}`, [1]));
    const kinds = (servers: readonly Item[]): string[] =>
      graphFrom({ lans: [lan(1)], servers }).nodes.map(({ kind }) => kind);
    assert.deepEqual(kinds(few), ['lan', ...few.map(() => 'server')]);
    assert.deepEqual(kinds([...few, server('one more', [1])]), ['lan', 'servers']);
  });

  test('of 200 servers is laid out in well under a second, however they are connected', (t) => {
    const lans = Array.from({ length: 12 }, (_, at) => lan(at + 1, { public: at === 0 }));
    const shapes: Record<string, (at: number) => number[]> = {
      'one LAN': () => [1],
      'three LANs': (at) => [1 + (at % 3), ...(at % 5 ? [] : [2])],
      'any two of twelve': (at) => [1 + ((at * 7) % 12), 1 + ((at * 5) % 12)],
    };
    for (const [name, lansOf] of Object.entries(shapes)) {
      const servers = Array.from({ length: 200 }, (_, at) => server(`s${at}`, [...new Set(lansOf(at))]));
      layoutOf(graphFrom({ lans, servers: servers.slice(0, 20) })); // warms up the compiler
      const graph = graphFrom({ lans, servers });
      const usedMs = processorMs(() => layoutOf(graphFrom({ lans, servers })));
      t.diagnostic(`${name}: ${Math.round(usedMs)} ms`);
      assert.ok(usedMs < 1000, `${name}: ${usedMs} ms`);
      assertSound(graph);
    }
  });

  test('counts servers by LAN if there are too many to draw', () => {
    const nic = (id: string) => ({
      id: `${id}-nic`,
      href: `https://api/datacenters/D/servers/${id}/nics/${id}-nic`,
      properties: {},
    });
    const ids = Array.from({ length: 2000 }, (_, at) => `s${at}`);
    const lans = [
      item('1', { name: 'front', public: true }, { nics: ids.slice(0, 500).map(nic) }),
      item('2', { name: '' }, { nics: ids.slice(400, 1900).map(nic) }),
    ];
    const { servers, running, unconnected, lans: counted } = crowdOf('/datacenters/D', lans, ids, ids.slice(0, 1000));
    assert.deepEqual([servers, running, unconnected], [2000, 1000, 100]);
    assert.deepEqual(
      counted.map(({ name, servers: all, running: on, others }) => [name, all, on, others]),
      [
        ['LAN 2', 1500, 600, [{ name: 'front', servers: 100 }]],
        ['front', 500, 500, [{ name: 'LAN 2', servers: 100 }]],
      ],
    );
  });

  test('truncates names by the width of their letters', () => {
    assert.equal(fitted('web', 100, 14), 'web');
    assert.equal(fitted('w'.repeat(4096), 100, 14).length, 8);
    assert.equal(fitted('服务器'.repeat(10), 100, 14), '服务器服…器');
    assert.equal(fitted('workers-2757e84d', 100, 14), 'workers…84d');
  });
});

suite('the window on a picture', () => {
  test('fits it until the user moves it, zooms around a point, and reveals items', () => {
    const viewport = new Viewport();
    viewport.resize({ width: 800, height: 300 }, { width: 1600, height: 300 });
    assert.deepEqual(viewport.view.value, { x: 0, y: 75, scale: 0.5 });
    viewport.zoom(2, { x: 100, y: 100 });
    assert.deepEqual(viewport.inWindow({ x: 200, y: 50, width: 10, height: 10 }), {
      x: 100,
      y: 100,
      width: 10,
      height: 10,
    });
    viewport.resize({ width: 1000, height: 300 }, { width: 1600, height: 300 });
    assert.equal(viewport.view.value.scale, 1, 'it stays as it was left');
    viewport.reveal({ x: 1500, y: 0, width: 50, height: 50 });
    const { x, y } = viewport.inWindow({ x: 1500, y: 0, width: 50, height: 50 });
    assert.ok(x >= 0 && x <= 950 && y >= 0 && y <= 250, `${x} ${y}`);
    viewport.fit();
    assert.equal(viewport.view.value.scale, 0.625);
  });

  test('starts with the top of a picture that would be too small on a phone, and fits it on demand', () => {
    const viewport = new Viewport();
    viewport.resize({ width: 360, height: 480 }, { width: 1800, height: 600 }, 1000);
    assert.deepEqual(viewport.view.value, { x: 180 - 700, y: 0, scale: 0.7 });
    viewport.resize({ width: 480, height: 360 }, { width: 1800, height: 600 }, 1000);
    assert.deepEqual(viewport.view.value, { x: 240 - 700, y: 0, scale: 0.7 });
    viewport.fit();
    assert.equal(viewport.view.value.scale, 480 / 1800);
    viewport.resize({ width: 360, height: 480 }, { width: 1800, height: 600 }, 1000);
    assert.equal(viewport.view.value.scale, 0.2, 'and it stays whole');
  });
});

suite('the way of a packet', () => {
  const landscape = landscapeOf({ ...nothing, ...shop });
  const graph = graphOf(landscape);
  const hop = (more: object) => ({
    direction: 'INGRESS',
    sourceIp: '203.0.113.7',
    sourcePort: 49_152,
    targetIp: '10.0.2.5',
    targetPort: 443,
    action: 'ACCEPT',
    reason: 'balanced',
    datacenterId: 'D',
    rule: null,
    ...more,
  });
  const rule = { id: 'R', type: 'firewall-rule', name: 'https', of: { id: 'api-nic0', type: 'nic' } };
  const verdict = {
    verdict: 'REJECTED',
    reason: 'firewall rule',
    rule,
    arrivedAt: null,
    hops: [
      hop({ type: 'internet', id: null, datacenterId: null, reason: 'public address' }),
      hop({ type: 'networkloadbalancer', id: 'nlb' }),
      hop({ type: 'lan', id: '2', reason: 'same LAN' }),
      hop({ type: 'nic', id: 'api-nic0', serverId: 'api', action: 'REJECT', reason: 'firewall rule', rule }),
    ],
  } as unknown as VerdictView;

  test('is shown step by step, with the rule that decided', () => {
    const steps = stepsOf(verdict, landscape);
    assert.deepEqual(
      steps.map(({ title, isPassed }) => `${title}: ${isPassed}`),
      ['The internet: true', 'Network load balancer entry: true', 'LAN lan 2: true', 'Reaches api by eth0: false'],
    );
    const last = steps.at(-1);
    assert.equal(last?.what, 'A firewall rule stops it.');
    assert.equal(last.addresses, '203.0.113.7:49152 → 10.0.2.5:443');
    assert.deepEqual(last.rule, {
      title: 'Firewall rule https',
      path: '/datacenters/D/servers/api/nics/api-nic0/firewallrules/R',
    });
  });

  test('is drawn along the edges, through the LAN between two hops', () => {
    const { nodes, edges } = marksOf(verdict, landscape, graph);
    assert.deepEqual(Object.fromEntries(nodes), {
      internet: 'passed',
      [lanKey('1')]: 'passed',
      [deviceKey('nlb')]: 'passed',
      [lanKey('2')]: 'passed',
      [serverKey('api')]: 'stopped',
    });
    assert.deepEqual(
      [...edges].map(([key, way]) => `${key}: ${way}`),
      [
        `internet > ${lanKey('1')}: along`,
        `${lanKey('1')} > ${deviceKey('nlb')}: along`,
        `${deviceKey('nlb')} > ${lanKey('2')}: along`,
        `${lanKey('2')} > ${serverKey('api')}: along`,
      ],
    );
  });
});

suite('the live traffic of the diagram', () => {
  const counts = (inBytes: number, outBytes: number) => ({
    inBytes,
    inPackets: inBytes / 500,
    outBytes,
    outPackets: 0,
  });
  const reading = (atMs: number, ...interfaces: Reading['interfaces']): Reading => ({ atMs, interfaces });
  const nicOf = (id: string, lan: string, inBytes: number, outBytes = 0) => ({ id, lan, ...counts(inBytes, outBytes) });
  const before = reading(1000, nicOf('web-nic0', '1', 500), nicOf('db-nic0', '3', 0));
  const after = reading(
    3000,
    nicOf('web-nic0', '1', 100_500, 4000),
    nicOf('db-nic0', '3', 150),
    nicOf('nlb', '2', 0, 2000),
  );
  const entriesOf = (rates: Rates | undefined) => Object.fromEntries(rates ?? []);

  test('is the difference of two readings per second, and quiet for less than 100 bytes', () => {
    assert.deepEqual(entriesOf(ratesOf(before, after)), {
      'web-nic0 1': counts(50_000, 2000),
      'nlb 2': counts(0, 1000),
    });
    assert.deepEqual(entriesOf(ratesOf(undefined, after)), {}, 'one reading has no rates');
    assert.equal(ratesOf(after, after), undefined, 'the same reading again');
    assert.deepEqual(entriesOf(ratesOf(before, { ...after, atMs: 60_000 })), {}, 'the page was hidden');
    assert.deepEqual(entriesOf(ratesOf(after, { ...before, atMs: 5000 })), {}, 'the machine has booted');
  });

  test('is shown on the edge between the LAN and the server or device', () => {
    const landscape = landscapeOf({ ...nothing, ...shop });
    const rates = ratesOf(before, after) as Rates;
    const traffic = trafficOfEdges(rates, landscape, graphOf(landscape));
    assert.deepEqual(
      [...traffic].map(([key, { isAtEnd, inBytes }]) => [key, isAtEnd, inBytes]),
      [
        [`${lanKey('1')} > ${serverKey('web')}`, true, 50_000],
        [`${deviceKey('nlb')} > ${lanKey('2')}`, false, 0],
      ],
    );
    const web = rateOfInterfaces(rates, [
      { id: 'web-nic0', lan: '1' },
      { id: 'web-nic1', lan: '2' },
    ]);
    assert.ok(web);
    assert.equal(rateText(web), 'in 48.83 KiB/s (100 packets/s), out 1.953 KiB/s (0 packets/s)');
    assert.deepEqual([bytesText(web), packetsText(web)], ['50.78 KiB/s', '100 packets/s']);
    assert.equal(rateOfInterfaces(rates, [{ id: 'db-nic0', lan: '3' }]), undefined);
  });

  test('of servers in one node is their sum', () => {
    const servers = Array.from({ length: mostAlone.few + 1 }, (_, at) => server(`s${at}`, [1]));
    const landscape = landscapeOf({ ...nothing, lans: [lan(1)], servers });
    const rates = new Map(['s0', 's1'].map((id) => [`${id}-nic0 1`, counts(1000, 0)] as const));
    const [all] = trafficOfEdges(rates, landscape, graphOf(landscape)).values();
    assert.equal(all?.inBytes, 2000);
  });
});

test('real packets are offered where machines are real, the lab is on, and the user is an administrator', () => {
  const can = (isReal: boolean, role: string, services = ['lab']): boolean =>
    canSendReal({
      facts: { machines: { isReal }, services: services.map((name) => ({ name })) },
      session: { role },
    });
  assert.deepEqual([can(true, 'owner'), can(true, 'admin')], [true, true]);
  assert.deepEqual([can(false, 'owner'), can(true, 'user'), can(true, 'owner', [])], [false, false, false]);
});

test('an incomplete question of reach names the missing field', () => {
  const question = { ...usualQuestion, toAddress: '10.0.1.5' };
  assert.equal(problemOf(question), undefined);
  assert.equal(problemOf({ ...question, protocol: 'ICMP', port: '' }), undefined);
  assert.match(problemOf({ ...question, fromAddress: ' ' }) ?? '', /^From: /);
  assert.match(problemOf(usualQuestion) ?? '', /^To: /);
  for (const port of ['abc', '', '0', '65536', '1.5']) assert.match(problemOf({ ...question, port }) ?? '', /^Port: /);
});

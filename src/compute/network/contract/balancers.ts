// The network contract: load balancers.
import assert from 'node:assert/strict';
import type { DatacenterSpec, HttpCondition } from '../spec.ts';
import type { HttpRequest, Packet } from '../verdict.ts';
import {
  applicationBalancer,
  balancer,
  type Case,
  datacenter,
  httpRule,
  lastIn,
  outside,
  packet,
  path,
  pathIn,
  target,
  web,
} from './samples.ts';

export function balancersContract(test: Case): void {
  balancers(test);
  requests(test);
}

type Parts = Partial<DatacenterSpec>;

function balancers(test: Case): void {
  const nics = Object.values(web);
  const withRule = (parts: object): Parts => {
    const plain = balancer();
    const forwardingRules = plain.forwardingRules.map((each) => ({ ...each, ...parts }));
    return { nics, networkLoadBalancers: [{ ...plain, forwardingRules }] };
  };
  const sent = packet(outside, '198.18.0.100');

  test('a network load balancer forwards to a target from its own address', async (network) => {
    await network.apply(datacenter('D', withRule({})), 1);
    const verdict = await network.send(sent);
    assert.deepEqual(path(verdict), [
      'internet INGRESS ACCEPT: public address',
      'networkloadbalancer nlb INGRESS ACCEPT: networkloadbalancer nlb forward',
      'networkloadbalancer nlb EGRESS ACCEPT: networkloadbalancer nlb forward',
      'lan 2 EGRESS ACCEPT: same LAN',
      'nic a INGRESS ACCEPT: no firewall',
      'at a',
    ]);
    const { sourceIp, targetIp, targetPort } = verdict.hops[4] ?? {};
    assert.deepEqual([sourceIp, targetIp, targetPort], ['10.0.2.240', '10.0.2.1', 8080]);
  });

  test('targets are chosen by their weights', async (network) => {
    const ends = async (parts: object, count: number): Promise<string> => {
      await network.remove('D');
      await network.apply(datacenter('D', withRule(parts)), 1);
      const found = [];
      for (let at = 0; at < count; at++)
        found.push(
          path(await network.send(sent))
            .at(-1)
            ?.slice(3),
        );
      return found.sort().join('');
    };
    assert.equal(await ends({ id: 'even' }, 6), 'aaabbb');
    const targets = [target('10.0.2.1', { weight: 3 }), target('10.0.2.2')];
    assert.equal(await ends({ id: 'weighed', targets }, 8), 'aaaaaabb');
    assert.match(await ends({ id: 'source', algorithm: 'SOURCE_IP' }, 6), /^(a{6}|b{6})$/);
    assert.match(await ends({ id: 'chance', algorithm: 'RANDOM' }, 40), /^a+b+$/);
    const resting = [target('10.0.2.1', { maintenance: true }), target('10.0.2.2'), target('10.0.2.1', { weight: 0 })];
    assert.equal(await ends({ id: 'resting', targets: resting }, 3), 'bbb');
  });

  test('a checked target must exist; the firewall of the target decides last', async (network) => {
    const gone = 'networkloadbalancer nlb EGRESS REJECT: no healthy target';
    assert.equal(await lastIn(network, withRule({ targets: [target('10.0.2.99')] }), sent), gone);
    const unchecked = withRule({ targets: [target('10.0.2.99', { check: false })] });
    assert.equal(await lastIn(network, unchecked, sent), 'lan 2 EGRESS REJECT: no such address');
    const closed = nics.map((each) => ({ ...each, firewallActive: true }));
    const last = await lastIn(network, { ...withRule({ id: 'closed' }), nics: closed }, sent);
    assert.equal(last, 'nic a INGRESS REJECT: firewall default deny');
  });

  test('a packet without a forwarding rule is refused', async (network) => {
    const none = 'networkloadbalancer nlb INGRESS REJECT: no forwarding rule';
    for (const other of [{ targetPort: 81 }, { protocol: 'UDP' as const }])
      assert.equal(await lastIn(network, withRule({}), packet(outside, '198.18.0.100', other)), none);
  });

  test('a classic load balancer hands packets to its NICs unchanged', async (network) => {
    const loadBalancers = [{ id: 'old', ip: '10.0.2.60', balancedNics: ['b', 'gone'] }];
    assert.deepEqual((await pathIn(network, { nics, loadBalancers }, packet('a', '10.0.2.60'))).slice(2), [
      'loadbalancer old INGRESS ACCEPT: balanced',
      'nic b INGRESS ACCEPT: no firewall',
      'at b',
    ]);
  });
}

const request = (parts: Partial<HttpRequest> = {}): Packet =>
  packet(outside, '198.18.0.100', {
    http: { method: 'GET', host: 'shop.example', path: '/cart', query: 'a=1', headers: {}, cookies: {}, ...parts },
  });

function requests(test: Case): void {
  const targets = [{ ip: '10.0.2.2', port: 8080, weight: 1, healthCheckEnabled: true, maintenanceEnabled: false }];
  const parts = (...httpRules: ReturnType<typeof httpRule>[]): Parts => ({
    nics: Object.values(web),
    applicationLoadBalancers: [applicationBalancer(httpRules)],
    targetGroups: [{ id: 'group', algorithm: 'ROUND_ROBIN', targets }],
  });
  const condition = (
    type: HttpCondition['type'],
    kind: HttpCondition['condition'],
    value: string | null,
    more = {},
  ) => [{ type, condition: kind, negate: false, key: null, value, ...more }];

  test('an application load balancer forwards, answers and redirects', async (network) => {
    assert.equal(await lastIn(network, parts(httpRule('all')), request()), 'at b');
    const closed = httpRule('closed', { type: 'STATIC', responseMessage: 'closed' });
    assert.equal(await lastIn(network, parts(httpRule('all'), closed), request()), 'answered 503');
    await network.remove('D');
    const location = 'https://other.example/';
    await network.apply(datacenter('D', parts(httpRule('moved', { type: 'REDIRECT', location }))), 1);
    const { arrived, decidedBy } = await network.send(request());
    assert.ok(arrived?.kind === 'answer');
    assert.deepEqual([arrived.statusCode, arrived.location], [301, 'https://other.example/?a=1']);
    assert.deepEqual(decidedBy, { rule: 'listen', of: 'applicationloadbalancer', ownerId: 'alb', httpRule: 'moved' });
  });

  test('conditions choose the rule', async (network) => {
    const cases: [HttpCondition[], Partial<HttpRequest>, boolean][] = [
      [condition('PATH', 'STARTS_WITH', '/cart'), {}, true],
      [condition('PATH', 'ENDS_WITH', '.png'), {}, false],
      [condition('PATH', 'MATCHES', '^/(cart|shop)(/|$)'), {}, true],
      [condition('PATH', 'MATCHES', '^(a+)+$', { negate: true }), { path: `${'a'.repeat(5000)}!` }, true],
      [condition('PATH', 'MATCHES', '(?=cart)'), {}, false],
      [condition('PATH', 'MATCHES', '(?=cart)', { negate: true }), {}, false],
      [condition('HOST', 'EQUALS', 'Shop.example'), { host: 'SHOP.example:8080' }, true],
      [condition('METHOD', 'EQUALS', 'POST'), {}, false],
      [condition('HEADER', 'CONTAINS', 'Fire', { key: 'user-agent' }), { headers: { 'User-Agent': 'Firefox' } }, true],
      [condition('HEADER', 'EXISTS', null, { key: 'x-none' }), {}, false],
      [condition('HEADER', 'EXISTS', null, { key: 'x-none', negate: true }), {}, true],
      [condition('COOKIE', 'EQUALS', 'blue', { key: 'side' }), { cookies: { side: 'blue' } }, true],
      [condition('QUERY', 'EQUALS', '1', { key: 'a' }), {}, true],
      [condition('SOURCE_IP', null, '203.0.113.0/24'), {}, true],
      [condition('SOURCE_IP', null, '203.0.114.0/24'), {}, false],
    ];
    for (const [conditions, sent, holds] of cases) {
      const last = await lastIn(network, parts(httpRule('some', { conditions })), request(sent));
      const none = 'applicationloadbalancer alb INGRESS REJECT: no http rule matches';
      assert.equal(last, holds ? 'at b' : none, JSON.stringify(conditions));
    }
  });

  test('a packet needs an HTTP request, and its rule an existing target group', async (network) => {
    const plain = packet(outside, '198.18.0.100');
    const missing = 'applicationloadbalancer alb INGRESS REJECT: no http request';
    assert.equal(await lastIn(network, parts(httpRule('all')), plain), missing);
    const gone = 'applicationloadbalancer alb EGRESS REJECT: no such target group';
    assert.equal(await lastIn(network, parts(httpRule('all', { targetGroup: 'gone' })), request()), gone);
  });
}

// Load balancers of real machines, in bare namespaces: HAProxy and nft balance to servers that answer with their names.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { createAuthority, issueCertificate } from '../../../src/testing/black-box/certificates.ts';
import { machineTime } from '../../../src/testing/black-box/monitoring.ts';
import {
  accessIn,
  accessPipe,
  applicationBalancer,
  balancer,
  type Certificates,
  type DatacenterSpec,
  datacenter,
  evaluate,
  type HttpRule,
  httpRule,
  indexTopology,
  nic,
  planOf,
  randomHttpRule,
  randomRequest,
  target,
} from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { chanceOf, isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { outside, ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { Client, type Found, startServer } from '../../harness/network/requests.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const front = '198.18.0.100';

const nics = [
  nic('a', 2, '10.0.2.1'),
  nic('b', 2, '10.0.2.2'),
  nic('c', 2, '10.0.2.3'),
  nic('p', 1, '198.18.0.1'), // a client on the listener LAN
];

interface Bench {
  host: Namespaces;
  client: Client; // on the internet
  apply(parts: Partial<DatacenterSpec>): Promise<void>;
  withCertificates(known: Certificates): void; // from the next apply on
}

suite('load balancers of real machines', { skip: tools.skip ?? false, timeout: limits.test }, () => {
  async function bench(t: TestContext): Promise<Bench> {
    if (tools.skip !== undefined) throw new Error(tools.skip);
    const host = new Namespaces(tools, []);
    t.after(() => host.close());
    await new Wire(host).open();
    const machines = nics.map(({ server }) => server);
    for (const machine of machines) await host.start(machine);
    let certificates: Certificates = new Map();
    const apply = async (parts: Partial<DatacenterSpec>): Promise<void> => {
      const index = indexTopology({ ranges, datacenters: [datacenter('D', { nics, ...parts })] });
      const uplink = { device: 'eth0', isMasked: false };
      await host.apply(planOf(index, { ranges, uplink, machines, certificates }));
      assert.deepEqual(host.warnings, []);
    };
    for (const id of ['a', 'b', 'c']) await startServer(host, `server-${id}`);
    const withCertificates = (known: Certificates): void => {
      certificates = known;
    };
    return { host, apply, withCertificates, client: await Client.in(host, 'internet') };
  }

  const network = (parts: object = {}) => {
    const plain = balancer();
    return {
      networkLoadBalancers: [{ ...plain, forwardingRules: plain.forwardingRules.map((one) => ({ ...one, ...parts })) }],
    };
  };

  const servedBy = async (client: Client, count: number, host = front, port = 80): Promise<string> => {
    const names: string[] = [];
    for (let number = 0; number < count; number++)
      names.push((await client.served({ host, port })).replace('server-', ''));
    return names.sort().join('');
  };

  test('a network balancer distributes by weight, from its own address, to clients anywhere', async (t) => {
    const { host, apply, client } = await bench(t);
    await apply(network({ targets: [target('10.0.2.1', { weight: 3 }), target('10.0.2.2')] }));
    assert.equal(await servedBy(client, 8), 'aaaaaabb');
    const near = await Client.in(host, 'server-p');
    assert.equal(await servedBy(near, 4), 'aaab');
    const { body = '' } = await client.get({ host: front });
    assert.equal((JSON.parse(body) as { from: string }).from, '10.0.2.240');
    assert.match((await client.get({ host: front, port: 81, limit: 0.5 })).error ?? '', /timed out/i);
  });

  test('a changed rule is active at once, and established connections continue', async (t) => {
    const { apply, client } = await bench(t);
    await apply(network({ targets: [target('10.0.2.1')] }));
    await client.keep({ host: front });
    assert.equal(await client.keptBy(), 'server-a');
    for (const [ip, name] of [
      ['10.0.2.2', 'b'],
      ['10.0.2.3', 'c'],
    ] as const) {
      await apply(network({ targets: [target('10.0.2.1', { weight: 1 }), target(ip, { weight: 200 })] }));
      await until(
        'the new target is used',
        () => client.served({ host: front }),
        (by) => by === `server-${name}`,
      );
      assert.equal(await client.keptBy(), 'server-a', 'the old connection has the same target');
    }
    await apply({});
    await until(
      'no one answers',
      () => client.get({ host: front, limit: 0.5 }),
      ({ error }) => error !== undefined,
    );
  });

  test('a target that does not answer its health check gets no requests', async (t) => {
    const { apply, client } = await bench(t);
    const health = (check: boolean) => ({ check, checkInterval: 200, maintenance: false });
    const targets = [
      { ...target('10.0.2.1'), healthCheck: health(true) },
      { ...target('10.0.2.2'), port: 9999, healthCheck: health(true) },
    ];
    await apply(network({ targets }));
    await until(
      'the healthy target answers',
      () => client.served({ host: front }),
      (by) => by === 'server-a',
    );
    assert.equal(await servedBy(client, 6), 'aaaaaa');
    await apply(network({ targets: [{ ...target('10.0.2.2'), port: 9999, healthCheck: health(true) }] }));
    await until(
      'no target is left',
      () => client.get({ host: front }),
      ({ error }) => error !== undefined,
    );
  });

  test('if a target refuses a connection, another one gets it', async (t) => {
    const { apply, client } = await bench(t);
    const healthCheck = { check: false };
    const targets = [target('10.0.2.1'), { ...target('10.0.2.2'), port: 9999 }];
    await apply(network({ targets: targets.map((one) => ({ ...one, healthCheck })) }));
    assert.equal(await servedBy(client, 6), 'aaaaaa');
  });

  test('all requests of a source address go to the same target', async (t) => {
    const { host, apply, client } = await bench(t);
    const targets = [target('10.0.2.1'), target('10.0.2.2'), target('10.0.2.3')];
    await apply(network({ algorithm: 'SOURCE_IP', targets }));
    for (const one of [client, await Client.in(host, 'server-p')])
      assert.match(await servedBy(one, 6), /^(a{6}|b{6}|c{6})$/);
    await apply(network({ algorithm: 'LEAST_CONNECTION', targets }));
    await until(
      'each target gets connections',
      () => servedBy(client, 6),
      (names) => /^a+b+c+$/.test(names),
    );
  });

  test('the proxy protocol sends a target the address of the client', async (t) => {
    const { apply, client } = await bench(t);
    for (const proxyProtocol of ['v1', 'v2'] as const) {
      await apply(network({ targets: [{ ...target('10.0.2.1'), proxyProtocol }] }));
      const proxied = async (): Promise<string> => {
        const { body = '{}' } = await client.get({ host: front });
        return (JSON.parse(body) as { proxied: string }).proxied;
      };
      await until(`${proxyProtocol} is used`, proxied, (address) => address === outside.v4);
    }
  });

  test('an application balancer decides as the simulated one on random rules and requests', async (t) => {
    const { apply, client } = await bench(t);
    const chance = chanceOf(t);
    const seen = new Set<string>();
    for (let round = 0; round < (isFull ? 40 : 8); round++) {
      const httpRules = Array.from({ length: 1 + chance.below(4) }, (_, at) =>
        possible(randomHttpRule(chance, `rule ${at}`, 'group')),
      );
      const ofRound = {
        type: 'HEADER',
        condition: 'EQUALS',
        negate: false,
        key: 'round',
        value: `marker-${round}`,
      } as const;
      httpRules.unshift(
        httpRule('of the round', {
          ...{ type: 'STATIC', targetGroup: null, statusCode: 200, responseMessage: `marker-${round}` },
          conditions: [ofRound],
        }),
      );
      const parts = {
        nics,
        applicationLoadBalancers: [applicationBalancer(httpRules)],
        targetGroups: [{ id: 'group', algorithm: 'ROUND_ROBIN' as const, targets: [groupTarget] }],
      };
      await apply(parts);
      const index = indexTopology({ ranges, datacenters: [datacenter('D', parts)] });
      const marker = `marker-${round}`;
      const isNew = ({ body }: Found): boolean => body === marker;
      await until('the new rules decide', () => client.get({ host: front, headers: { round: marker } }), isNew);
      for (let each = 0; each < 6; each++) {
        const http = realRequest(randomRequest(chance));
        const packet = { from: { ip: outside.v4 }, to: front, protocol: 'TCP' as const, targetPort: 80, http };
        const { arrived } = evaluate(index, packet, () => 0);
        const expected =
          arrived === null
            ? '503'
            : arrived.kind === 'answer'
              ? answerText({ ...arrived, status: arrived.statusCode })
              : 'server';
        const { method, path, query, headers, cookies, host } = http;
        const cookie = Object.entries(cookies)
          .map(([name, value]) => `${name}=${value}`)
          .join('; ');
        const found = await client.get({
          host: front,
          method,
          path: query === '' ? path : `${path}?${query}`,
          headers: { ...headers, host, marker, ...(cookie && { cookie }) },
        });
        const real =
          found.status === 200 && found.body?.includes(marker)
            ? 'server'
            : found.status === 503 && found.body?.includes('No server is available')
              ? '503'
              : answerText({ status: found.status ?? 0, location: found.headers?.location, message: found.body });
        assert.equal(real, expected, JSON.stringify({ http, httpRules, found }));
        seen.add(expected.replace(/ .*/, ''));
      }
    }
    assert.ok(seen.size >= 3, [...seen].join());
  });

  test('names and values with any characters are compared as they are', async (t) => {
    const { apply, client } = await bench(t);
    const strange = [`a"b\\c$d 'e' {f} %g #h, }`, '}', '--', '-m', '100%', '$HOME'];
    const httpRules = strange.map((value, number) =>
      httpRule(`rule "${value}" ' , \\ %[src]`, {
        ...{
          type: 'STATIC',
          targetGroup: null,
          statusCode: 200,
          responseMessage: `${number}: ${value}\nnext`,
          contentType: 'text/plain',
        },
        conditions: [{ type: 'HEADER', condition: 'EQUALS', negate: false, key: 'X-Text', value }],
      }),
    );
    httpRules.push(
      httpRule('redirect', {
        ...{ type: 'REDIRECT', targetGroup: null, statusCode: 302, location: 'https://a.example/%20"x"?y=$z%[src]' },
        conditions: [{ type: 'PATH', condition: 'EQUALS', negate: false, key: null, value: '/away' }],
      }),
    );
    await apply({ nics, applicationLoadBalancers: [applicationBalancer(httpRules)] });
    for (const [number, value] of strange.entries()) {
      const { body } = await client.get({ host: front, headers: { 'X-Text': value } });
      assert.equal(body, `${number}: ${value}\nnext`);
    }
    const { headers } = await client.get({ host: front, path: '/away?q=1' });
    assert.equal(headers?.location, 'https://a.example/%20"x"?y=$z%[src]&q=1');
    const many = Array.from({ length: 100 }, (_, at) => ({
      ...{
        type: 'HEADER' as const,
        condition: 'EQUALS' as const,
        negate: true,
        key: `x-${at}`,
        value: 'x'.repeat(100),
      },
    }));
    await apply({
      nics,
      applicationLoadBalancers: [applicationBalancer([httpRule('all', { conditions: many })])],
      targetGroups: [{ id: 'group', algorithm: 'ROUND_ROBIN', targets: [groupTarget] }],
    });
    await until(
      'a rule with 100 conditions forwards',
      () => client.served({ host: front }),
      (by) => by === 'server-a',
    );
  });

  test('a listener presents its certificates by name, and a new one without losing a connection', async (t) => {
    const { apply, client, withCertificates } = await bench(t);
    const now = machineTime;
    const authority = await createAuthority({ commonName: 'Test CA', days: 1, now });
    const issue = async (name: string) => {
      const { certificate, key } = await issueCertificate(authority, { commonName: name, hosts: [name], days: 1, now });
      return { chain: `${certificate}${authority.certificate}`, key };
    };
    const [one, two, renewed] = [await issue('one.example'), await issue('two.example'), await issue('one.example')];
    const alb = applicationBalancer([httpRule('all')]);
    const parts = {
      nics,
      applicationLoadBalancers: [
        {
          ...alb,
          forwardingRules: alb.forwardingRules.map((rule) => ({
            ...rule,
            listenerPort: 443,
            serverCertificates: ['1', '2'],
          })),
        },
      ],
      targetGroups: [{ id: 'group', algorithm: 'ROUND_ROBIN' as const, targets: [groupTarget] }],
    };
    withCertificates(
      new Map([
        ['1', one],
        ['2', two],
      ]),
    );
    await apply(parts);
    const presented = async (name: string): Promise<string> => {
      const found = await client.get({ host: front, port: 443, tls: authority.certificate, name });
      assert.equal(found.status, 200, JSON.stringify(found));
      return new X509Certificate(found.certificate ?? '').fingerprint256;
    };
    const printOf = ({ chain }: { chain: string }): string => new X509Certificate(chain).fingerprint256;
    assert.equal(await presented('one.example'), printOf(one));
    assert.equal(await presented('two.example'), printOf(two));
    await client.keep({ host: front, port: 443, tls: authority.certificate, name: 'one.example' });
    withCertificates(
      new Map([
        ['1', renewed],
        ['2', two],
      ]),
    );
    await apply(parts);
    await until(
      'the new one is presented',
      () => presented('one.example'),
      (print) => print === printOf(renewed),
    );
    assert.equal(await client.keptBy(), 'server-a');
    withCertificates(new Map());
    await apply(parts);
    await until(
      'it never answers without encryption',
      () => client.get({ host: front, port: 443, limit: 0.5 }),
      ({ error }) => error !== undefined,
    );
  });

  test('each access is written to the pipe, without waiting for a reader', async (t) => {
    const { host, apply, client } = await bench(t);
    const lines = async (): Promise<string[]> =>
      (await host.shell(`timeout 1 cat <>${accessPipe} || true`)).trim().split('\n');
    const name = `all "of" % them, \u00e4`;
    const path = (value: string) =>
      [{ type: 'PATH', condition: 'EQUALS', negate: false, key: null, value }] satisfies HttpRule['conditions'];
    const answer = { type: 'STATIC', targetGroup: null, statusCode: 418, responseMessage: 'no' } as const;
    await apply({
      applicationLoadBalancers: [
        {
          ...applicationBalancer([
            httpRule(name, { conditions: path('/web') }),
            httpRule('closed', { ...answer, conditions: path('/closed') }),
            httpRule('lost', { targetGroup: 'empty', conditions: path('/lost') }),
          ]),
          centralLogging: true,
        },
      ],
      targetGroups: [
        { id: 'group', algorithm: 'ROUND_ROBIN', targets: [groupTarget] },
        { id: 'empty', algorithm: 'ROUND_ROBIN', targets: [{ ...groupTarget, port: 9999 }] },
      ],
      networkLoadBalancers: network({
        listenerPort: 81,
        targets: [target('10.0.2.1', { check: false })],
      }).networkLoadBalancers.map((one) => ({
        ...one,
        centralLogging: true,
        ips: ['198.18.0.101'],
        lbPrivateIps: ['10.0.2.241/24'],
        forwardingRules: one.forwardingRules.map((rule) => ({ ...rule, listenerIp: '198.18.0.101' })),
      })),
    });
    const headers = { host: 'shop.example:80' };
    const started = Date.now();
    for (const wish of ['/web?secret=1', '/closed', '/lost', '/other', `/${'x'.repeat(6000)}`])
      await client.get({ host: front, path: wish, headers });
    await client.get({ host: '198.18.0.101', port: 81 });
    const accesses = (await lines()).flatMap((line) => accessIn(line) ?? []);
    const web = { ip: '10.0.2.1', port: 8080 };
    const seen = accesses.map((one) => [
      one.balancerId,
      one.rule,
      one.server,
      one.isAnswer,
      ...Object.values(one.http ?? {}),
    ]);
    const long = seen[4]?.pop();
    const usual = ['GET', 'shop.example:80'];
    assert.deepEqual(seen, [
      ['alb', 'listen', web, false, 200, name, ...usual, '/web'],
      ['alb', 'listen', null, true, 418, 'closed', ...usual, '/closed'],
      ['alb', 'listen', null, false, 503, 'lost', ...usual, '/lost'],
      ['alb', 'listen', null, false, 503, null, ...usual, '/other'],
      ['alb', 'listen', null, false, 503, null, ...usual],
      ['nlb', 'forward', web, false],
    ]);
    assert.match(String(long), /^\/x{1000,1023}$/);
    for (const { source, target, timeMs, datacenterId, bytesIn, bytesOut } of accesses) {
      assert.deepEqual([source, target.replace(/\d$/, ''), datacenterId], [outside.v4, '198.18.0.10', 'D']);
      assert.ok(timeMs >= started && timeMs <= Date.now() && bytesIn > 60 && bytesOut > 60);
    }
    for (let sent = 0; sent < 800; sent++)
      assert.equal((await client.get({ host: front, path: '/closed' })).status, 418);
    const kept = await lines();
    assert.ok(kept.length > 100 && kept.length < 800 && kept.every((line) => accessIn(line)), `${kept.length} lines`);
    await client.get({ host: front, path: '/web' });
    assert.equal((await lines()).length, 1);
  });

  test('a classic balancer passes connections to running NICs, without changing their addresses', async (t) => {
    const { host, apply, client } = await bench(t);
    const publicNics = [nic('a', 1, '198.18.0.11'), nic('b', 1, '198.18.0.12'), nic('p', 1, '198.18.0.1')];
    const balancing = (balancedNics: string[]) => ({
      nics: publicNics,
      loadBalancers: [{ id: 'classic', ip: front, balancedNics }],
    });
    await apply(balancing(['a', 'b']));
    assert.equal(await servedBy(client, 8, front, 8080), 'aaaabbbb');
    const { body = '' } = await client.get({ host: front, port: 8080 });
    const { from, to } = JSON.parse(body) as { from: string; to: string };
    assert.deepEqual([from, to], [outside.v4, front]);
    assert.equal(await servedBy(await Client.in(host, 'server-p'), 2, front, 8080), 'ab');
    await client.keep({ host: front, port: 8080 });
    const first = await client.keptBy();
    const name = first.replace('server-', '');
    await apply(balancing([name]));
    assert.equal(await client.keptBy(), first);
    assert.equal(await servedBy(client, 3, front, 8080), name.repeat(3));
    await apply(balancing([name, name === 'a' ? 'b' : 'a']));
    assert.equal(await client.keptBy(), first);
    await apply(balancing([]));
    assert.match((await client.get({ host: front, port: 8080, limit: 0.5 })).error ?? '', /timed out|unreachable/i);
  });
});

const groupTarget = { ip: '10.0.2.1', port: 8080, weight: 1, healthCheckEnabled: true, maintenanceEnabled: false };

// The API refuses other status codes, and rules without a location or message.
function possible(rule: HttpRule): HttpRule {
  if (rule.type === 'FORWARD') return rule;
  if (rule.type === 'REDIRECT') return { ...rule, statusCode: rule.statusCode === null ? null : 302 };
  return {
    ...rule,
    responseMessage: rule.responseMessage ?? '',
    statusCode: rule.statusCode === 302 ? 410 : rule.statusCode,
  };
}

type Request = ReturnType<typeof randomRequest>;

// A real request has a method, a host and a path.
const realRequest = (request: Request): Request => ({
  ...request,
  method: request.method || 'GET',
  host: request.host || 'no.example',
  path: request.path || '/',
});

const answerText = ({
  status,
  location,
  message,
}: {
  status: number;
  location?: string | null | undefined;
  message?: string | null | undefined;
}): string => (status >= 300 && status < 400 ? `${status} ${location}` : `${status} ${message ?? ''}`);

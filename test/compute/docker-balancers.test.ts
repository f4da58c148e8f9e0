// Load balancers of real machines on Docker: from the host to public addresses, through HAProxy and nft to machines.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { type Found, logging, searchAt } from '../harness/logs.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { onHost } from '../harness/machines/host.ts';
import { bootVolume, core, done, inside, makeDatacenter, serverBody } from '../harness/machines/servers.ts';
import { type Region, startRegion } from '../harness/region.ts';

interface Sum {
  data: { result: { value: [number, string] }[] };
}

const found = await dockerEngine();

suite('load balancers of real machines on Docker', { skip: found.skip ?? false, timeout: limits.test }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let datacenter: string;
  let ips: string[];

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
    datacenter = await makeDatacenter(region);
    const block = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 3 } });
    ips = block.body.properties.ips as string[];
    for (const isPublic of [true, false])
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'lan', public: isPublic } });
    for (const number of [1, 2]) {
      const body = serverBody(`web${number}`, [bootVolume()]);
      const nics = { items: [{ properties: { lan: 2, ips: [`10.7.0.1${number}`] } }] };
      const entities = { ...body.entities, nics };
      const { body: made } = await done(region, 'POST', `${datacenter}/servers`, { ...body, entities });
      const page = `mkdir /page && cd /page && echo web${number} > index.html`;
      await inside(
        engine,
        `${datacenter}/servers/${made.id}`,
        `${page} && systemd-run --quiet --working-directory=/page python3 -m http.server 8080`,
      );
    }
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  // One line for each request: the name of the server, or the error, which is the last one. A connection is refused
  // only after 3 s, so that a look without an answer stays shorter than the limit of a wait.
  const get = (url: string, count = 1): Promise<string> =>
    onHost(
      engine,
      `python3 - <<'PY'
import urllib.request
for turn in range(${count}):
    try: print(urllib.request.urlopen("${url}", timeout=3).read().decode().strip())
    except Exception as problem:
        print(problem)
        break
PY`,
    );
  const targets = (ports: number[]) => ports.map((port, at) => ({ ip: `10.7.0.1${at + 1}`, port, weight: 1 }));
  const add = async (path: string, properties: object): Promise<string> => {
    const { body } = await done(region, 'POST', path, { properties });
    return `${path}/${body.id}`;
  };

  test('a network load balancer with a changed rule', async () => {
    const balancer = await add(`${datacenter}/networkloadbalancers`, {
      ...{ name: 'network', listenerLan: 1, ips: [ips[0]], targetLan: 2, lbPrivateIps: ['10.7.0.5/24'] },
    });
    const listener = { listenerIp: ips[0], listenerPort: 80 };
    const rule = await add(`${balancer}/forwardingrules`, {
      ...{ name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', ...listener, targets: targets([8080, 8080]) },
    });
    const both = ({ length }: string[]): boolean => length === 2;
    const names = async (): Promise<string[]> => [...new Set((await get(`http://${ips[0]}/`, 4)).trim().split('\n'))];
    const wait = { limitMs: limits.request };
    assert.deepEqual((await until('both servers answer', names, both, wait)).toSorted(), ['web1', 'web2']);
    await done(region, 'PATCH', rule, { targets: targets([8080]) });
    await until('one server answers', names, (seen) => seen.join() === 'web1', wait);
  });

  test('an application load balancer forwards, answers and redirects, and its requests are counted', async () => {
    const group = await region.call('POST', `${core}/targetgroups`, {
      properties: { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'HTTP', targets: targets([8080, 8080]) },
    });
    const balancer = await add(`${datacenter}/applicationloadbalancers`, {
      ...{ name: 'application', listenerLan: 1, ips: [ips[1]], targetLan: 2, lbPrivateIps: ['10.7.0.6/24'] },
    });
    const path = (value: string) => [{ type: 'PATH', condition: 'STARTS_WITH', value }];
    await add(`${balancer}/forwardingrules`, {
      ...{ name: 'web', protocol: 'HTTP', listenerIp: ips[1], listenerPort: 80 },
      httpRules: [
        { name: 'all', type: 'FORWARD', targetGroup: group.body.id },
        {
          name: 'closed',
          type: 'STATIC',
          responseMessage: 'closed today',
          statusCode: 200,
          conditions: path('/closed'),
        },
      ],
    });
    const names = async (): Promise<string[]> => [...new Set((await get(`http://${ips[1]}/`, 4)).trim().split('\n'))];
    await until('both servers answer', names, (seen) => seen.toSorted().join() === 'web1,web2', {
      limitMs: limits.request,
    });
    assert.equal(await get(`http://${ips[1]}/closed`), 'closed today');
    const counted = async (): Promise<number> => {
      await get(`http://${ips[1]}/`);
      const text = await (await fetch(`${region.url}/metrics`)).text();
      return Number(/^cumulet_balancers_requests_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await counted();
    await until('the requests are counted', counted, (requests) => requests >= before + 9, { limitMs: limits.request });
  });

  test('requests and health by rule and target reach central monitoring', async () => {
    const [central] = (await region.call('GET', '/de-txl/monitoring/central')).body.items;
    const at = `/de-txl/monitoring/central/${central?.id}`;
    assert.equal((await region.call('PUT', at, { properties: { enabled: true } })).status, 200);
    const sum = async (selector: string): Promise<number> => {
      const query = new URLSearchParams({ query: `sum(sum_over_time(${selector}[1h]))` });
      const { body } = await region.call<Sum>('GET', `${at}/prometheus/api/v1/query?${query}`);
      return Number(body.data.result[0]?.value[1] ?? 0);
    };
    const measured = async (): Promise<number[]> => {
      await get(`http://${ips[1]}/`, 2);
      assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: 60_000 })).status, 200);
      return Promise.all(
        [
          'loadbalancer_requests{balancer_name="application",target=""}',
          'loadbalancer_requests{balancer_name="application",target="10.7.0.11:8080"}',
          'loadbalancer_target_healthy{balancer_name="application",target!=""}',
        ].map(sum),
      );
    };
    const isMeasured = (sums: number[]): boolean => sums.every((one) => one > 0);
    await until('all metrics have values', measured, isMeasured, { limitMs: limits.request, everyMs: 2000 });
  });

  test('the usage of a machine has the bytes of its NICs', async () => {
    const { body } = await region.call('GET', `${datacenter}/servers?depth=1`);
    const web = body.items.find(({ properties }) => properties.name === 'web1');
    const received = async (): Promise<number> => {
      await get(`http://${ips[0]}/`, 20);
      const { usage } = (await region.call<{ usage: { networkInBytes: number } }>('GET', `/lab/machines/${web?.id}`))
        .body;
      return usage.networkInBytes;
    };
    await until('it has received requests', received, (bytes) => bytes > 1000);
  });

  test('a proxy that was killed starts again', async () => {
    const network = await engine.docker('ps', '-q', '--filter', 'label=cumulet.network');
    const { body } = await region.call('GET', `${datacenter}/networkloadbalancers`);
    const user = `$(stat -c %u /run/balancers/lb-${body.items[0]?.id})`;
    await engine.docker('exec', network, 'sh', '-c', `setpriv --reuid=${user} --clear-groups kill -KILL -- -1`);
    await assert.rejects(get(`http://${ips[0]}/`).then((text) => assert.match(text, /^web/)));
    const answers = (): Promise<string> => get(`http://${ips[0]}/`);
    await until('it answers', answers, (name) => name === 'web1', { limitMs: limits.request });
  });

  test('accesses reach central logging, also after a crash of the region', async () => {
    assert.equal((await region.call('PUT', `${logging}/central`, { properties: { enabled: true } })).status, 200);
    const { body: centrals } = await region.call('GET', `${logging}/central`);
    const { body: balancers } = await region.call('GET', `${datacenter}/applicationloadbalancers?depth=1`);
    const [balancer] = balancers.items;
    await done(region, 'PATCH', `${datacenter}/applicationloadbalancers/${balancer?.id}`, {
      ...{ centralLogging: true, loggingFormat: 'combined' },
    });
    const accessTo = async (path: string): Promise<Record<string, unknown>> => {
      const query = `{tag="loadbalancer", balancer_id="${balancer?.id}"} | json | path="${path}"`;
      const look = async (): Promise<Found | undefined> => {
        await get(`http://${ips[1]}${path}`);
        return (await searchAt(region, `${logging}/central/${centrals.items[0]?.id}`, query))[0];
      };
      const { line } = await until(`the access to ${path}`, look, undefined, { limitMs: limits.request });
      return JSON.parse(line);
    };
    const { body: servers } = await region.call('GET', `${datacenter}/servers`);
    const answered = await accessTo('/closed');
    assert.partialDeepStrictEqual(answered, {
      ...{ balancer: balancer?.id, kind: 'applicationloadbalancer', target: ips[1], targetPort: 80 },
      ...{ method: 'GET', host: ips[1], path: '/closed', status: 200, httpRule: 'closed', action: 'ACCEPT' },
      arrived: { kind: 'answer', balancerId: balancer?.id, statusCode: 200 },
    });
    assert.match(await onHost(engine, 'ip -4 -o addr'), new RegExp(`inet ${answered.source}/`));
    const forwarded = await accessTo('/index.html');
    assert.partialDeepStrictEqual(forwarded, { status: 200, httpRule: 'all', arrived: { kind: 'nic', port: 8080 } });
    const { arrived, bytesOut } = forwarded as { arrived: Record<string, string>; bytesOut: number };
    assert.ok(
      servers.items.some(({ id }) => id === arrived.serverId),
      JSON.stringify(arrived),
    );
    assert.ok(bytesOut > 100);
    await region.kill();
    assert.equal(await get(`http://${ips[1]}/closed`, 500), 'closed today\n'.repeat(500).trim());
    await region.start();
    assert.partialDeepStrictEqual(await accessTo('/after'), { path: '/after', status: 404, action: 'ACCEPT' });
    const network = await engine.docker('ps', '-q', '--filter', 'label=cumulet.network');
    const readers = (): Promise<string> =>
      engine.docker('exec', network, 'sh', '-c', `for pid in $(pgrep -x cat); do readlink /proc/$pid/fd/0; done`);
    await until('the previous reader has ended', readers, (pipes) => pipes.match(/\/access$/gm)?.length === 1);
  });

  test('a classic load balancer', async () => {
    const nicsOf = async (): Promise<string[]> => {
      const { body } = await region.call('GET', `${datacenter}/lans/2/nics?depth=1`);
      return body.items.map(({ id }) => id);
    };
    const made = await done(region, 'POST', `${datacenter}/loadbalancers`, {
      properties: { name: 'classic', ip: '10.7.0.7' },
      entities: { balancednics: { items: (await nicsOf()).map((id) => ({ id })) } },
    });
    const { body } = await region.call('GET', `${datacenter}/loadbalancers/${made.body.id}/balancednics`);
    assert.equal(body.items.length, 2);
    const client = serverBody('client', [bootVolume()]);
    const { body: server } = await done(region, 'POST', `${datacenter}/servers`, {
      ...client,
      entities: { ...client.entities, nics: { items: [{ properties: { lan: 2, ips: ['10.7.0.20'] } }] } },
    });
    const names = async (): Promise<string> =>
      inside(
        engine,
        `${datacenter}/servers/${server.id}`,
        'for turn in 1 2 3 4; do python3 -c \'import urllib.request as u; print(u.urlopen("http://10.7.0.7:8080/", timeout=3).read().decode().strip())\'; done 2>&1 | sort -u | tr "\\n" " "',
      );
    await until('both servers answer', names, (seen) => seen.trim() === 'web1 web2', { limitMs: limits.request });
  });
});

// The region's own services from inside real machines: by the platform's host names, with the region's CA trusted.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { presign } from '../../src/testing/black-box/s3-signature.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { kcat } from '../clients/streaming/programs.ts';
import { addLogPipeline, search } from '../harness/logs.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { bootVolume, core, done, inside, makeDatacenter, serverBody } from '../harness/machines/servers.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { makeStorageKey, type StorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { addCluster, addTopic, reach } from '../streaming/clusters.ts';

const found = await dockerEngine();
const brokers = 'brokers.example'; // a name that only machines can resolve

interface Call {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

suite('the services of the region inside machines', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let outer: string; // on a public LAN
  let inner: string; // behind a NAT gateway without rules

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting, '--advertise', `${brokers}:29093`] });
    const datacenter = await makeDatacenter(region);
    const block = await region.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } });
    const [front, out] = block.body.properties.ips as [string, string];
    for (const isPublic of [true, false])
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'lan', public: isPublic } });
    await done(region, 'POST', `${datacenter}/natgateways`, {
      properties: { name: 'out', publicIps: [out], lans: [{ id: 2, gatewayIps: ['10.7.0.1/24'] }] },
    });
    const makeServer = async (nic: Record<string, unknown>): Promise<string> => {
      const body = serverBody('web', [bootVolume()]);
      const nics = { items: [{ properties: nic }] };
      const made = await done(region, 'POST', `${datacenter}/servers`, {
        ...body,
        entities: { ...body.entities, nics },
      });
      return `${datacenter}/servers/${made.body.id}`;
    };
    outer = await makeServer({ lan: 1, ips: [front] });
    inner = await makeServer({ lan: 2, ips: ['10.7.0.11'] });
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  const python = (server: string, script: string): Promise<string> =>
    inside(engine, server, `python3 - <<'PY'\n${script}\nPY`);

  const addressOf = (server: string, name: string): Promise<string> =>
    python(
      server,
      `import socket
try: print(socket.gethostbyname("${name}"), end="")
except OSError as error: print(error, end="")`,
    );
  const resolves = (server: string, name: string, address: string): Promise<string> =>
    until(
      `${name} is ${address}`,
      () => addressOf(server, name),
      (seen) => seen === address,
    );

  // The status and the beginning of the response, with the trust of the system.
  const call = (server: string, { method, url, headers = {}, body = '' }: Call): Promise<string> =>
    python(
      server,
      `import json, urllib.error, urllib.request
request = urllib.request.Request(${JSON.stringify(url)}, method="${method}", headers=json.loads(r'''${JSON.stringify(headers)}'''))
if "${method}" != "GET": request.data = r'''${body}'''.encode()
try: answer = urllib.request.urlopen(request, timeout=10)
except urllib.error.HTTPError as error: answer = error
print(answer.status, answer.read(5000).decode(), end="")`,
    );

  test('the names of the platform lead to the region, and all others to the resolvers of the host', async () => {
    for (const server of [outer, inner])
      for (const name of ['api.ionos.com', 'x.s3.eu-central-3.ionoscloud.com', 'monitoring.de-txl.cumulet.local'])
        await resolves(server, name, '169.254.0.53');
    const network = await engine.docker('ps', '-q', '--filter', 'label=cumulet.network');
    const upstream = 'dnsmasq --conf-file= --user=root --group= --no-hosts --no-resolv --pid-file= --bind-dynamic';
    await engine.docker(
      ...['exec', network, 'sh', '-c'],
      `nsenter -t 1 -n ip addr add 203.0.113.53/32 dev lo
nsenter -t 1 -n ${upstream} --listen-address=203.0.113.53 --address=/example.org/192.0.2.80
echo 'nameserver 203.0.113.53' > /etc/resolv.conf`,
    );
    await engine.docker('exec', '--user', '65534', network, 'sh', '-c', 'kill -HUP $(cat /run/names/pid)');
    await resolves(inner, 'www.example.org', '192.0.2.80');
    const users = await engine.docker('exec', network, 'sh', '-c', 'stat -c %u /proc/$(cat /run/names/pid)');
    assert.equal(users, '65534');
    await resolves(outer, 'www.example.org', '192.0.2.80');
  });

  // For a minute.
  const objectUrl = (key: StorageKey, method: string, scheme: string, name: string): string => {
    const endpoint = `${scheme}://s3.eu-central-3.ionoscloud.com`;
    const request = { method, endpoint, bucket: 'from-machines', key: name, query: {}, expiresS: 60 };
    const signer = { accessKey: key.accessKeyId, secretKey: key.secretAccessKey, region: 'eu-central-3' };
    return presign(request, signer, Date.now());
  };

  test('a machine calls the API, pushes a log line and a metric, and writes an object', async () => {
    const pipeline = await addLogPipeline(region);
    const metrics = await addPipeline(region);
    const key = await makeStorageKey(region);
    const s3 = s3Client(region, key);
    await s3.send(new CreateBucketCommand({ Bucket: 'from-machines' }));
    for (const server of [outer, inner]) {
      const headers = { Authorization: `Bearer ${region.token}` };
      const listed = await call(server, { method: 'GET', url: `https://api.ionos.com${core}/datacenters`, headers });
      assert.match(listed, /^200 \{/);

      const number = pipeline.path.split('/').at(-1);
      const logs = `https://${number}-logs.a.logging.de-txl.ionos.com/app`;
      const json = { apikey: pipeline.key, 'Content-Type': 'application/json' };
      const line = `{"message":"${server.split('/').at(-1)}"}`;
      assert.match(await call(server, { method: 'POST', url: logs, headers: json, body: line }), /^200/);
      const seen = await search(region, pipeline, '{tag="app"}');
      assert.ok(
        seen.some((one) => one.line === line),
        JSON.stringify(seen.map((one) => one.line)),
      );

      const push = `https://${metrics.path.split('/').at(-1)}-metrics.a.monitoring.de-txl.ionos.com/api/v1/push`;
      const name = `from_${server === outer ? 'outer' : 'inner'}`;
      const text = { apikey: metrics.key, ...plainText };
      assert.match(await call(server, { method: 'POST', url: push, headers: text, body: `${name} 7\n` }), /^20\d/);
      assert.deepEqual(
        (await metrics.vector(name)).map(({ value }) => value[1]),
        ['7'],
      );

      for (const scheme of ['http', 'https']) {
        const url = objectUrl(key, 'PUT', scheme, scheme);
        assert.match(await call(server, { method: 'PUT', url, body: server }), /^200/);
        const stored = await s3.send(new GetObjectCommand({ Bucket: 'from-machines', Key: scheme }));
        assert.equal(await stored.Body?.transformToString(), server);
      }
    }
  });

  test('a Kafka client in a machine produces and reads records', async (t) => {
    const program = await kcat();
    if (program.path === undefined) return t.skip(program.skip);
    const key = await makeStorageKey(region);
    const Body = execFileSync('tar', ['cz', '-C', dirname(program.path), 'usr'], { maxBuffer: 100e6 });
    await s3Client(region, key).send(new PutObjectCommand({ Bucket: 'from-machines', Key: 'kcat', Body }));
    const cluster = await addCluster(region);
    await addTopic(region, cluster.id, { name: 'orders', numberOfPartitions: 1, replicationFactor: 3 });
    const { addresses, certificates } = await reach(region, cluster);
    const files = {
      ca: certificates.authority,
      certificate: certificates.client.certificate,
      key: certificates.client.key,
    };
    const settings = Object.keys(files).map((name) => `-X ssl.${name}.location=/${name}`);
    const client = `kcat -b ${addresses} -t orders -X security.protocol=ssl ${settings.join(' ')}`;
    for (const [at, server] of [outer, inner].entries()) {
      await inside(
        engine,
        server,
        [
          `curl -sSf '${objectUrl(key, 'GET', 'https', 'kcat')}' | tar xz -C /`,
          ...Object.entries(files).map(([name, text]) => `cat > /${name} <<'END'\n${text}\nEND`),
          `echo record-${at} | ${client} -P`,
        ].join('\n'),
      );
      const read = await inside(engine, server, `timeout ${limits.command / 1000} ${client} -C -o beginning -e -q`);
      assert.deepEqual(read.trim().split('\n').at(-1), `record-${at}`);
    }
  });

  test('after a crash of the region its services return; a changed resolv.conf is kept, and the CA is added once', async () => {
    await region.kill();
    assert.equal(await addressOf(outer, 'api.ionos.com'), '169.254.0.53');
    await region.start();
    const url = 'https://api.ionos.com/';
    await until(
      'the API answers',
      () => call(outer, { method: 'GET', url }).catch(() => ''),
      (answer) => /^\d{3} /.test(answer),
    );
    await inside(engine, inner, 'echo "nameserver 192.0.2.1" > /etc/resolv.conf');
    for (const server of [inner, outer]) await done(region, 'POST', `${server}/reboot`);
    assert.equal(await inside(engine, inner, 'cat /etc/resolv.conf'), 'nameserver 192.0.2.1');
    assert.match(await inside(engine, outer, 'cat /etc/resolv.conf'), /nameserver 169\.254\.0\.53/);
    const count = 'grep -cxF "$(sed -n 2p /usr/local/share/ca-certificates/cumulet-region.crt)"';
    assert.equal(await inside(engine, outer, `${count} /etc/ssl/certs/ca-certificates.crt`), '1');
    await until(
      'the API answers again',
      () => call(outer, { method: 'GET', url }).catch(() => ''),
      (answer) => /^\d{3} /.test(answer),
    );
  });
});

// The commands of a newcomer's first hour: reset, logs, completion, the lab's traffic and load, and the addresses.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { freshUrl } from '../../src/testing/postgres.ts';
import { until } from '../../src/testing/waiting.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { cumulet, endsWithin, launch } from '../harness/process.ts';
import { createDone, type Ready, type Region, startRegion } from '../harness/region.ts';
import { stateFor } from '../harness/states.ts';

let region: Region;
const root = mkdtempSync(join(tmpdir(), 'cumulet-steps-'));
before(async () => {
  region = await startRegion();
});
after(async () => {
  await region.stop();
  rmSync(root, { recursive: true, force: true });
});

const bytesBelow = (folder: string): number =>
  globSync('**/*', { cwd: folder }).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cumulet(args);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

const datacenter = { properties: { name: 'one', location: 'de/txl' } };

suite('reset', () => {
  async function fill(): Promise<void> {
    await createDone(region, '/cloudapi/v6/datacenters', datacenter);
    await createDone(region, '/cloudapi/v6/ipblocks', { properties: { location: 'de/txl', size: 2 } });
    const { status } = await region.call('POST', '/monitoring/pipelines', { properties: { name: 'shop' } });
    assert.equal(status, 202);
  }

  const sizes = async (): Promise<number[]> => {
    const paths = [
      '/cloudapi/v6/datacenters',
      '/cloudapi/v6/ipblocks',
      '/cloudapi/v6/requests',
      '/monitoring/pipelines',
    ];
    const lists = await Promise.all(paths.map((path) => region.call('GET', path)));
    return lists.map(({ body }) => body.items.length);
  };

  test('asks first', async () => {
    const { code, stderr } = await cumulet(['reset', '--data', region.data]);
    assert.equal(code, 2);
    assert.match(stderr, /except its accounts will be deleted\. Pass --yes to confirm/);
  });

  test('empties a running region, which continues at the same address with the same accounts', async () => {
    const group = await createDone(region, '/cloudapi/v6/um/groups', { properties: { name: 'g', reserveIp: true } });
    const added = JSON.parse(await good('user', 'add', '--email', 'bob@b.c', '--json', '--data', region.data)) as {
      id: string;
      password: string;
    };
    const member = await region.call('POST', `/cloudapi/v6/um/groups/${group.id}/users`, { id: added.id });
    assert.equal(member.status, 202);
    await fill();
    const before = region.url;
    assert.match(await good('reset', '--yes', '--data', region.data), /deleted \d+ rows/);
    const ready = JSON.parse(await good('status', '--json', '--data', region.data)) as Ready;
    assert.equal(ready.gateway, before);
    assert.deepEqual(await sizes(), [0, 0, 0, 0]);
    const { body } = await region.call('GET', '/cloudapi/v6/contracts');
    const limits = body.items[0]?.properties.resourceLimits as Record<string, number>;
    assert.equal(limits.reservedIpsOnContract, 0);
    const basic = { email: 'bob@b.c', password: added.password };
    const block = { properties: { location: 'de/txl', size: 1 } };
    assert.equal((await region.call('POST', '/cloudapi/v6/ipblocks', block, { basic })).status, 202);
    await fill();
    await region.restart();
    assert.deepEqual((await sizes()).slice(0, 2), [1, 2]);
  });

  test('empties a stopped one too', async () => {
    await region.halt('SIGTERM');
    const where = ['--data', region.data, ...(await stateFor(region.data))];
    const { removed } = JSON.parse(await good('reset', '--yes', '--json', ...where)) as { removed: number };
    assert.ok(removed > 0);
    await region.start();
    assert.deepEqual(await sizes(), [0, 0, 0, 0]);
  });

  test('empties buckets, whose names are free then, and keeps the keys', async () => {
    const { body } = await region.call('POST', '/objectstorage-management/accesskeys', { properties: {} });
    const { accessKey, secretKey } = body.properties as Record<string, string>;
    const managed = { accessKeyId: String(accessKey), secretAccessKey: String(secretKey) };
    const bucket = { Bucket: 'emptied-by-reset' };
    for (const key of [await makeStorageKey(region), managed]) {
      const s3 = s3Client(region, key);
      await s3.send(new CreateBucketCommand(bucket));
      assert.equal((await s3.send(new ListObjectsV2Command(bucket))).KeyCount, 0);
      await s3.send(new PutObjectCommand({ ...bucket, Key: 'a', Body: 'x'.repeat(100_000) }));
      await good('reset', '--yes', '--data', region.data);
      assert.ok(bytesBelow(join(region.data, 'objects')) < 100_000);
      s3.destroy();
    }
  });

  test('empties a region on PostgreSQL, running and stopped', async () => {
    const args = ['--state', await freshUrl()];
    await using there = await startRegion({ args });
    const filled = async (): Promise<number[]> => {
      const paths = ['/cloudapi/v6/datacenters', '/cloudapi/v6/requests', '/monitoring/pipelines'];
      const lists = await Promise.all(paths.map((path) => there.call('GET', path)));
      return lists.map(({ body }) => body.items.length);
    };
    for (const isRunning of [true, false]) {
      await createDone(there, '/cloudapi/v6/datacenters', datacenter);
      const pipeline = await addPipeline(there);
      assert.equal((await pipeline.push('sold 1\n', plainText)).status, 204);
      assert.ok((await filled()).every((count) => count > 0));
      if (!isRunning) await there.halt('SIGTERM');
      const output = await good('reset', '--yes', '--data', there.data, ...(isRunning ? [] : args));
      assert.match(output, /deleted \d+ rows, kept \d+ rows of its accounts\. Deleted its metrics\.\n$/);
      assert.ok(!existsSync(join(there.data, 'metrics/metrics.db')));
      if (!isRunning) await there.start();
      assert.deepEqual(await filled(), [0, 0, 0]);
    }
    const { code, stderr } = await cumulet(['reset', '--yes', '--data', there.data, ...args]);
    assert.equal(code, 2);
    assert.match(stderr, /A region runs on the data folder/);
  });

  test('removes metrics from an engine elsewhere, or says that they stay there', async (t) => {
    let deletes = true;
    const deleted: string[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/api/v1/admin/tsdb/delete_series' && deletes)
        request.setEncoding('utf8').on('data', (text: string) => deleted.push(text));
      request.resume().on('end', () => response.writeHead(deletes ? 204 : 405).end('not enabled'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const address = `127.0.0.1:${(server.address() as { port: number }).port}`;
    await using there = await startRegion({ args: ['--metrics', `prometheus+http://u:secret@${address}`] });
    const { id } = await addPipeline(there);
    const gone = await good('reset', '--yes', '--data', there.data);
    assert.match(gone, new RegExp(`Deleted its metrics at \\S+@${address}\\.`));
    assert.ok(deleted.join(' ').includes(id), 'the samples of the pipeline');
    await addPipeline(there);
    deletes = false;
    const left = await good('reset', '--yes', '--data', there.data);
    assert.match(left, new RegExp(`Its metrics at \\S+@${address} were not deleted: .*not enabled`));
    assert.doesNotMatch(gone + left, /secret/);
  });
});

suite('logs', () => {
  test('has the last requests, reads and refusals too, without their queries', async () => {
    await region.call('GET', '/cloudapi/v6/datacenters?depth=1&secret=x');
    await region.call('GET', '/cloudapi/v6/datacenters/none');
    const text = await good('logs', '--last', '2', '--data', region.data);
    assert.match(text, /^\S+ 200 GET {4}\/cloudapi\/v6\/datacenters \d+ ms .*contract \d+\n\S+ 404 GET/);
    assert.doesNotMatch(text, /secret/);
    const [line = ''] = (await good('logs', '--json', '--last', '1', '--data', region.data)).split('\n');
    assert.equal((JSON.parse(line) as { status: number }).status, 404);
  });

  test('follows them until the region ends', async () => {
    await using other = await startRegion();
    const child = launch(['logs', '-f', '--last', '0', '--data', other.data], {});
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const callAndRead = async (): Promise<string> => {
      await other.call('GET', '/cloudapi/v6/locations');
      return text;
    };
    await until('a call is followed', callAndRead, (followed) => followed.includes('/cloudapi/v6/locations'));
    await other.halt('SIGTERM');
    assert.ok(await endsWithin(child, 10_000));
    assert.equal(child.exitCode, 0);
  });
});

test('completion is a script that its shell takes', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await good('completion', shell);
    assert.match(script, /backup/);
    if (shell !== 'bash') continue;
    const line = 'COMP_WORDS=(cumulet state b) COMP_CWORD=2; _cumulet; echo "$COMPREPLY"';
    const option = 'COMP_WORDS=(cumulet state backup --fo) COMP_CWORD=3; _cumulet; echo "$COMPREPLY"';
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${line}\n${option}`], { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.equal(stdout, 'backup\n--force\n');
  }
});

test('the lab sends traffic and loads machines', async () => {
  const { id } = await createDone(region, '/cloudapi/v6/datacenters', datacenter);
  const at = `/cloudapi/v6/datacenters/${id}`;
  const server = await createDone(region, `${at}/servers`, { properties: { name: 's', cores: 1, ram: 1024 } });
  const set = await good('lab', 'load', server.id, '--cpu', '80', '--data', region.data);
  assert.match(set, /cpuPercent +80/);
  const look = JSON.parse(await good('lab', 'load', server.id, '--json', '--data', region.data)) as {
    load: { cpuPercent: number };
  };
  assert.equal(look.load.cpuPercent, 80);
  const lan = await createDone(region, `${at}/lans`, { properties: { public: false } });
  const nic = async (ip: string, of: string): Promise<string> =>
    (await createDone(region, `${at}/servers/${of}/nics`, { properties: { lan: Number(lan.id), ips: [ip] } })).id;
  const other = await createDone(region, `${at}/servers`, { properties: { name: 't', cores: 1, ram: 1024 } });
  const from = await nic('10.7.0.10', server.id);
  await nic('10.7.0.11', other.id);
  const sent = ['lab', 'traffic', '--from', from, '--data', region.data, '--to'];
  assert.match(await good(...sent, '10.7.0.11:22'), /ACCEPTED at nic 10\.7\.0\.11 port 22/);
  const lost = await cumulet([...sent, '10.7.0.99:22']);
  assert.match(lost.stdout, /^REJECTED: /m);
  assert.equal(lost.code, 1);
});

test('CUMULET_DATA names the data folder, and --data wins over it', async () => {
  const env = { CUMULET_DATA: region.data };
  const { code, stdout } = await cumulet(['status', '--json'], { env });
  assert.equal(code, 0);
  assert.equal((JSON.parse(stdout) as Ready).data, region.data);
  assert.equal((await cumulet(['status', '--data', root], { env })).code, 2);
});

test('up --detach on a region that runs says where it is, and status where the password is', async () => {
  const data = join(root, 'twice');
  const up = ['up', '--detach', '--port', '0', '--data', data];
  const first = JSON.parse(await good(...up, '--json')) as Ready;
  try {
    const second = JSON.parse(await good(...up, '--json')) as Ready;
    assert.equal(second.gateway, first.gateway);
    assert.equal(second.owner, undefined);
    assert.match(await good(...up), new RegExp(`was already up, pid ${first.pid}`));
    assert.match(
      await good('status', '--data', data),
      /Owner +owner@cumulet\.local,[\s\S]*? in\s+\S*twice\/owner\.json/,
    );
  } finally {
    await good('down', '--data', data);
  }
  assert.match(await good('status', '--data', region.data), /Owner +[\s\S]*?CUMULET_OWNER_PASSWORD/);
});

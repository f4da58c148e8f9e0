// Untrusted seeds: values that lead to other paths.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { expect } from '../sweep/api.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-hostile-seed-'));
const folder = join(root, 'seeds');
const seed = join(folder, 'seed.yaml');

suite('hostile seeds', () => {
  let region: Region;

  before(async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    mkdirSync(join(root, 'private'));
    writeFileSync(join(root, 'private/key'), 'secret');
    region = await startRegion();
  });

  after(async () => {
    await region.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const refused = async (what: string, text: string, pattern: RegExp): Promise<void> => {
    writeFileSync(seed, text);
    const { code, stderr } = await cumulet(['seed', seed, '--data', region.data]);
    assert.equal(code, 2, `${what}: ${stderr.slice(0, 500)}`);
    assert.match(stderr, pattern, what);
    assert.ok(stderr.length < 20_000, `${what}: ${stderr.length} characters`);
    const { body } = await expect(region.call('GET', `${core}/datacenters`), 200);
    assert.deepEqual(body.items, [], what);
  };

  test('keys of prototypes are not properties', async () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      await refused(key, `datacenters: [{ name: a, location: de/txl, ${key}: { x: 1 } }]`, /a datacenter has no /);
      await refused(key, `${key}: [{ name: a }]`, /unknown section/);
      await refused(key, `buckets: [{ name: abc, ${key}: x }]`, /a bucket in a seed has no/);
      const reference = `datacenters: [{ name: a, location: de/txl, description: "\${locations.de/txl.${key}}" }]`;
      await refused(`reference to ${key}`, reference, /seed\.yaml:1: /);
    }
  });

  test('files of a bucket are in the folder of the seed', async () => {
    symlinkSync(join(root, 'private'), join(folder, 'link'));
    symlinkSync(join(root, 'private/key'), join(folder, 'assets/key'));
    for (const files of ['../private', join(root, 'private'), '/etc', '..', 'assets/../../private', 'link', './link/.'])
      await refused(
        files,
        `buckets: [{ name: abc, files: "${files}" }]`,
        /is not in the folder of the seed\. Copy it there/,
      );
    await refused(
      'a link to a file',
      'buckets: [{ name: abc, files: assets }]',
      /assets.key is not in the folder of the seed/,
    );
    rmSync(join(folder, 'assets/key'));
    writeFileSync(join(folder, 'assets/sparse'), '');
    truncateSync(join(folder, 'assets/sparse'), 2 ** 40);
    await refused('a file of 1 TB', 'buckets: [{ name: abc, files: assets }]', /assets.sparse has more than 256 MB/);
  });

  test('names of buckets, keys and regions lead to no other host or bucket', async (t) => {
    const requests: string[] = [];
    const otherServer = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => otherServer.close());
    await new Promise((resolve) => otherServer.once('listening', resolve));
    const { port } = otherServer.address() as AddressInfo;
    for (const name of [
      `/127.0.0.1:${port}/x`,
      `\\\\127.0.0.1:${port}\\x`,
      '..',
      '../abc',
      'abc?policy',
      'abc/x',
      'abc#x',
      '',
      `@127.0.0.1:${port}`,
    ])
      await refused(
        name,
        `buckets:\n  - name: ${JSON.stringify(name)}\n`,
        /seed\.yaml:2: its name is not a valid bucket name/,
      );
    for (const key of ['../other/x', 'a/../../other/x', '..', '.', 'a/./b', ''])
      await refused(
        key,
        `buckets:\n  - name: abc\n    objects: [{ key: "${key}", content: x }]`,
        /seed\.yaml:3: a key must not be empty, nor have a part \. or \.\./,
      );
    for (const region of ['</LocationConstraint>', '../x', `//127.0.0.1:${port}`])
      await refused(
        region,
        `buckets: [{ name: abc, region: "${region}" }]`,
        /its region must be the name of a region|seed\.yaml/,
      );
    for (const region of ['../../cloudapi', `/127.0.0.1:${port}`, '__proto__'])
      await refused(region, `pipelines: [{ name: abc, region: "${region}" }]`, /unknown region/);
    assert.deepEqual(requests, []);
  });
});

// `wait`, and the files for CI and containers that use it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { cumulet } from '../harness/process.ts';
import { startRegion } from '../harness/region.ts';

const root = join(import.meta.dirname, '../..');

test('wait ends with 0 when the region is ready, with 3 when the time is over', async () => {
  await using region = await startRegion();
  const here = await cumulet(['wait', '--data', region.data]);
  assert.deepEqual([here.code, here.stdout], [0, `The region is ready at ${region.url}.\n`]);
  const there = await cumulet(['wait', '--url', `${region.url}/`, '--json']);
  assert.deepEqual(JSON.parse(there.stdout), { ready: true, gateway: region.url });
  await region.halt('SIGTERM');
  const late = await cumulet(['wait', '--data', region.data, '--timeout', '0s']);
  assert.equal(late.code, 3);
  assert.match(late.stderr, /is not ready after 0 s: No region runs on the data folder/);
  for (const wrong of [
    ['--url', 'localhost:7070'],
    ['--timeout', 'soon'],
    ['--url', 'x'],
  ]) {
    const { code, stderr } = await cumulet(['wait', ...wrong]);
    assert.equal(code, 2, stderr);
  }
});

test('wait ends in time where something listens and never answers', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const late = await cumulet(['wait', '--url', `http://127.0.0.1:${port}`, '--timeout', '1s', '--json']);
  assert.equal(late.code, 3, late.stderr);
  assert.deepEqual(JSON.parse(late.stdout), { ready: false, message: 'it does not answer.' });
});

test('the files for CI and containers are well-formed, and name commands and ports that there are', async () => {
  const { stdout } = await cumulet(['--help']);
  for (const file of [
    'action.yml',
    'kit/ci/gitlab.yml',
    'kit/container/compose.yaml',
    'kit/container/compose-machines.yaml',
    'kit/container/kubernetes.yaml',
  ]) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const document of parseAllDocuments(text, { merge: true })) assert.deepEqual(document.errors, [], file);
    for (const [, command = ''] of text.matchAll(/^\s*(?:- )?cumulet (\w+)/gm))
      assert.match(stdout, new RegExp(`^  +${command} `, 'm'), `${file}: ${command}`);
  }
  const image = readFileSync(join(root, 'kit/container/Containerfile'), 'utf8');
  assert.match(image, /^USER node$/m);
  assert.match(image, /^HEALTHCHECK /m);
});

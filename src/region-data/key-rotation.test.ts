// kill -9 at each step of a rotation of the region's key, in both engines: the next start opens the secrets, and the
// rotation can be repeated.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSecrets } from '../core/region-secrets.ts';
import { openState } from '../core/state/open.ts';
import { Store } from '../core/store.ts';
import { freshUrl } from '../testing/postgres.ts';
import { rotateKey } from './key-rotation.ts';

const steps = ['Checking', 'Copying', 'Writing the new key', 'Sealing', 'a page', 'Replacing the key'];
const secrets = ['first', 'second', 'third'];
const now = (): number => 1;

async function openedSecrets(address: string, key: string): Promise<string[]> {
  const engine = await openState(address, now);
  try {
    const opened = await openSecrets(new Store(engine), key);
    return await Promise.all(secrets.map((id) => opened.kept(id, () => `secret ${id}`)));
  } finally {
    await engine.close();
  }
}

const href = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

// Rotates, and kills itself at the step.
const script = (address: string, key: string, step: string): string => `
  const { openState } = await import(${href('../core/state/open.ts')});
  const { rotateKey } = await import(${href('./key-rotation.ts')});
  const state = await openState(${JSON.stringify(address)}, () => 1);
  let isSealing = false;
  const die = (at) => at === ${JSON.stringify(step)} && process.kill(process.pid, 'SIGKILL');
  const begin = (doing) => { isSealing = doing === 'Sealing'; die(doing); };
  const page = () => isSealing && die('a page');
  await rotateKey(state, ${JSON.stringify({ key, isDryRun: false })}, { begin, page });
`;

const engines: Record<string, (folder: string) => Promise<string>> = {
  sqlite: async (folder) => `sqlite:${folder}`,
  postgres: () => freshUrl(),
};

for (const [name, addressFor] of Object.entries(engines))
  test(`${name}: a rotation of the key that is killed at any step loses no secret`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'rotation-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const address = await addressFor(folder);
    const key = join(folder, 'region.key');
    const expected = await openedSecrets(address, key);
    for (const step of steps) {
      const text = readFileSync(key, 'utf8');
      const child = spawn(process.execPath, ['--input-type=module', '-e', script(address, key, step)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      assert.equal((await once(child, 'close'))[1], 'SIGKILL', step);
      assert.deepEqual(await openedSecrets(address, key), expected, step);
      const isSealed = step === 'Replacing the key';
      assert.equal(readFileSync(key, 'utf8') !== text, isSealed, `${step}: the start takes the right key`);
    }
    const before = readFileSync(key, 'utf8');
    const engine = await openState(address, now);
    const run = (isDryRun: boolean) =>
      rotateKey(engine, { key, to: undefined, isDryRun }, { begin: () => {}, page: () => {} });
    assert.deepEqual(await run(true), { outcome: 'checked', secrets: 3, key, old: undefined });
    assert.equal(readFileSync(key, 'utf8'), before);
    const { outcome, old = '' } = await run(false);
    await engine.close();
    assert.equal(outcome, 'rotated');
    assert.equal(readFileSync(old, 'utf8'), before);
    assert.deepEqual(await openedSecrets(address, key), expected);
    assert.ok(!existsSync(`${key}.next`));
    assert.deepEqual(
      readdirSync(folder).filter((file) => file.startsWith('key-rotation')),
      [],
    );
    await assert.rejects(openedSecrets(address, old), /is not the key of this state/);
  });

// kill -9 amid a dump and amid a load, in both engines: the state is as it was, and nothing is left lying about.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { freshUrl } from '../../../testing/postgres.ts';
import { put, row } from '../contract/samples.ts';
import { openState } from '../open.ts';
import { countsOf } from './dump.ts';

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

// Loads pages without end, and says so after enough of them.
const loader = (address: string): string => `
  const { openState } = await import(${JSON.stringify(new URL('../open.ts', import.meta.url).href)});
  const state = await openState(${JSON.stringify(address)}, () => 1);
  async function* pages() {
    for (let page = 0; ; page++) {
      const rows = Array.from({ length: 500 }, (_, at) => {
        const id = String(page * 500 + at).padStart(12, '0');
        return [1, 'new', id, '', '', 1, 1, '', '', 'x'.repeat(500), ''];
      });
      yield { table: 'resource', rows };
      if (page === 40) process.stdout.write('enough');
    }
  }
  await state.load(pages(), true);
`;

async function killedAmid(script: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  child.stdout.on('data', () => child.kill('SIGKILL'));
  child.on('close', () => resolve());
  await promise;
  assert.equal(child.signalCode, 'SIGKILL');
}

const engines: Record<string, (t: TestContext) => Promise<string>> = {
  sqlite: async (t) => `sqlite:${await folderFor(t)}`,
  postgres: () => freshUrl(),
};

for (const [name, addressFor] of Object.entries(engines)) {
  it(`${name}: kill -9 during a load leaves the previous state`, async (t) => {
    const address = await addressFor(t);
    const before = await openState(address, () => 1);
    await put(before, 'resource', row(1, 'old', 'a'), row(1, 'old', 'b'));
    await before.close();
    await killedAmid(loader(address));
    const after = await openState(address, () => 1);
    t.after(() => after.close());
    const { resource } = await countsOf(after.dump());
    assert.equal(resource, 2);
    await put(after, 'resource', row(1, 'old', 'c'));
  });
}

it('sqlite: the next start removes the rest of a copy after a crash, and a dump leaves nothing', async (t) => {
  const folder = await folderFor(t);
  const left = ['state.db.copy-1', 'state.db.copy-1-journal'].map((name) => join(folder, name));
  for (const file of left) writeFileSync(file, 'half a copy');
  const state = await openState(`sqlite:${folder}`, () => 1);
  t.after(() => state.close());
  for (const file of left) assert.ok(!existsSync(file), file);
  await put(state, 'resource', row(1, 'p', 'a'));
  for await (const _ of state.dump()) {
    const others = readdirSync(folder).filter((file) => !/^state\.db(-wal|-shm)?$/.test(file));
    assert.deepEqual(others, [], 'not even while its pages are read');
  }
});

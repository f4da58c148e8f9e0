// The moved clock, wherever the command line shows it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cumulet } from '../harness/process.ts';
import { type Ready, startRegion } from '../harness/region.ts';
import { openShell } from '../harness/shell.ts';

const dayMs = 86_400_000;

suite('a clock that was moved', () => {
  test('is reported at the next start, on the screen and as JSON, and only then', async (t) => {
    await using region = await startRegion();
    const first = region.ready as Ready & { clock: { now: string; offsetMs: number } };
    assert.equal(first.clock.offsetMs, 0);
    const { data } = region;
    assert.equal((await cumulet(['lab', 'clock', '--advance', '3660d', '--data', data])).code, 0, 'the most there is');
    await region.restart();
    const again = region.ready as typeof first;
    assert.equal(again.clock.offsetMs, 3660 * dayMs);
    assert.ok(Date.parse(again.clock.now) - Date.parse(first.clock.now) >= 3660 * dayMs);
    const fault = '{"kind":"ipblock","step":"create.*","mode":"fail"}';
    assert.equal((await cumulet(['lab', 'faults', '--plant', fault, '--data', data])).code, 0);
    await region.halt('SIGTERM');
    t.after(() => cumulet(['down', '--data', data]));
    const up = await cumulet(['up', '--detach', '--port', '0', '--data', data]);
    assert.match(up.stdout, /^ +Clock +\d{4}-\S+Z: the lab moved it 3660 d 0 h ahead of the machine's clock$/m);
    assert.match(up.stdout, /^ +Faults +1 planted by the lab: \S+ lab faults --data \S+$/m, 'those stay too');
    const down = await cumulet(['down', '--data', data]);
    assert.equal(down.code, 0, down.stderr);
  });

  test('returns to the time of the machine with reset, and tokens of the later time stay valid', async () => {
    await using region = await startRegion();
    const { data } = region;
    for (const isRunning of [true, false]) {
      assert.equal((await cumulet(['lab', 'clock', '--advance', '365d', '--data', data])).code, 0);
      const { stdout } = await cumulet(['token', 'generate', '--data', data]);
      if (!isRunning) await region.halt('SIGTERM');
      const { code, stderr } = await cumulet(['reset', '--yes', '--data', data]);
      assert.equal(code, 0, stderr);
      if (!isRunning) await region.start();
      const headers = { authorization: `Bearer ${stdout.trim()}` };
      const { status, body } = await region.call<{ offsetMs: number }>('GET', '/lab/clock', undefined, { headers });
      assert.deepEqual([status, body.offsetMs], [200, 0]);
    }
  });

  test('says so when the token of env has expired by it, until env has a new one', async () => {
    await using region = await startRegion();
    using shell = openShell();
    const clock = async (options: string): Promise<string> => {
      const { code, stdout, stderr } = await shell.run(`cumulet lab clock ${options} --data '${region.data}'`);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    assert.doesNotMatch(await clock('--advance 1d'), /env/, 'none was made yet');
    const env = `eval "$(cumulet env --data '${region.data}')"`;
    assert.equal((await shell.run(env)).code, 0);
    assert.doesNotMatch(await clock('--advance 29d'), /env/);
    const hint = /\nThe token of env has expired\. Run eval "\$\(cumulet env --data \S+\)" again, .*\n$/;
    assert.match(await clock('--advance 1d'), hint);
    assert.doesNotMatch(await clock(''), /env/);
    JSON.parse(await clock('--advance 1d --json'));
    assert.equal((await shell.run(env)).code, 0);
    assert.doesNotMatch(await clock('--advance 1d'), /env/);
  });
});

test('status says the same start at each call', async () => {
  await using region = await startRegion();
  const startedAt = async (): Promise<string> => {
    const { stdout } = await cumulet(['status', '--json', '--data', region.data]);
    return (JSON.parse(stdout) as { startedAt: string }).startedAt;
  };
  const first = await startedAt();
  for (let call = 0; call < 3; call++) assert.equal(await startedAt(), first);
});

// A test run that is killed leaves no process behind.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bound } from '../../src/testing/bound.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { isRunning } from './process.ts';

const { CUMULET_TEST_TIMES, NODE_TEST_CONTEXT, ...env } = process.env;

test('the kill of the test runner ends its test processes, their regions, and detached regions', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-interrupted-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [file, pids, data] = [join(folder, 'waits.test.ts'), join(folder, 'pids'), join(folder, 'data')];
  writeFileSync(
    file,
    `import { readFileSync, renameSync, writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    import { cumulet } from '${join(import.meta.dirname, 'process.ts')}';
    import { startRegion } from '${join(import.meta.dirname, 'region.ts')}';
    test('waits', async () => {
      const region = await startRegion({ data: '${join(folder, 'region')}' });
      await cumulet(['up', '--detach', '--port', '0', '--data', '${data}']);
      const detached = Number(readFileSync('${data}/pid', 'utf8'));
      writeFileSync('${pids}.new', [process.pid, region.pid, detached].join());
      renameSync('${pids}.new', '${pids}');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });`,
  );
  const args = ['--import', join(import.meta.dirname, '../preload.ts'), '--test', file];
  const runner = spawn(...bound(process.execPath, args), { env, stdio: 'ignore' });
  await until('the regions have started', () => existsSync(pids), undefined, { limitMs: limits.regionStart });
  const started = readFileSync(pids, 'utf8').split(',').map(Number);
  runner.kill('SIGKILL');
  await until(
    'no process is left',
    () => started.filter(isRunning),
    (left) => left.length === 0,
  );
});

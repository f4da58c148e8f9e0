// Processes that outlive ours are identified by id and start time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../../testing/waiting.ts';
import { testFolder } from '../../../broker/log/testing.ts';
import { end, findRunning, isRunning, savedHandle, saveHandle, startDetached } from './process.ts';

test('a process is found again by its handle, and another process with its id is not mistaken for it', async (t) => {
  const folder = testFolder(t);
  const output = join(folder, 'output');
  const script = 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)';
  const handle = startDetached([process.execPath, '-e', script], output, folder);
  t.after(() => end(handle, 0));
  saveHandle(join(folder, 'handle'), handle);
  const found = savedHandle(join(folder, 'handle'));
  assert.deepEqual(found, handle);
  assert.ok(isRunning(handle));
  assert.ok(!isRunning({ ...handle, startTicks: `${Number(handle.startTicks) + 1}` }));
  assert.ok(!isRunning({ ...handle, boot: 'another start of the machine' }));
  await until('the process writes', () => readFileSync(output, 'utf8').includes('up'));
  await end(handle, 100); // it ignores the first signal
  assert.ok(!isRunning(handle));
  await end(handle, 0);
});

test('a missing program results in a process that is not running', (t) => {
  const folder = testFolder(t);
  assert.ok(!isRunning(startDetached(['cumulet-has-no-such-program'], join(folder, 'output'), folder)));
  assert.equal(savedHandle(join(folder, 'handle')), undefined);
});

test('a process whose handle was not saved is found by the end of its command', async (t) => {
  const folder = testFolder(t);
  const words = ['a server', join(folder, 'its own file')];
  assert.equal(findRunning(words), undefined);
  const script = 'setInterval(() => {}, 1000)';
  const handle = startDetached([process.execPath, '-e', script, ...words], join(folder, 'output'), folder);
  t.after(() => end(handle, 0));
  // Until the program is executed, the process has the command of its parent.
  assert.deepEqual(await until('the process is found', () => findRunning(words)), handle);
  assert.equal(findRunning(words.slice(0, 1)), undefined);
  assert.equal(findRunning([...words, 'more']), undefined);
  await end(handle, 0);
  assert.equal(findRunning(words), undefined);
});

// Loaded into each test process by test/suite.ts: records where its time went, and prints what helps to understand a
// failure.
import { appendFileSync, fstatSync } from 'node:fs';
import type { Socket } from 'node:net';
import { relative } from 'node:path';
import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { limits } from '../src/testing/limits.ts';
import { childrenMs } from './times.ts';

// What one test process used, in milliseconds of the clock (`wall`, `starts`, `waits`) and of the processor.
export interface FileTimes {
  file: string;
  wall: number;
  own: number; // the test process itself
  children: number; // regions, browsers and clients that it started
  starts: number; // waiting for regions to start
  regions: number; // started
  waits: number; // waiting with `until`
}

const target = process.env.CUMULET_TEST_TIMES;
const file = relative(process.cwd(), process.argv[1] ?? '');

afterEach((t) => {
  const { passed, fullName, filePath } = t as TestContext & { passed: boolean; filePath?: string };
  if (passed) return;
  process.emit('testFailed' as 'exit', 0); // regions print the end of their logs
  process.stderr.write(
    `\n${fullName} failed. Repeat it: ./cumulet test ${filePath ? relative(process.cwd(), filePath) : file}\n`,
  );
});

// A client library may leave a timer or a connection open that keeps the process alive after the last test. The process
// ends all the same, and prints what was left. Before the last test, a hook or an import hangs: then the file fails.
let running = 0;
let idleSince = performance.now();
let isOver = false;
after(() => {
  isOver = true;
});
beforeEach(() => {
  running++;
});
afterEach(() => {
  running--;
  idleSince = performance.now();
});
setInterval(() => {
  if (running > 0 || performance.now() - idleSince < limits.idleProcess) return;
  const open = process.getActiveResourcesInfo().join(', ');
  const when = isOver ? 'after its last test' : 'before its tests were over';
  process.stderr.write(`${file} is ended ${when}; it was waiting for ${open}\n`);
  process.exit(isOver ? 0 : 1);
}, 1000).unref();

// The runner holds the other end of standard input. When the runner ends, however it does, so does this process.
if (isMainThread && process.env.NODE_TEST_CONTEXT && fstatSync(0).isSocket()) {
  process.stdin.on('end', () => process.exit(1)).resume();
  (process.stdin as Socket).unref();
}

if (target)
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const sum = (name: string): number =>
      performance.getEntriesByName(name).reduce((all, { duration }) => all + duration, 0);
    const times: FileTimes = {
      file,
      wall: performance.now(),
      own: (user + system) / 1000,
      children: childrenMs(),
      starts: sum('region start'),
      regions: performance.getEntriesByName('region start').length,
      waits: sum('waiting'),
    };
    appendFileSync(target, `${JSON.stringify(times)}\n`);
  });

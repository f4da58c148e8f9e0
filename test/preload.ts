// Loaded into each test process by test/run.ts: records where its time went, and prints what helps to understand a
// failure.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterEach, type TestContext } from 'node:test';
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

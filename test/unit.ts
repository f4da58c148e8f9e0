// Runs unit tests in this one process, one file after the other: `node test/unit.ts FILE…`. Its parent gets the counts.
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { limits } from '../src/testing/limits.ts';
import { type Duration, noteDurations } from './times.ts';

const events = run({ files: process.argv.slice(2), isolation: 'none', timeout: limits.test });
const durations: Duration[] = [];
noteDurations(events, durations);
events.on('test:summary', ({ file, counts, success }) => {
  if (file === undefined) process.send?.({ counts, success, durations });
});
for await (const text of events.compose(new spec())) process.stdout.write(text as string);
process.exit(); // a test that leaves a handle open must not keep the run waiting

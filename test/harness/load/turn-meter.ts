// Loaded into a region before its own code (`node --import`): measures how long its main thread works without a pause.
// Each connection to the socket in CUMULET_TURN_METER gets the longest run since the connection before, as JSON.
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const socket = process.env.CUMULET_TURN_METER;
if (isMainThread && socket !== undefined) measure(socket);

// A timer of 1 ms fires in the first pause after each millisecond. So the CPU time between two firings is one
// uninterrupted run, plus at most a millisecond of shorter ones.
function measure(path: string): void {
  let [longest, last] = [0, process.threadCpuUsage()];
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longest = Math.max(longest, user + system);
  }, 1).unref();
  createServer((connection) => {
    connection.on('error', () => undefined).end(JSON.stringify({ longestMs: longest / 1000 }));
    longest = 0;
  })
    .listen(path)
    .unref();
}

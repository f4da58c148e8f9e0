// Measures how long a thread works without a pause. Loaded into a region before its own code (`node --import`), it
// measures the main thread. A client that sends `begin` to the socket in CUMULET_TURN_METER begins a measurement, and
// `end` returns its longest turn as JSON.
import assert from 'node:assert/strict';
import { createRequire, findSourceMap } from 'node:module';
import { createServer } from 'node:net';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextRound } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { collectOnce } from './garbage.ts';

export interface LongestTurn {
  ms: number; // CPU time, without the garbage collector
  collectorMs: number; // time of the clock
}

export interface Meter {
  begin(): unknown;
  end(): Promise<LongestTurn>; // since `begin`
}

// Work without a pause.
interface Turn {
  from: number;
  to: number;
  cpuMs: number;
}

const require = createRequire(import.meta.url);
const shortMs = 2; // shorter turns are not stored
const limitMs = 50;
const mostRuns = 5;

// Fails if the work blocks its thread for longer than the limit. The same work takes the same processor time whenever
// it is done; a host that interrupts a virtual machine only adds to it, and the machine cannot see by how much: a loop
// of 10 ms is measured with up to 77 ms. So the shortest of several runs is the measurement.
export async function assertShortTurns(what: string, work: () => Promise<unknown>, meter: Meter): Promise<void> {
  const runs: LongestTurn[] = [];
  while (runs.length < mostRuns) {
    await meter.begin();
    await work();
    const longest = await meter.end();
    if (longest.ms <= limitMs) return;
    runs.push(longest);
  }
  const measured = runs.map(({ ms, collectorMs }) => `${Math.round(ms)} (and ${Math.round(collectorMs)})`).join(', ');
  assert.fail(
    `${what} blocks the thread for ${measured} ms of processor time (and of the collector) in ${mostRuns} runs; ` +
      `the limit is ${limitMs} ms`,
  );
}

export class TurnMeter {
  #turns: Turn[] = [];
  #last = process.threadCpuUsage(); // when the current turn started
  #from = performance.now();
  #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#collections.push(...list.getEntries()));

  // A timer of 1 ms fires in the first pause after each millisecond. So the CPU time between two firings is one turn,
  // plus at most a millisecond of shorter ones.
  constructor() {
    setFlagsFromString('--no-incremental-marking'); // so that all work of the garbage collector is in its pauses
    this.#observer.observe({ entryTypes: ['gc'] });
    setInterval(() => {
      const { user, system } = process.threadCpuUsage(this.#last);
      const turn = { from: this.#from, to: performance.now(), cpuMs: (user + system) / 1000 };
      if (turn.cpuMs > shortMs) this.#turns.push(turn);
      this.#startTurn();
    }, 1).unref();
  }

  #startTurn(): void {
    [this.#last, this.#from] = [process.threadCpuUsage(), performance.now()];
  }

  // Collects garbage first, so that only the measured work is a reason to collect more. Node parses the program's
  // source map for the first stack of an error, once in the life of a process: that happens before, too.
  begin(): void {
    for (const file of Object.keys(require.cache)) findSourceMap(file);
    collectOnce();
    [this.#turns, this.#collections] = [[], []];
    this.#startTurn(); // the work above does not count
  }

  // The longest turn since `begin`.
  async end(): Promise<LongestTurn> {
    await nextRound(); // Node reports a collection in the round after it
    await nextRound();
    this.#collections.push(...this.#observer.takeRecords());
    let longest: LongestTurn = { ms: 0, collectorMs: 0 };
    for (const turn of this.#turns) {
      const collectorMs = this.#collectorMs(turn);
      const ms = Math.max(0, turn.cpuMs - collectorMs);
      if (ms > longest.ms) longest = { ms, collectorMs };
    }
    return longest;
  }

  // The garbage collector works for all turns before, in whichever turn it is due. Node reports its pauses in time of
  // the clock: on a busy machine that is more than their CPU time, never less.
  #collectorMs({ from, to }: Turn): number {
    const inside = this.#collections.map(
      ({ startTime, duration }) => Math.min(to, startTime + duration) - Math.max(from, startTime),
    );
    return inside.reduce((sum, ms) => sum + Math.max(0, ms), 0);
  }
}

const socket = process.env.CUMULET_TURN_METER;
if (isMainThread && socket !== undefined) {
  const meter = new TurnMeter();
  createServer((connection) => {
    connection.on('error', () => undefined);
    connection.once('data', async (message: Buffer) => {
      if (String(message) === 'begin') meter.begin();
      connection.end(JSON.stringify(await meter.end()));
    });
  })
    .listen(socket)
    .unref();
}

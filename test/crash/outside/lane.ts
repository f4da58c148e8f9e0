// A lane of the proof by killing: one client that writes to one product without a pause, a unique id each time. It
// remembers what became of each write: acknowledged, or unknown because the answer was missing or an error. An unknown
// write is never repeated.
import { pause } from '../../../src/testing/waiting.ts';
import type { Part } from '../../harness/outside/set.ts';
import type { Answer } from '../../harness/region.ts';

export interface LaneWork {
  name: string;
  needs: readonly Part[]; // the engines without which it may be refused, in addition to the state
  everyMs: number; // between two writes
  isHttp?: false; // the client uses another protocol, so that a refusal has no status
  write(id: string): Promise<Answer<unknown> | undefined>; // undefined: acknowledged without an answer of HTTP
  stored?(): Promise<string[]>; // the ids that are stored; an id once for each time. Absent: the lane only reads
}

export interface Attempt {
  id: string;
  at: number; // ms since the start of the run
  tookMs: number;
  status: number; // 0: no answer
  isAcknowledged: boolean;
  isOwn: boolean; // the answer comes from a node, not from the balancer
  detail: string;
}

export interface Tally {
  acknowledged: number;
  unknown: number;
  kept: number; // the unknown ones that are stored
  lost: string[];
  doubled: string[];
}

// A failure that a lane reports as an answer of HTTP.
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class Lane {
  readonly work: LaneWork;
  readonly attempts: Attempt[] = [];
  #isOver = false;
  #running: Promise<void> = Promise.resolve();
  #count = 0;
  #startedAt: number;

  constructor(work: LaneWork, startedAt: number) {
    this.work = work;
    this.#startedAt = startedAt;
  }

  start(): void {
    this.#running = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // not a wait: it writes
    while (!this.#isOver) {
      await this.#attempt(`${this.work.name.replaceAll(/\W/g, '').toLowerCase()}-${this.#count++}x`);
      await pause(this.work.everyMs);
    }
  }

  async #attempt(id: string): Promise<void> {
    const at = this.#now();
    const done = (status: number, isAcknowledged: boolean, isOwn: boolean, detail = ''): void => {
      this.attempts.push({ id, at, tookMs: this.#now() - at, status, isAcknowledged, isOwn, detail });
    };
    try {
      const answer = await this.work.write(id);
      const status = answer?.status ?? 200;
      const isOwn = answer === undefined || !/^<html>/.test(String(answer.body));
      done(status, status < 300, isOwn, status < 300 ? '' : JSON.stringify(answer?.body ?? '').slice(0, 300));
    } catch (error) {
      done(error instanceof Refused ? error.status : 0, false, true, String(error).slice(0, 300));
    }
  }

  #now = (): number => performance.now() - this.#startedAt;

  // The longest time without an acknowledgement in a part of the run.
  longestGap(from: number, to: number): number {
    const times = this.attempts.filter(({ isAcknowledged }) => isAcknowledged).map(({ at, tookMs }) => at + tookMs);
    const before = times.findLast((time) => time <= from) ?? from;
    const inside = times.filter((time) => time > from && time < to);
    const all = [Math.max(before, from - this.work.everyMs), ...inside, to];
    return Math.max(0, ...all.slice(1).map((time, at) => time - (all[at] ?? time))) - this.work.everyMs;
  }

  failures(from: number, to: number): Attempt[] {
    return this.attempts.filter(({ isAcknowledged, at, tookMs }) => {
      const end = at + tookMs;
      return !isAcknowledged && end > from && end <= to;
    });
  }

  hasAcknowledgedSince(at: number): boolean {
    return this.attempts.some((one) => one.isAcknowledged && one.at > at);
  }

  async tally(): Promise<Tally> {
    const acknowledged = this.attempts.filter(({ isAcknowledged }) => isAcknowledged).map(({ id }) => id);
    const unknown = this.attempts.length - acknowledged.length;
    const tally: Tally = { acknowledged: acknowledged.length, unknown, kept: 0, lost: [], doubled: [] };
    if (!this.work.stored) return tally;
    const counts = new Map<string, number>();
    for (const id of await this.work.stored()) counts.set(id, (counts.get(id) ?? 0) + 1);
    tally.lost = acknowledged.filter((id) => !counts.has(id));
    tally.doubled = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
    tally.kept = this.attempts.filter(({ id, isAcknowledged }) => !isAcknowledged && counts.has(id)).length;
    return tally;
  }
}

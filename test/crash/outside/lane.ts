// A lane of the proof by killing: one client that writes to one product without a pause, a unique id each time. It
// remembers what became of each write: acknowledged, or unknown because the answer was missing or an error. An unknown
// write is never repeated.
import { pause } from '../../../src/testing/waiting.ts';
import type { Part } from '../../harness/outside/set.ts';
import type { Answer, Region } from '../../harness/region.ts';

// Answers of HAProxy itself, by kit/container/haproxy.cfg.
const balancerReasons = /No node of the region can be reached|The node ended during the call|<html>/;

export interface LaneWork {
  name: string;
  needs: readonly Part[]; // the engines without which it may be refused, in addition to the state
  everyMs: number; // between two writes
  isHttp?: false; // the client uses another protocol, so that a refusal has no status
  // Undefined: acknowledged without an answer of HTTP. A lane that only reads can do so at a node.
  write(id: string, node?: Region): Promise<Answer<unknown> | undefined>;
  // The ids that are stored, as the balancer or this node shows them; an id once for each time. Absent: it only reads.
  stored?(node?: Region): Promise<string[]>;
  recorded?(): Promise<string[]>; // the ids with an entry in the activity log; an id once for each entry
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
  unrecorded: string[]; // acknowledged, without an entry in the activity log
  recordedTwice: string[];
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
      const isOwn = !balancerReasons.test(JSON.stringify(answer?.body ?? ''));
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

  acknowledged = (): string[] => this.attempts.filter(({ isAcknowledged }) => isAcknowledged).map(({ id }) => id);

  async tally(): Promise<Tally> {
    const acknowledged = this.acknowledged();
    const unknown = this.attempts.length - acknowledged.length;
    const stored = countsOf((await this.work.stored?.()) ?? acknowledged);
    const own = new Set(this.attempts.map(({ id }) => id));
    const recorded = countsOf((await this.work.recorded?.())?.filter((id) => own.has(id)) ?? acknowledged);
    return {
      acknowledged: acknowledged.length,
      unknown,
      kept: this.attempts.filter(({ id, isAcknowledged }) => !isAcknowledged && stored.has(id)).length,
      lost: acknowledged.filter((id) => !stored.has(id)),
      doubled: repeatedIn(stored),
      unrecorded: acknowledged.filter((id) => !recorded.has(id)),
      recordedTwice: repeatedIn(recorded),
    };
  }
}

function countsOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const repeatedIn = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].filter(([, count]) => count > 1).map(([id]) => id);

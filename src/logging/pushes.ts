// Pushes on their way to the engine: which streams they may name, and within which times lines are taken. Agents know
// nothing of the movable clock, so both clocks count.
import type { Clock } from '../base/clock.ts';
import type { LogPipeline } from './pipeline.ts';
import { mostPushedLines } from './push/line-collector.ts';
import type { LogPush, LogPushed } from './push/push.ts';
import type { LogStore } from './store.ts';
import type { LogStream } from './streams.ts';

const dayMs = 86_400_000;
const aheadMs = 10 * 60_000;
const nsPerMs = 1_000_000n;
const mostAheadNs = 1000n * nsPerMs;
const earliest = -(2n ** 62n);

export class Pushes {
  readonly #store: Pick<LogStore, 'push'>;
  readonly #clock: Clock;
  #lastNs = 0n;

  constructor(store: Pick<LogStore, 'push'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  push(
    pipeline: LogPipeline,
    protocol: LogStream['protocol'],
    sent: Pick<LogPush, 'format' | 'coding' | 'body' | 'tag'>,
  ): Promise<LogPushed> {
    const [early, late] = [this.#clock.now(), this.#clock.real()].sort((a, b) => a - b) as [number, number];
    const streams = pipeline.streams.filter((stream) => stream.protocol === protocol);
    return this.#store.push({
      ...sent,
      tenant: pipeline.id,
      receivedNs: this.#receivedNs(sent),
      newestNs: BigInt(Math.round(late + aheadMs)) * nsPerMs,
      streams: streams.map(({ tag, source, labels, retentionInDays }) => ({
        tag,
        source,
        labels,
        oldestNs: retentionInDays === 0 ? earliest : BigInt(Math.round(early - retentionInDays * dayMs)) * nsPerMs,
      })),
    });
  }

  // Lines without a time follow each other by a nanosecond. There are no more of them than bytes, where these are not
  // compressed. Very many pushes at once do not run ahead of the time.
  #receivedNs({ body, coding }: Pick<LogPush, 'body' | 'coding'>): bigint {
    const now = BigInt(Math.round(this.#clock.now())) * nsPerMs;
    const received = now > this.#lastNs ? now : this.#lastNs;
    const next = received + BigInt(coding === 'identity' ? body.length + 1 : mostPushedLines);
    const latest = now + mostAheadNs;
    this.#lastNs = next < latest ? next : latest;
    return received;
  }
}

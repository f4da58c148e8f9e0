// Prepares pushes for the engine: the streams that they may name, and the allowed times of lines. Agents do not know
// the movable clock, so both clocks count.
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
const nsPerSecond = 1_000_000_000;
const mostExpansion = 32; // maximum lines per compressed byte
const earliest = -(2n ** 62n);

export class Pushes {
  readonly #store: Pick<LogStore, 'push'>;
  readonly #clock: Clock;
  #lastNs = 0n;
  #sequence = 0;

  constructor(store: Pick<LogStore, 'push'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async push(
    pipeline: LogPipeline,
    protocol: LogStream['protocol'],
    sent: Pick<LogPush, 'format' | 'coding' | 'body' | 'tag'>,
  ): Promise<LogPushed> {
    const [early, late] = [this.#clock.now(), this.#clock.real()].sort((a, b) => a - b) as [number, number];
    const streams = pipeline.streams.filter((stream) => stream.protocol === protocol);
    const sequence = this.#reserve(sent);
    const reserved = this.#sequence;
    const pushed = await this.#store.push({
      ...sent,
      tenant: pipeline.id,
      receivedNs: this.#receivedNs(sent),
      sequence,
      newestNs: BigInt(Math.round(late + aheadMs)) * nsPerMs,
      streams: streams.map(({ tag, source, labels, retentionInDays }) => ({
        tag,
        source,
        labels,
        oldestNs: retentionInDays === 0 ? earliest : BigInt(Math.round(early - retentionInDays * dayMs)) * nsPerMs,
      })),
    });
    if (this.#sequence === reserved) this.#sequence = sequence + pushed.lines + pushed.dropped;
    return pushed;
  }

  // Each push has its own range of numbers, so that lines of one second keep the order of their pushes, whichever
  // threads decode them. Few numbers stay unused, so that they rarely restart.
  #reserve({ body, coding, format }: Pick<LogPush, 'body' | 'coding' | 'format'>): number {
    const isPlain = coding === 'identity' && format !== 'forward'; // entries of the forward protocol may be compressed
    const count = Math.min(mostPushedLines, isPlain ? body.length : body.length * mostExpansion) + 1;
    const first = this.#sequence + count > nsPerSecond ? 0 : this.#sequence;
    this.#sequence = first + count;
    return first;
  }

  // Lines without a time get consecutive nanoseconds. Uncompressed, there are no more of them than bytes. Very many
  // concurrent pushes do not run ahead of the clock.
  #receivedNs({ body, coding }: Pick<LogPush, 'body' | 'coding'>): bigint {
    const now = BigInt(Math.round(this.#clock.now())) * nsPerMs;
    const received = now > this.#lastNs ? now : this.#lastNs;
    const next = received + BigInt(coding === 'identity' ? body.length + 1 : mostPushedLines);
    const latest = now + mostAheadNs;
    this.#lastNs = next < latest ? next : latest;
    return received;
  }
}

// Collects the lines of one push by stream. Lines that would be pruned at once, lines from the future, and lines that
// are too long or have too much metadata are counted and dropped, with a few reasons. All tenants share the decoding
// thread, and a few kilobytes can expand to millions of empty lines, or to an attribute on each of many lines: such a
// push is refused before it is collected.
import { UnreadablePush } from '../../core/push/push-body.ts';
import type { AppendJob, Labels } from '../engine/engine.ts';
import { labelsKey } from '../engine/labels.ts';
import { mostLineBytes } from '../engine/packed-job.ts';
import type { DecodedPush, LogPush, TargetStream } from './push.ts';

interface Column {
  labels: Labels;
  times: bigint[];
  lines: string[];
  metadata: (Labels | undefined)[];
  hasMetadata: boolean;
}

const mostReasons = 3;
export const mostPushedLines = 500_000;
const mostMetadata = 64 * 1024; // characters of a line's metadata
const mostPushedMetadata = 32 * 1024 * 1024; // of all lines of a push
const pairOverhead = 8;
const mostValue = 1024; // characters of a label's value
const secondNs = 1_000_000_000n;

export class LineCollector {
  readonly #push: LogPush;
  readonly #columns = new Map<string, Column>();
  readonly #reasons = new Set<string>();
  #dropped = 0;
  #added = 0;
  #metadata = 0;
  #untimed = 0n;

  constructor(push: LogPush) {
    this.#push = push;
  }

  // `labels`: in addition to those of every stream.
  column(stream: TargetStream, labels: Labels): Column {
    const { tag, source } = stream;
    const whole = { ...labels, tag, source, pipeline: this.#push.tenant };
    const key = labelsKey(whole);
    const known = this.#columns.get(key);
    if (known) return known;
    const column: Column = { labels: whole, times: [], lines: [], metadata: [], hasMetadata: false };
    this.#columns.set(key, column);
    return column;
  }

  // Returns the time of the next line if the sender has only seconds: consecutive nanoseconds in the order of arrival,
  // so that equal lines of one second stay separate and in order.
  second(seconds: number): bigint {
    return BigInt(Math.trunc(seconds)) * secondNs + BigInt(this.#push.sequence + this.#added);
  }

  add(stream: TargetStream, column: Column, time: bigint | undefined, line: string, metadata?: Labels): void {
    checkLineCount(++this.#added);
    const carried = metadata ? sizeOf(metadata) : 0;
    this.#metadata += carried;
    if (this.#metadata > mostPushedMetadata)
      throw new UnreadablePush(`the lines of a push have more than ${mostPushedMetadata} characters of metadata`, true);
    const at = time ?? this.#push.receivedNs + this.#untimed++;
    if (at < stream.oldestNs) this.#drop(`a line of ${shownTime(at)} is older than the retention of ${stream.tag}`);
    else if (at > this.#push.newestNs) this.#drop(`a line of ${shownTime(at)} is in the future`);
    else if (isTooLong(line)) this.#drop(`a line is longer than ${mostLineBytes} bytes`);
    else if (carried > mostMetadata) this.#drop(`a line has more than ${mostMetadata} characters of metadata`);
    else {
      column.times.push(at);
      column.lines.push(line);
      column.metadata.push(metadata);
      if (metadata) column.hasMetadata = true;
    }
  }

  decoded(chunk?: string): DecodedPush {
    const streams: AppendJob['streams'] = [];
    let lines = 0;
    for (const { labels, times, lines: texts, metadata, hasMetadata } of this.#columns.values()) {
      if (texts.length === 0) continue;
      lines += texts.length;
      streams.push({ labels, times: BigInt64Array.from(times), lines: texts, ...(hasMetadata && { metadata }) });
    }
    const { tenant } = this.#push;
    return {
      job: { tenant, ...(chunk !== undefined && { chunk }), streams },
      pushed: {
        lines,
        dropped: this.#dropped,
        reasons: [...this.#reasons],
        ...(chunk !== undefined && { ack: chunk }),
      },
    };
  }

  #drop(reason: string): void {
    this.#dropped++;
    if (this.#reasons.size < mostReasons) this.#reasons.add(reason);
  }
}

function sizeOf(metadata: Labels): number {
  let size = 0;
  for (const name in metadata) size += name.length + (metadata[name] as string).length + pairOverhead;
  return size;
}

export function checkLineCount(count: number): void {
  if (count > mostPushedLines) throw new UnreadablePush(`a push has more than ${mostPushedLines} lines`, true);
}

// Converts a value to a label: blanks and invalid characters would only complicate selectors.
export const labelValue = (value: unknown): string =>
  typeof value === 'string'
    ? value.slice(0, mostValue)
    : value === null || typeof value === 'object'
      ? ''
      : String(value);

// Converts a text to a label name that Prometheus allows.
export function labelName(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9_]/g, '_');
  return /^[0-9]/.test(name) || name === '' ? `_${name}` : name;
}

// Returns the fields of a record that become labels in the stream.
export function fieldLabels({ labels }: TargetStream, record: Readonly<Record<string, unknown>>): Labels {
  if (labels.length === 0) return none;
  const found: Record<string, string> = {};
  for (const name of labels) {
    const value = Object.hasOwn(record, name) ? labelValue(record[name]) : '';
    if (value !== '') found[name] = value;
  }
  return found;
}

const none: Labels = {};

// A character has at most three bytes, so that few lines have to be measured.
const isTooLong = (line: string): boolean => line.length * 3 > mostLineBytes && Buffer.byteLength(line) > mostLineBytes;

const shownTime = (ns: bigint): string => {
  const ms = Number(ns / 1_000_000n);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
};

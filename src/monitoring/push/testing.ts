// For tests of decoders: a sink that records its calls.
import { type Described, isStale, type Labels } from '../series.ts';
import { decode } from './decode.ts';
import type { Push, PushFormat, Sink } from './sink.ts';

export const receivedMs = 1_700_000_000_000;
export const mostBytes = 0x10_0000;

export class Recorder implements Sink {
  samples: string[] = [];
  described: Described[] = [];
  rejected: [count: number, why: string][] = [];
  registered = 0;
  readonly #series: string[] = [];
  readonly #byBytes = new Map<string, number>();
  readonly #refuses: (labels: Labels) => boolean;

  constructor(refuses: (labels: Labels) => boolean = () => false) {
    this.#refuses = refuses;
  }

  get keys(): number {
    return this.#byBytes.size;
  }

  known(bytes: Uint8Array, from: number, to: number): number {
    return this.#byBytes.get(keyOf(bytes, from, to)) ?? -1;
  }

  register(labels: Labels, bytes?: Uint8Array, from = 0, to = 0): number {
    this.registered++;
    if (this.#refuses(labels)) return -1;
    const series = this.#series.push(textOf(labels)) - 1;
    if (bytes) this.#byBytes.set(keyOf(bytes, from, to), series);
    return series;
  }

  sample(series: number, timeMs: number, value: number): void {
    const valueText = isStale(value) ? 'stale' : String(value);
    const time = timeMs === receivedMs ? '' : ` @${timeMs}`;
    if (series < 0) this.rejected.push([1, 'refused']);
    else this.samples.push(`${this.#series[series]} ${valueText}${time}`);
  }

  describe(described: Described): void {
    this.described.push(described);
  }

  reject(count: number, why: string): void {
    this.rejected.push([count, why]);
  }
}

const keyOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, to);

export function textOf(labels: Labels): string {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? '';
  const rest = labels.filter(([label]) => label !== '__name__');
  return rest.length === 0 ? name : `${name}{${rest.map(([label, value]) => `${label}=${value}`).join(',')}}`;
}

export function read(format: PushFormat, body: string | Uint8Array, sink = new Recorder()): Recorder {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const push: Push = { format, coding: 'identity', body: bytes, receivedMs };
  decode(push, sink, { mostBytes });
  return sink;
}

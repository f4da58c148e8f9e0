// Remote-write bodies made beforehand, so that the load generator has nothing to do but to send them: each holds 2,000
// series with six labels and one sample each, 15 seconds after the last one of the same series. Counters go up by
// whole numbers, gauges have two decimals. They are one after another in a file.
import { closeSync, openSync, writeSync } from 'node:fs';
import { type Chance, seeded } from '../../src/testing/seed.ts';
import { snappy, writeRequest } from '../../test/clients/promql/remote-write.ts';

export const seriesEach = 2000;
export const everyMs = 15_000;

export type Mix = 'both' | 'counters' | 'gauges';

export interface BodyFile {
  path: string;
  slices: number; // sets of 2,000 series; the n-th body is of the n-th slice, over and over again
  offsets: number[]; // where each body begins, and the end of the last
  beginMs: number;
}

export interface Made {
  slices: number;
  rounds: number; // bodies of each slice
  beginMs: number;
  mix?: (slice: number) => Mix;
}

export function makeBodies(path: string, { slices, rounds, beginMs, mix = () => 'both' }: Made): BodyFile {
  const chance = seeded(1);
  const templates = Array.from({ length: slices }, (_, slice) => new Template(slice, mix(slice), chance));
  const offsets = [0];
  const file = openSync(path, 'w');
  let at = 0;
  for (let round = 0; round < rounds; round++) {
    for (const template of templates) {
      at += writeSync(file, template.next(beginMs + round * everyMs));
      offsets.push(at);
    }
  }
  closeSync(file);
  return { path, slices, offsets, beginMs };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const codes = ['200', '201', '404', '500', '503'];
const stamp = 2 ** 40; // any time whose varint has the length of today's

// One slice. Only values and times differ from body to body, and always take as many bytes: they are put in place.
class Template {
  readonly #raw: Buffer;
  readonly #values = new Float64Array(seriesEach);
  readonly #places = new Uint32Array(seriesEach);
  readonly #mix: Mix;
  readonly #chance: Chance;

  constructor(slice: number, mix: Mix, chance: Chance) {
    this.#mix = mix;
    this.#chance = chance;
    const series = Array.from({ length: seriesEach }, (_, nth) => ({
      labels: labelsOf(slice, nth, this.#isCounter(nth)),
      points: [[stamp, 0] as const],
    }));
    this.#raw = writeRequest(series);
    this.#find();
    for (let nth = 0; nth < seriesEach; nth++)
      this.#values[nth] = this.#isCounter(nth) ? chance.below(1_000_000) : chance.below(10_000) / 100;
  }

  next(timeMs: number): Buffer {
    const raw = this.#raw;
    const time = varint(timeMs);
    for (let nth = 0; nth < seriesEach; nth++) {
      const place = this.#places[nth] as number;
      raw.writeDoubleLE(this.#step(nth), place + 1);
      raw.set(time, place + 10);
    }
    return snappy(raw);
  }

  #isCounter(nth: number): boolean {
    return this.#mix === 'both' ? nth % 2 === 0 : this.#mix === 'counters';
  }

  #step(nth: number): number {
    const { below, often } = this.#chance;
    const value = this.#values[nth] as number;
    // Counters of occasional events, and gauges that are constant half of the time.
    const next = this.#isCounter(nth)
      ? value + below(1 + (nth % 60))
      : often(50)
        ? value
        : Math.round(value * 100 + below(201) - 100) / 100;
    this.#values[nth] = next;
    return next;
  }

  // Where the sample of each series begins: the field of its value, then that of its time.
  #find(): void {
    const sample = Buffer.concat([Buffer.from([0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x10]), varint(stamp)]);
    let from = 0;
    for (let nth = 0; nth < seriesEach; nth++) {
      const place = this.#raw.indexOf(sample, from);
      if (place < 0) throw new Error('a sample is not where it should be');
      this.#places[nth] = place;
      from = place + sample.length;
    }
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

function labelsOf(slice: number, nth: number, counter: boolean): [string, string][] {
  const host = Math.floor(nth / 20);
  return [
    ['__name__', counter ? 'http_requests_total' : 'process_load'],
    ['code', codes[nth % codes.length] as string],
    ['instance', `10.${slice}.${host}.7:9100`],
    ['job', `job-${nth % 10}`],
    ['method', methods[nth % methods.length] as string],
    ['path', `/api/v1/resource/${nth % 20}`],
  ];
}

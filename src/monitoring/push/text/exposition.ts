// The text format 0.0.4 of exporters and the Pushgateway. An invalid line makes the whole push unreadable, and the
// answer names it.

import { short } from '../../../core/push/text.ts';
import type { Sink } from '../sink.ts';
import { Lines, readSeries, readValue } from './line.ts';
import { Families } from './metadata.ts';

const hash = 0x23;

export function readExposition(bytes: Buffer, receivedMs: number, sink: Sink): void {
  const lines = new Lines(bytes);
  const families = new Families();
  while (lines.next()) {
    lines.dropCarriageReturn();
    lines.skipBlanks();
    if (lines.done) continue;
    if (bytes[lines.at] === hash) readComment(lines, families);
    else readSample(lines, families, receivedMs, sink);
  }
  families.tell(sink);
}

// Other comments are ignored.
function readComment(line: Lines, families: Families): void {
  line.at++;
  const word = line.word();
  if (word === 'HELP' || word === 'TYPE') families.read(line, word);
}

function readSample(line: Lines, families: Families, receivedMs: number, sink: Sink): void {
  families.sampled(line);
  const series = readSeries(line, sink);
  const value = readValue(line);
  const word = line.word();
  const timeMs = word === '' ? receivedMs : /^[+-]?\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!Number.isSafeInteger(timeMs)) line.fail(`${short(word)} is not a time in milliseconds`);
  line.skipBlanks();
  if (!line.done) line.fail(`unexpected ${short(line.rest())} after the time`);
  sink.sample(series, timeMs, value);
}

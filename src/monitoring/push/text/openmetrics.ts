// OpenMetrics 1.0: the text format with times in seconds, units, exemplars (which are ignored) and a mandatory end, so
// that a truncated body is never accepted.

import { UnreadablePush } from '../../../core/push/push-body.ts';
import { numberOf, short } from '../../../core/push/text.ts';
import { labelsOf } from '../labels.ts';
import type { Sink } from '../sink.ts';
import { endOfBraces, Lines, pairsOf, readSeries, readValue } from './line.ts';
import { Families } from './metadata.ts';

const hash = 0x23;
const openBrace = 0x7b;

export function readOpenMetrics(bytes: Buffer, receivedMs: number, sink: Sink): void {
  const lines = new Lines(bytes);
  const families = new Families();
  while (lines.next()) {
    if (lines.done) lines.fail('a line is empty');
    if (bytes[lines.at] !== hash) {
      readSample(lines, families, receivedMs, sink);
    } else if (readComment(lines, families) === 'end') {
      if (lines.next()) lines.fail('unexpected text after # EOF');
      families.tell(sink);
      return;
    }
  }
  throw new UnreadablePush('the body does not end with # EOF');
}

function readComment(line: Lines, families: Families): 'end' | undefined {
  const whole = line.rest();
  if (whole === '# EOF') return 'end';
  line.at++;
  const word = line.word();
  if (!whole.startsWith('# ') || (word !== 'HELP' && word !== 'TYPE' && word !== 'UNIT'))
    line.fail(`${short(whole)} is neither HELP, TYPE, UNIT nor EOF`);
  families.read(line, word);
  return undefined;
}

function readSample(line: Lines, families: Families, receivedMs: number, sink: Sink): void {
  families.sampled(line);
  const series = readSeries(line, sink);
  const value = readValue(line);
  line.skipBlanks();
  let timeMs = receivedMs;
  if (!line.done && line.bytes[line.at] !== hash) timeMs = readTime(line);
  line.skipBlanks();
  if (!line.done) checkExemplar(line);
  sink.sample(series, timeMs, value);
}

function readTime(line: Lines): number {
  const word = line.word();
  const timeMs = Math.round((numberOf(word) ?? Number.NaN) * 1000);
  return Number.isSafeInteger(timeMs) ? timeMs : line.fail(`${short(word)} is not a time in seconds`);
}

// ` # {trace_id="a"} 0.5 1520879607.789`
function checkExemplar(line: Lines): void {
  const mark = line.word();
  line.skipBlanks();
  if (mark !== '#' || line.bytes[line.at] !== openBrace) line.fail(`unexpected ${short(mark)} after the value`);
  const end = endOfBraces(line, line.at);
  const labels = labelsOf([['__name__', 'exemplar'], ...pairsOf(line, line.bytes.toString('utf8', line.at, end))]);
  if (typeof labels === 'string') line.fail(`the exemplar is wrong: ${labels}`);
  line.at = end;
  readValue(line);
  line.skipBlanks();
  if (!line.done) readTime(line);
  line.skipBlanks();
  if (!line.done) line.fail(`unexpected ${short(line.rest())} after the exemplar`);
}

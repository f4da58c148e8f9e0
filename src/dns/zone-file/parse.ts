// Parses a BIND zone file: $ORIGIN and $TTL, omitted names and times, parentheses, comments, relative names.
// The zone's own SOA and NS lines are skipped, because the platform has its own.
import { Fault } from '../../base/fault.ts';
import { nameKey } from '../records/domain-name.ts';
import { quotedText, type Word, wordsOf } from '../records/presentation.ts';
import { apiTypes, typesWithPriority } from '../records/types.ts';
import type { RecordValues } from '../zones/record.ts';

export type ParsedRecord = Omit<RecordValues, 'name'> & { name: string; line: number }; // name: whole

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const maxRecords = 100_000;
const maxEntryLength = 300_000; // characters: the longest data, with each byte as an escape
// Which words of a content are names.
const namesIn: Readonly<Record<string, readonly number[]>> = {
  CNAME: [0],
  ALIAS: [0],
  NS: [0],
  MX: [0],
  SRV: [2],
  RP: [0, 1],
  HTTPS: [1],
  SVCB: [1],
};

export function* parseZoneFile(text: string, zoneName: string): Generator<ParsedRecord> {
  let origin = nameKey(zoneName);
  let defaultTtl = 3600;
  let owner = origin;
  let count = 0;
  for (const { line, words, isIndented } of entriesOf(text)) {
    const wrong = (message: string): Fault => new Fault('refused', `Line ${line}: ${message}`);
    const first = words[0]?.text.toUpperCase();
    if (first === '$ORIGIN') origin = absolute(words[1]?.text ?? '', origin);
    else if (first === '$TTL') defaultTtl = secondsOf(words[1]?.text ?? '') ?? defaultTtl;
    else if (first?.startsWith('$')) throw wrong(`${first} is not supported`);
    else {
      const rest = [...words];
      if (!isIndented) owner = absolute(rest.shift()?.text ?? '', origin);
      const { ttl, type, data } = headOf(rest, defaultTtl, wrong);
      if (type === 'SOA' || (type === 'NS' && owner === nameKey(zoneName))) continue;
      if (!apiTypes.includes(type)) throw wrong(`records of the type ${type} are not supported`);
      if (owner !== nameKey(zoneName) && !owner.endsWith(`.${nameKey(zoneName)}`))
        throw wrong(`${owner} is not in the zone`);
      if (++count > maxRecords) throw wrong(`the file has more than ${maxRecords} records`);
      yield { ...contentOf(type, data, origin, wrong), name: owner, type, ttl: Math.max(60, ttl), enabled: true, line };
    }
  }
}

function headOf(
  words: Word[],
  defaultTtl: number,
  wrong: (message: string) => Fault,
): { ttl: number; type: string; data: Word[] } {
  let ttl = defaultTtl;
  for (const [at, { text }] of words.entries()) {
    const seconds = secondsOf(text);
    if (seconds !== undefined) ttl = seconds;
    else if (!/^(IN|CH|HS)$/i.test(text)) return { ttl, type: text.toUpperCase(), data: words.slice(at + 1) };
  }
  throw wrong('a type is missing');
}

function contentOf(
  type: string,
  data: Word[],
  origin: string,
  wrong: (message: string) => Fault,
): Pick<RecordValues, 'content' | 'priority'> {
  const rest = [...data];
  let priority: number | null = null;
  if (typesWithPriority.includes(type)) {
    const word = rest.shift()?.text ?? '';
    if (!/^\d{1,5}$/.test(word)) throw wrong('a priority is missing');
    priority = Number(word);
  }
  if (rest.length === 0) throw wrong('the data is missing');
  const names = namesIn[type] ?? [];
  const texts = rest.map((word, at) => {
    if (names.includes(at)) return word.text === '.' ? '.' : absolute(word.text, origin);
    return word.isQuoted || type === 'TXT' ? quotedText(word.bytes) : word.text;
  });
  return { content: texts.join(' '), ...(priority !== null && { priority }) };
}

const absolute = (name: string, origin: string): string => {
  if (name === '@') return origin;
  return name.endsWith('.') ? nameKey(name) : nameKey(origin === '' ? name : `${name}.${origin}`);
};

function secondsOf(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!/^(\d{1,7}[smhdw])+$/i.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)([smhdw])/gi))
    seconds += Number(count) * (units[unit.toLowerCase()] ?? 1);
  return seconds;
}

interface FileEntry {
  line: number; // that it begins in
  words: Word[];
  isIndented: boolean; // the name is that of the previous entry
}

// Entries in parentheses may span several lines.
function* entriesOf(text: string): Generator<FileEntry> {
  let open = 0;
  let gathered = '';
  let begin = 0;
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    if (open === 0) begin = at + 1;
    const { plain, opened } = raw.length <= maxEntryLength ? withoutComment(raw) : { plain: raw, opened: 0 };
    if (open === 0) gathered = plain;
    else gathered += ` ${plain}`;
    if (gathered.length > maxEntryLength)
      throw new Fault('refused', `Line ${begin}: the entry has more than ${maxEntryLength} characters`);
    open += opened;
    if (open > 0) continue;
    if (open < 0) throw new Fault('refused', `Line ${at + 1}: a parenthesis is closed that was not opened`);
    try {
      const words = wordsOf(gathered);
      if (words.length > 0) yield { line: begin, words, isIndented: /^\s/.test(gathered) };
    } catch (error) {
      if (error instanceof Fault) throw new Fault('refused', `Line ${begin}: ${error.message}`);
      throw error;
    }
  }
  if (open > 0) throw new Fault('refused', `Line ${begin}: a parenthesis is not closed`);
}

// Replaces parentheses by spaces. Quotes and escapes protect all characters.
function withoutComment(line: string): { plain: string; opened: number } {
  let plain = '';
  let opened = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (char === '\\') plain += char + (line[++at] ?? '');
    else if (char === '"') {
      isQuoted = !isQuoted;
      plain += char;
    } else if (isQuoted) plain += char;
    else if (char === ';') break;
    else if (char === '(' || char === ')') {
      opened += char === '(' ? 1 : -1;
      plain += ' ';
    } else plain += char;
  }
  return { plain, opened };
}

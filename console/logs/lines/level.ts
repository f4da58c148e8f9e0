// The severity level of a line, for any word that it uses, and the field of a search's lines that contains it.
import { labelsOf, levelPattern, type Origin, parserStage, textLevel } from '../query/filter.ts';
import type { LogLine } from './log-line.ts';
import { fieldsOf } from './parsed-fields.ts';

export const levels = ['fatal', 'error', 'warning', 'info', 'debug', 'trace', 'other'] as const;
export type Level = (typeof levels)[number];

// Matches the beginning of the word. The numbers are levels of Bunyan and Pino.
const beginnings: readonly [RegExp, Level][] = [
  [/^(?:fatal|crit|alert|emerg|panic|60$)/i, 'fatal'],
  [/^(?:err|50$)/i, 'error'],
  [/^(?:warn|40$)/i, 'warning'],
  [/^(?:info|notice|30$)/i, 'info'],
  [/^(?:debug|20$)/i, 'debug'],
  [/^(?:trace|10$)/i, 'trace'],
];

export const levelNamed = (word: string): Level => beginnings.find(([form]) => form.test(word))?.[1] ?? 'other';

// The field with the level.
export interface LevelField {
  name: string;
  origin: Origin;
}

const labelNames = ['level', 'detected_level', 'severity_text', 'severity'];
const fieldNames = ['level', 'severity', 'lvl'];
const textForm = new RegExp(levelPattern.replaceAll('(?P<', '(?<'));

interface FoundLevel extends LevelField {
  word: string;
}

function levelIn(line: LogLine): FoundLevel | undefined {
  for (const name of labelNames) {
    const label = line.labels[name];
    if (label !== undefined) return { name, origin: 'label', word: label };
    const word = line.metadata[name];
    if (word !== undefined) return { name, origin: 'metadata', word };
  }
  const { origin, fields } = fieldsOf(line.text);
  if (origin) {
    const found = fields.find(([name]) => fieldNames.includes(name));
    if (found) return { name: found[0], origin, word: found[1] };
  }
  const groups = textForm.exec(line.text)?.groups;
  const word = groups?.said_level ?? groups?.word_level;
  return word === undefined ? undefined : { name: textLevel, origin: 'text', word };
}

export const levelOf = (line: LogLine): Level => levelNamed(levelIn(line)?.word ?? '');

const mostSampled = 100;

// The level field of a sample. A parser is much cheaper than the search for words, which is used if lines differ.
export function levelFieldOf(lines: readonly LogLine[]): LevelField | undefined {
  const found = new Map<string, LevelField>();
  for (const line of lines.slice(0, mostSampled)) {
    const level = levelIn(line);
    if (level) found.set(`${level.origin} ${level.name}`, { name: level.name, origin: level.origin });
  }
  const [only] = found.values();
  return found.size > 1 ? { name: textLevel, origin: 'text' } : only;
}

// Counts of lines by their level in each step.
export function levelCounts(query: string, field: LevelField | undefined, stepS: number): string {
  if (!field) return `sum(count_over_time(${query} [${stepS}s]))`;
  const parser =
    field.origin === 'json' ? ` | json ${field.name}=${JSON.stringify(field.name)}` : parserStage(field.origin);
  const unfailing = field.origin === 'json' || field.origin === 'logfmt' ? ' | drop __error__, __error_details__' : '';
  const labels = labelsOf(field.name).join(', ');
  return `sum by (${labels}) (count_over_time(${query}${parser}${unfailing} [${stepS}s]))`;
}

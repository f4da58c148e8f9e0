// A filter chosen from the fields of lines. Several included values of one field mean any of them.
import { quoted } from './quoted.ts';

// The origin of the field: a stream label, metadata, a parser, or words in the text.
export type Origin = 'label' | 'metadata' | 'json' | 'logfmt' | 'text';

export interface Filter {
  name: string;
  origin: Origin;
  isExcluded: boolean;
  value: string;
}

export const isSame = (a: Filter, b: Filter): boolean =>
  a.name === b.name && a.origin === b.origin && a.value === b.value && a.isExcluded === b.isExcluded;

// In an address: ["status","json","-","500"].
export const filterText = ({ name, origin, isExcluded, value }: Filter): string =>
  JSON.stringify([name, origin, isExcluded ? '-' : '+', value]);

const origins: readonly string[] = ['label', 'metadata', 'json', 'logfmt', 'text'] satisfies Origin[];

export function filterIn(text: string): Filter | undefined {
  try {
    const [name, origin, sign, value] = JSON.parse(text) as unknown[];
    if (typeof name !== 'string' || typeof value !== 'string' || !origins.includes(origin as string)) return undefined;
    return /^[A-Za-z_]\w*$/.test(name)
      ? { name, origin: origin as Origin, isExcluded: sign === '-', value }
      : undefined;
  } catch {
    return undefined;
  }
}

// The level of a plain text line: `level=warn` and the like, or a word in capitals.
export const textLevel = 'text_level';
const saidLevel = 'said_level';
const wordLevel = 'word_level';

export const levelPattern =
  '(?:[Ll]evel|LEVEL|[Ss]everity|SEVERITY|lvl)["\']?\\s*[:=]\\s*["\']?(?P<said_level>[A-Za-z]+|\\d+)' +
  '|(?:^|[\\s\\[(<])(?P<word_level>FATAL|CRITICAL|ERROR|ERR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE)(?:[\\s\\]):>,]|$)';

// The labels of a field in LogQL after its stage.
export const labelsOf = (name: string): string[] => (name === textLevel ? [saidLevel, wordLevel] : [name]);

export function parserStage(origin: Origin): string {
  if (origin === 'json' || origin === 'logfmt') return ` | ${origin}`;
  return origin === 'text' ? ` | regexp \`${levelPattern}\`` : '';
}

// The selector: matchers are the cheapest filters.
export function selectorOf(filters: readonly Filter[]): string {
  const matchers = grouped(filters.filter(({ origin }) => origin === 'label')).map(matcherOf);
  const selects = filters.some(({ origin, isExcluded }) => origin === 'label' && !isExcluded);
  return `{${[...(selects ? [] : ['tag=~".+"']), ...matchers].join(', ')}}`;
}

// The stages after the selector and the words.
export function stagesOf(filters: readonly Filter[]): string {
  const groups = grouped(filters.filter(({ origin }) => origin !== 'label'));
  const parsers = [...new Set(groups.map(([first]) => parserStage((first as Filter).origin)))].join('');
  return parsers + groups.map((group) => ` | ${filterStage(group)}`).join('');
}

// The stages that add a filter to an expression written by the user.
export const appended = (filter: Filter): string => `${parserStage(filter.origin)} | ${filterStage([filter])}`;

const filterStage = (group: readonly Filter[]): string => {
  const [first] = group as [Filter];
  const labels = labelsOf(first.name);
  const parts = labels.map((name) => matcherOf(group.map((filter) => ({ ...filter, name }))));
  return parts.join(first.isExcluded ? ' and ' : ' or ');
};

function grouped(filters: readonly Filter[]): Filter[][] {
  const groups = new Map<string, Filter[]>();
  for (const filter of filters) {
    const key = `${filter.origin} ${filter.name} ${filter.isExcluded}`;
    groups.set(key, [...(groups.get(key) ?? []), filter]);
  }
  return [...groups.values()];
}

function matcherOf(group: readonly Filter[]): string {
  const [first] = group as [Filter];
  if (group.length === 1) return `${first.name}${first.isExcluded ? '!=' : '='}${quoted(first.value)}`;
  const pattern = group.map(({ value }) => escapedPattern(value)).join('|');
  return `${first.name}${first.isExcluded ? '!~' : '=~'}${quoted(pattern)}`;
}

export const escapedPattern = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');

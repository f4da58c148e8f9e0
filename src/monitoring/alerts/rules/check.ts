// Parses and checks rule groups as `promtool check rules` does: unknown fields, durations, expressions, templates and
// duplicate rules are refused with their position, all at once.
import type { Problem } from '../../../base/fault.ts';
import type { CheckExpression } from '../../../surface/alerting/source.ts';
import type { Labels } from '../../series.ts';
import { parseTemplate } from '../templates/template.ts';
import { parseDuration } from './durations.ts';
import {
  identityOf,
  labelsOf,
  mostGroups,
  mostName,
  mostRules,
  type Rule,
  type RuleGroup,
  type RuleText,
  refusal,
  sorted,
} from './rule-group.ts';
import { type Path, type Plain, type PlainMap, readYaml, YamlProblems, type YamlText } from './yaml.ts';

const mostProblems = 50;
const mostText = 16_384;
const leastIntervalMs = 1000;

const groupFields = ['name', 'interval', 'query_offset', 'limit', 'labels', 'rules'];
const ruleFields = ['record', 'alert', 'expr', 'for', 'keep_firing_for', 'labels', 'annotations'];

export interface LoadedLanguage {
  checkExpression: CheckExpression;
  records: boolean; // recording rules are supported
}

export function readRules(text: string, language: LoadedLanguage): RuleText {
  const sheet = sheetOf(text, language);
  const { value } = sheet.yaml;
  if (!isMap(value)) throw refusal([{ message: '1:1: a rule group or a file with groups is expected' }]);
  const isFile = Object.hasOwn(value, 'groups');
  const groups = isFile ? groupsOf(sheet, value) : [groupOf(sheet, value, [])];
  if (sheet.problems.length === 0) findDoubles(sheet, groups, isFile);
  if (sheet.problems.length > 0) throw refusal(sheet.problems);
  return { isFile, groups };
}

// Returns the error of each expression.
export function checkTexts(expressions: readonly string[], { checkExpression }: LoadedLanguage): string | undefined {
  for (const expression of expressions) {
    const wrong = checkExpression(expression);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

// The text that is checked, and the problems found so far.
interface Sheet {
  yaml: YamlText;
  language: LoadedLanguage;
  problems: Problem[];
}

function sheetOf(text: string, language: LoadedLanguage): Sheet {
  try {
    return { yaml: readYaml(text), language, problems: [] };
  } catch (error) {
    if (error instanceof YamlProblems) throw refusal(error.problems);
    throw error;
  }
}

const isMap = (value: Plain | undefined): value is PlainMap => typeof value === 'object' && !Array.isArray(value);

// Stops the check at the maximum number of problems, because finding the position of one takes time.
function complain({ problems }: Sheet, place: string, message: string): void {
  problems.push({ message: `${place}: ${message}` });
  if (problems.length === mostProblems) throw refusal(problems);
}

function groupsOf(sheet: Sheet, file: PlainMap): RuleGroup[] {
  knownFields(sheet, file, ['groups'], [], '');
  const { groups } = file;
  if (groups === '') return [];
  if (!Array.isArray(groups)) {
    complain(sheet, sheet.yaml.placeOf(['groups']), 'groups must be a list');
    return [];
  }
  const seen = new Set<string>();
  return groups.slice(0, mostGroups + 1).map((one, at) => {
    const path = ['groups', at];
    const group = groupOf(sheet, one, path);
    if (seen.has(group.name))
      complain(sheet, sheet.yaml.placeOf(path), `groupname: ${quoted(group.name)} is repeated in the same file`);
    seen.add(group.name);
    return group;
  });
}

function groupOf(sheet: Sheet, value: Plain, path: Path): RuleGroup {
  const place = sheet.yaml.placeOf(path);
  const group: RuleGroup = { name: '', intervalMs: 0, offsetMs: 0, limit: 0, labels: [], rules: [] };
  if (!isMap(value)) {
    complain(sheet, place, 'a group must be a map');
    return group;
  }
  group.name = textAt(sheet, value, 'name', path, '');
  const says = `group ${quoted(group.name)}`;
  knownFields(sheet, value, groupFields, path, says);
  if (group.name === '') complain(sheet, place, 'Groupname must not be empty');
  if (group.name.length > mostName) complain(sheet, place, `${says}: the name has more than ${mostName} characters`);
  group.intervalMs = durationAt(sheet, value, 'interval', path, says);
  if (group.intervalMs > 0 && group.intervalMs < leastIntervalMs)
    complain(sheet, sheet.yaml.placeOf([...path, 'interval']), `${says}: the interval must be 1s or more`);
  group.offsetMs = durationAt(sheet, value, 'query_offset', path, says);
  group.limit = limitAt(sheet, value, path, says);
  group.labels = labelsAt(sheet, value, 'labels', path, says);
  const { rules = '' } = value;
  if (Array.isArray(rules)) group.rules = rules.map((one, at) => ruleOf(sheet, one, [...path, 'rules', at], group, at));
  else if (rules !== '') complain(sheet, sheet.yaml.placeOf([...path, 'rules']), `${says}: rules must be a list`);
  if (group.rules.length > mostRules) complain(sheet, place, `${says}: more than ${mostRules} rules`);
  return group;
}

function ruleOf(sheet: Sheet, value: Plain, path: Path, group: RuleGroup, at: number): Rule {
  const nothing: Rule = { kind: 'record', name: '', expr: '', labels: [] };
  const head = `group ${quoted(group.name)}, rule ${at + 1}`;
  if (!isMap(value)) {
    complain(sheet, sheet.yaml.placeOf(path), `${head}: a rule must be a map`);
    return nothing;
  }
  const alert = textAt(sheet, value, 'alert', path, head);
  const record = textAt(sheet, value, 'record', path, head);
  const says = `${head}, ${quoted(alert || record)}`;
  knownFields(sheet, value, ruleFields, path, says);
  const wrong = (field: string, message: string): void =>
    complain(sheet, sheet.yaml.placeOf([...path, field]), `${says}: ${message}`);
  if (alert !== '' && record !== '') wrong('record', "only one of 'record' and 'alert' must be set");
  if (alert === '' && record === '') wrong('alert', "one of 'record' or 'alert' must be set");
  const expr = textAt(sheet, value, 'expr', path, says);
  if (expr.trim() === '') wrong('expr', "field 'expr' must be set in rule");
  else if (expr.length > mostText) wrong('expr', `the expression has more than ${mostText} characters`);
  else {
    const problem = sheet.language.checkExpression(expr);
    if (problem !== undefined) wrong('expr', `could not parse expression: ${problem}`);
  }
  const forMs = durationAt(sheet, value, 'for', path, says);
  const keepMs = durationAt(sheet, value, 'keep_firing_for', path, says);
  const labels = labelsAt(sheet, value, 'labels', path, says);
  const annotations = labelsAt(sheet, value, 'annotations', path, says);
  if (record === '') {
    checkTemplates(sheet, labels, 'label', path, says);
    checkTemplates(sheet, annotations, 'annotation', path, says);
    return { kind: 'alert', name: alert, expr, forMs, keepMs, labels, annotations };
  }
  if (!sheet.language.records) wrong('record', 'recording rules are supported for metric pipelines only');
  for (const [field, isThere] of [
    ['annotations', annotations.length > 0],
    ['for', forMs > 0],
    ['keep_firing_for', keepMs > 0],
  ] as const)
    if (isThere) wrong('record', `invalid field '${field}' in recording rule`);
  if (/[{}]/.test(record)) wrong('record', `braces in the name of a recording rule; do they belong to expr? ${record}`);
  return { kind: 'record', name: record, expr, labels };
}

function knownFields(sheet: Sheet, map: PlainMap, known: string[], path: Path, says: string): void {
  for (const key of Object.keys(map)) {
    if (known.includes(key)) continue;
    const front = says === '' ? '' : `${says}: `;
    const place = sheet.yaml.keyPlaceOf([...path, key]);
    complain(sheet, place, `${front}field ${quoted(key)} not found here; known: ${known.join(', ')}`);
  }
}

function textAt(sheet: Sheet, map: PlainMap, field: string, path: Path, says: string): string {
  const value = Object.hasOwn(map, field) ? map[field] : '';
  if (typeof value === 'string' && value.isWellFormed()) return value;
  const front = says === '' ? '' : `${says}: `;
  complain(sheet, sheet.yaml.placeOf([...path, field]), `${front}${field} must be a text`);
  return '';
}

function durationAt(sheet: Sheet, map: PlainMap, field: string, path: Path, says: string): number {
  const text = textAt(sheet, map, field, path, says);
  if (text === '') return 0;
  const ms = parseDuration(text);
  if (ms === undefined)
    complain(
      sheet,
      sheet.yaml.placeOf([...path, field]),
      `${says}: ${field}: not a valid duration string: ${quoted(text)}`,
    );
  return ms ?? 0;
}

function limitAt(sheet: Sheet, map: PlainMap, path: Path, says: string): number {
  const text = textAt(sheet, map, 'limit', path, says);
  if (/^\d{0,9}$/.test(text)) return Number(text);
  complain(sheet, sheet.yaml.placeOf([...path, 'limit']), `${says}: limit must be a whole number, 0 or more`);
  return 0;
}

function labelsAt(sheet: Sheet, map: PlainMap, field: 'labels' | 'annotations', path: Path, says: string): Labels {
  const value = Object.hasOwn(map, field) ? map[field] : '';
  if (value === '' || value === undefined) return [];
  if (!isMap(value)) {
    complain(sheet, sheet.yaml.placeOf([...path, field]), `${says}: ${field} must be a map`);
    return [];
  }
  const word = field === 'labels' ? 'label' : 'annotation';
  const pairs = Object.entries(value).map(([name, one]): readonly [string, string] => {
    const wrong = (message: string): void =>
      complain(sheet, sheet.yaml.keyPlaceOf([...path, field, name]), `${says}: ${message}`);
    if (name === '' || name.length > mostName || !name.isWellFormed() || (word === 'label' && name === '__name__'))
      wrong(`invalid ${word} name: ${quoted(name)}`);
    if (typeof one === 'string' && one.isWellFormed() && one.length <= mostText) return [name, one];
    wrong(`invalid ${word} value of ${quoted(name)}`);
    return [name, ''];
  });
  return sorted(pairs);
}

function checkTemplates(sheet: Sheet, pairs: Labels, word: 'label' | 'annotation', path: Path, says: string): void {
  for (const [name, text] of pairs) {
    const { problem } = parseTemplate(text);
    if (problem === undefined) continue;
    const place = sheet.yaml.placeOf([...path, `${word}s`, name]);
    complain(sheet, place, `${says}: ${word} ${quoted(name)}: error parsing template: ${problem}`);
  }
}

// Two rules with the same name and labels would write the same series.
function findDoubles(sheet: Sheet, groups: RuleGroup[], isFile: boolean): void {
  const seen = new Map<string, string>();
  for (const [groupAt, group] of groups.entries()) {
    for (const [at, rule] of group.rules.entries()) {
      const key = identityOf(group, rule);
      const here = `group ${quoted(group.name)}, rule ${at + 1}`;
      const before = seen.get(key);
      seen.set(key, here);
      if (before === undefined) continue;
      const path = [...(isFile ? ['groups', groupAt] : []), 'rules', at];
      const labels = labelsOf(group, rule).map(([name, value]) => `${name}=${quoted(value)}`);
      complain(
        sheet,
        sheet.yaml.placeOf(path),
        `${here}, ${quoted(rule.name)}: duplicate rule: ${before} has the same name and labels {${labels.join(', ')}}`,
      );
    }
  }
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);

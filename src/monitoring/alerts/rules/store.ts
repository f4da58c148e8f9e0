// Reads, writes and renders rule files. Evaluations read them each time; apart from them only the state of the alerts
// is stored.
import { Fault } from '../../../base/fault.ts';
import type { WriteSet } from '../../../core/state/engine.ts';
import type { Store } from '../../../core/store.ts';
import type { AlertPipeline } from '../../../surface/alerting/source.ts';
import { fileAt, fileBody, filesOf, type Kept, newRuleRow, type RuleEntry, type RuleFile } from '../alert-rows.ts';
import { formatDuration } from './durations.ts';
import type { RuleText } from './rule-group.ts';
import { mostGroups, mostName, type Rule, type RuleGroup, wordsOf } from './rule-group.ts';

export function demandName(namespace: string): void {
  if (namespace === '' || namespace.length > mostName || !namespace.isWellFormed() || namespace.includes('\0'))
    throw new Fault('refused', `A namespace has 1 to ${mostName} characters.`);
}

// A group replaces the one with its name; a file replaces the whole namespace.
export async function writesOfRules(
  store: Store,
  pipeline: AlertPipeline,
  namespace: string,
  { isFile, groups }: RuleText,
  text: string,
  now: number,
): Promise<WriteSet> {
  const kept = await fileAt(store, pipeline, namespace);
  const entries: RuleEntry[] = groups.map((group) => ({ group, text: isFile ? '' : text }));
  if (isFile) return fileWrites(store, pipeline, namespace, kept, entries, text, now);
  const [entry] = entries as [RuleEntry];
  return fileWrites(store, pipeline, namespace, kept, inPlaceOf(kept?.value.entries ?? [], entry), '', now);
}

const inPlaceOf = (entries: RuleEntry[], entry: RuleEntry): RuleEntry[] => {
  const at = entries.findIndex(({ group }) => group.name === entry.group.name);
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
};

// `group` undefined: the whole namespace. Throws a Fault if it does not exist.
export async function writesOfRemoval(
  store: Store,
  pipeline: AlertPipeline,
  namespace: string,
  group: string | undefined,
  now: number,
): Promise<WriteSet> {
  const kept = await fileAt(store, pipeline, namespace);
  const left = kept?.value.entries.filter((entry) => group !== undefined && entry.group.name !== group);
  if (!kept || (group !== undefined && left?.length === kept.value.entries.length))
    throw new Fault(
      'missing',
      group === undefined ? 'The namespace does not exist.' : 'The rule group does not exist.',
    );
  return fileWrites(store, pipeline, namespace, kept, left ?? [], '', now);
}

// The time of a row is its last change, after which a new group waits for its first slot.
export async function fileWrites(
  store: Store,
  pipeline: AlertPipeline,
  namespace: string,
  kept: Kept<RuleFile> | undefined,
  entries: RuleEntry[],
  text: string,
  now: number,
): Promise<WriteSet> {
  if (entries.length === 0) {
    if (!kept) return [];
    return [{ op: 'remove', table: 'resource', key: kept.row, version: kept.row.version }];
  }
  await demandRoom(store, pipeline, namespace, entries.length);
  const row = kept?.row ?? newRuleRow(pipeline, namespace);
  const body = fileBody({ pipeline, namespace, text, entries });
  return [{ op: kept ? 'update' : 'insert', table: 'resource', row: { ...row, body, time: now } }];
}

async function demandRoom(store: Store, pipeline: AlertPipeline, namespace: string, more: number): Promise<void> {
  const others = (await filesOf(store, pipeline)).filter(({ value }) => value.namespace !== namespace);
  const total = others.reduce((sum, { value }) => sum + value.entries.length, more);
  if (total > mostGroups)
    throw new Fault(
      'refused',
      `A pipeline can have at most ${mostGroups} rule groups; with these it would have ${total}.`,
    );
}

// The answer of Mimir's ruler: groups by namespace.
export const filesYaml = (files: readonly RuleFile[]): Promise<string> =>
  yamlOf(Object.fromEntries(files.map(({ namespace, entries }) => [namespace, entries.map(plainEntry)])));

// The original text; generated if the file was not written as a whole.
export const fileText = async ({ text, entries }: RuleFile): Promise<string> =>
  text || yamlOf({ groups: entries.map(plainEntry) });

export const entryText = async (entry: RuleEntry): Promise<string> => entry.text || yamlOf(plainEntry(entry));

const yamlOf = async (value: object): Promise<string> => (await import('./yaml.ts')).writeYaml(value);

const plainEntry = ({ group }: RuleEntry): object => plainGroup(group);

function plainGroup({ name, intervalMs, offsetMs, limit, labels, rules }: RuleGroup): object {
  return {
    name,
    ...(intervalMs > 0 && { interval: formatDuration(intervalMs) }),
    ...(offsetMs > 0 && { query_offset: formatDuration(offsetMs) }),
    ...(limit > 0 && { limit }),
    ...(labels.length > 0 && { labels: wordsOf(labels) }),
    rules: rules.map(plainRule),
  };
}

function plainRule(rule: Rule): object {
  const labels = rule.labels.length > 0 ? { labels: wordsOf(rule.labels) } : {};
  if (rule.kind === 'record') return { record: rule.name, expr: rule.expr, ...labels };
  const { forMs, keepMs, annotations } = rule;
  return {
    alert: rule.name,
    expr: rule.expr,
    ...(forMs > 0 && { for: formatDuration(forMs) }),
    ...(keepMs > 0 && { keep_firing_for: formatDuration(keepMs) }),
    ...labels,
    ...(annotations.length > 0 && { annotations: wordsOf(annotations) }),
  };
}

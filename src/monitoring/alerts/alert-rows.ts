// The rows of alerting. They belong to the region (contract 0), so that one scan finds all due work, and so that a
// changed alert does not invalidate cached answers about the contract's resources.
import { hash } from 'node:crypto';
import { type Key, type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { AlertPipeline } from '../../surface/alerting/source.ts';
import type { ActiveAlert } from './evaluation/alert-state.ts';
import type { RuleGroup } from './rules/rule-group.ts';
import type { SimpleRule } from './rules/simple-rule.ts';

// The rules of one namespace of a pipeline, which is a rule file in Prometheus.
export interface RuleFile {
  pipeline: AlertPipeline;
  namespace: string;
  text: string; // the original text if it was written as a whole, otherwise empty
  entries: RuleEntry[];
}

export interface RuleEntry {
  group: RuleGroup;
  text: string; // the original text if it was written alone, otherwise empty
  simple?: SimpleRule; // the simple rule that it was created from
}

// The state of the alerts of a group.
export interface GroupState {
  pipeline: AlertPipeline;
  namespace: string;
  group: string;
  rules: { identity: string; alerts: ActiveAlert[] }[]; // rules with alerts
}

export interface Kept<T> {
  row: Row;
  value: T;
}

const places = { rules: 'alerting/rules', states: 'alerting/states' } as const;

export const rulesPlace = ({ contract, id }: AlertPipeline): string => `${places.rules}/${contract}/${id}`;
const rulesKey = (pipeline: AlertPipeline, namespace: string): Key => ({
  contract: 0,
  place: rulesPlace(pipeline),
  id: namespace,
});

export function newRuleRow(pipeline: AlertPipeline, namespace: string): Row {
  return rowOf({ ...rulesKey(pipeline, namespace), kind: 'alert-rules' });
}

export const fileBody = ({ pipeline, text, entries }: RuleFile): string =>
  JSON.stringify({ ...ofPipeline(pipeline), text, entries });

export function fileOf(row: Row): Kept<RuleFile> {
  const { region, source, ...rest } = JSON.parse(row.body) as OfPipeline & { text: string; entries: RuleEntry[] };
  return { row, value: { pipeline: pipelineIn(row, { region, source }), namespace: row.id, ...rest } };
}

export async function fileAt(
  store: Store,
  pipeline: AlertPipeline,
  namespace: string,
): Promise<Kept<RuleFile> | undefined> {
  const row = await store.get(0, rulesPlace(pipeline), namespace);
  return row && fileOf(row);
}

export async function filesOf(store: Store, pipeline: AlertPipeline): Promise<Kept<RuleFile>[]> {
  return (await store.children(0, rulesPlace(pipeline))).map(fileOf);
}

// Reads the files of all pipelines of a contract.
export async function allFiles(store: Store, contract: number): Promise<Kept<RuleFile>[]> {
  return (await rowsBelow(store, `${places.rules}/${contract}/`)).map(fileOf);
}

// Reads the rows of all contracts, without parsing them.
export const ruleRows = (store: Store): Promise<Row[]> => rowsBelow(store, `${places.rules}/`);
export const stateRows = (store: Store): Promise<Row[]> => rowsBelow(store, `${places.states}/`);

// Hashed, because names may be long and contain any characters, and keys may not.
const digest = (...parts: string[]): string => hash('sha256', JSON.stringify(parts));

export function stateKey(pipeline: AlertPipeline, namespace: string, group: string): Key {
  const place = `${places.states}/${pipeline.contract}/${pipeline.id}`;
  return { contract: 0, place, id: digest(namespace, group) };
}

export function stateOf(row: Row): Kept<GroupState> {
  const { region, source, rules, ...rest } = JSON.parse(row.body) as StateBody;
  const revived = rules.map(({ identity, alerts }) => ({
    identity,
    alerts: alerts.map(({ value, ...alert }) => ({ ...alert, value: Number(value ?? Number.NaN) })),
  }));
  return { row, value: { pipeline: pipelineIn(row, { region, source }), ...rest, rules: revived } };
}

export async function stateAt(
  store: Store,
  pipeline: AlertPipeline,
  namespace: string,
  group: string,
): Promise<Kept<GroupState> | undefined> {
  const { contract, place, id } = stateKey(pipeline, namespace, group);
  const row = await store.get(contract, place, id);
  return row && stateOf(row);
}

// JSON has no infinity, so such a value is stored as text. Rows of earlier versions have null.
type StoredAlert = Omit<ActiveAlert, 'value'> & { value: number | string | null };
type StateBody = OfPipeline &
  Pick<GroupState, 'namespace' | 'group'> & { rules: { identity: string; alerts: StoredAlert[] }[] };

const withAllNumbers = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

// A state without alerts has no row.
export function stateWrites(before: Row | undefined, state: GroupState): Write[] {
  const { pipeline, ...rest } = state;
  const key = stateKey(pipeline, state.namespace, state.group);
  if (state.rules.length === 0)
    return before ? [{ op: 'remove', table: 'resource', key, version: before.version }] : [];
  const body = JSON.stringify({ ...ofPipeline(pipeline), ...rest }, withAllNumbers);
  const row = { ...(before ?? rowOf({ ...key, kind: 'alert-state' })), body };
  return [{ op: before ? 'update' : 'insert', table: 'resource', row }];
}

// The pipeline in the body of a row. Rows from before log rules existed have no source.
export type OfPipeline = Pick<AlertPipeline, 'region'> & { source?: string | undefined };
export const ofPipeline = ({ region, source }: AlertPipeline): OfPipeline => ({ region, source });
export const sourceIn = ({ source }: OfPipeline): string => source ?? 'monitoring';

const pipelineIn = ({ place }: Row, of: OfPipeline): AlertPipeline => {
  const [, , contract, id = ''] = place.split('/');
  return { source: sourceIn(of), id, contract: Number(contract), region: of.region };
};

export async function rowsBelow(store: Store, below: string): Promise<Row[]> {
  const found: Row[] = [];
  for await (const rows of store.pages({ contract: 0, below })) found.push(...rows);
  return found;
}

// Removes the rules of a deleted pipeline. Its alerts are resolved when the evaluation finds a state without rules.
export async function dropRules(store: Store, pipeline: string): Promise<void> {
  const rows = (await ruleRows(store)).filter(({ place }) => place.endsWith(`/${pipeline}`));
  if (rows.length > 0)
    await store.must(rows.map((key): Write => ({ op: 'remove', table: 'resource', key, loose: true })));
}

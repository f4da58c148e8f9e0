// Prometheus' read API for rules and alerts, as used by Grafana.
import { iso } from '../../../base/clock.ts';
import { scientific } from '../../../core/go-template/float-format.ts';
import type { AlertPipeline } from '../../../surface/alerting/source.ts';
import { filesOf, type RuleFile, stateAt } from '../alert-rows.ts';
import type { GroupName } from '../channels/notification-rows.ts';
import type { ActiveAlert } from '../evaluation/alert-state.ts';
import type { GroupStatus } from '../evaluation/group-status.ts';
import type { AlertTools } from '../ports.ts';
import { identityOf, intervalOf, labelsOf, type Rule, type RuleGroup, wordsOf } from './rule-group.ts';

export interface RuleReader {
  tools: Pick<AlertTools, 'store'>;
  memoryOf(about: GroupName): GroupStatus | undefined;
}

const never = '0001-01-01T00:00:00Z';

interface Looked {
  file: RuleFile;
  group: RuleGroup;
  memory: GroupStatus | undefined;
  alerts: ReadonlyMap<string, ActiveAlert[]>; // by the rule's identity
}

export async function answerRules(
  reader: RuleReader,
  pipeline: AlertPipeline,
  parameters: URLSearchParams,
): Promise<object> {
  const type = parameters.get('type');
  const names = parameters.getAll('rule_name[]');
  const groups = parameters.getAll('rule_group[]');
  const files = parameters.getAll('file[]');
  const isWanted = (rule: Rule): boolean =>
    (type === 'alert' ? rule.kind === 'alert' : type === 'record' ? rule.kind === 'record' : true) &&
    (names.length === 0 || names.includes(rule.name));
  const withAlerts = parameters.get('exclude_alerts') !== 'true';
  const looked = (await look(reader, pipeline))
    .filter(({ group }) => groups.length === 0 || groups.includes(group.name))
    .filter(({ file }) => files.length === 0 || files.includes(file.namespace));
  const shown = looked.map((one) => shownGroup(one, one.group.rules.filter(isWanted), withAlerts));
  const isFiltered = type !== null || names.length > 0;
  return success({ groups: isFiltered ? shown.filter(({ rules }) => rules.length > 0) : shown });
}

export async function answerAlerts(reader: RuleReader, pipeline: AlertPipeline): Promise<object> {
  const looked = await look(reader, pipeline);
  return success({ alerts: looked.flatMap(({ alerts }) => [...alerts.values()].flat().map(shownAlert)) });
}

const success = (data: object): object => ({ status: 'success', data });

// Groups evaluated by this process have newer values than the state.
async function look({ tools: { store }, memoryOf }: RuleReader, pipeline: AlertPipeline): Promise<Looked[]> {
  const found: Looked[] = [];
  for (const { value: file } of await filesOf(store, pipeline)) {
    for (const { group } of file.entries) {
      const about = { pipeline, namespace: file.namespace, group: group.name };
      const state = await stateAt(store, pipeline, file.namespace, group.name);
      const memory = memoryOf(about);
      const alerts = new Map(
        state?.value.rules.map(({ identity, alerts: kept }) => [
          identity,
          newest(kept, memory?.status(identity).alerts),
        ]),
      );
      found.push({ file, group, memory, alerts });
    }
  }
  return found;
}

function newest(kept: ActiveAlert[], known: readonly ActiveAlert[] = []): ActiveAlert[] {
  const byLabels = new Map(known.map((alert) => [JSON.stringify(alert.labels), alert]));
  return kept.map((alert) => {
    const other = byLabels.get(JSON.stringify(alert.labels));
    return other?.activeAt === alert.activeAt
      ? { ...alert, value: other.value, annotations: other.annotations }
      : alert;
  });
}

function shownGroup({ file, group, memory, alerts }: Looked, rules: Rule[], withAlerts: boolean) {
  return {
    name: group.name,
    file: file.namespace,
    rules: rules.map((rule) => {
      const identity = identityOf(group, rule);
      return shownRule(group, rule, memory?.status(identity), alerts.get(identity) ?? [], withAlerts);
    }),
    interval: intervalOf(group) / 1000,
    limit: group.limit,
    evaluationTime: (memory?.evaluationMs ?? 0) / 1000,
    lastEvaluation: memory?.lastEvaluation ? iso(memory.lastEvaluation) : never,
  };
}

type Status = ReturnType<GroupStatus['status']> | undefined;

function shownRule(group: RuleGroup, rule: Rule, status: Status, alerts: ActiveAlert[], withAlerts: boolean): object {
  const common = {
    name: rule.name,
    query: rule.expr,
    labels: wordsOf(labelsOf(group, rule)),
    health: status?.health ?? 'unknown',
    ...(status?.lastError && { lastError: status.lastError }),
    evaluationTime: (status?.evaluationMs ?? 0) / 1000,
    lastEvaluation: status?.lastEvaluation ? iso(status.lastEvaluation) : never,
  };
  if (rule.kind === 'record') return { ...common, type: 'recording' };
  return {
    state: worst(alerts),
    ...common,
    duration: rule.forMs / 1000,
    keepFiringFor: rule.keepMs / 1000,
    annotations: wordsOf(rule.annotations),
    ...(withAlerts && { alerts: alerts.map(shownAlert) }),
    type: 'alerting',
  };
}

export const worst = (alerts: readonly ActiveAlert[]): 'firing' | 'pending' | 'inactive' =>
  alerts.some(({ state }) => state === 'firing') ? 'firing' : alerts.length > 0 ? 'pending' : 'inactive';

export const shownAlert = ({ labels, annotations, state, activeAt, keptSince, value }: ActiveAlert): object => ({
  labels: wordsOf(labels),
  annotations: wordsOf(annotations),
  state,
  activeAt: iso(activeAt),
  ...(keptSince > 0 && { keepFiringSince: iso(keptSince) }),
  value: scientific(value),
});

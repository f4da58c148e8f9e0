// One evaluation of a rule group: its rules run one after another, since a rule may query results of an earlier one.
// The new state of the alerts and the notifications about them are one write set, so that none is lost.
import type { Write } from '../../../core/state/engine.ts';
import { type AlertPipeline, HeavyRule, RuleError } from '../../../surface/alerting/source.ts';
import { type GroupState, type Kept, stateAt, stateWrites } from '../alert-rows.ts';
import { type Channel, channelsFor, channelsOf } from '../channels/channel.ts';
import { type NotifiedAlert, notifiedAlert } from '../channels/notification.ts';
import { type GroupName, newsWrites } from '../channels/notification-rows.ts';
import type { AlertTools } from '../ports.ts';
import {
  type AlertRule,
  identityOf,
  labelsOf,
  type RecordRule,
  type Rule,
  type RuleGroup,
  sorted,
} from '../rules/rule-group.ts';
import { channelLabel } from '../rules/simple-rule.ts';
import { alertSamples, keyed, recordSamples, seriesAt } from './alert-series.ts';
import { type ActiveAlert, type Sample, stepAlerts, textOf } from './alert-state.ts';
import type { GroupStatus, RuleStatus } from './group-status.ts';
import { afterFailure, isPaused, pauseText } from './rule-pause.ts';

// Limit per group: its alerts are in one row, and in memory.
export const mostAlerts = 2000;
const mostText = 2 * 1024 * 1024; // characters of their labels and annotations

interface Round {
  tools: AlertTools;
  about: GroupName;
  group: RuleGroup;
  memory: GroupStatus;
  time: number;
  before: ReadonlyMap<string, ActiveAlert[]>; // by the identity of the rule
}

interface Outcome {
  rules: GroupState['rules'];
  resolved: { alert: ActiveAlert; expr: string }[];
  firing: { alert: ActiveAlert; expr: string }[];
  isChanged: boolean;
}

export async function evaluateGroup(
  tools: AlertTools,
  about: GroupName,
  group: RuleGroup,
  memory: GroupStatus,
  time: number,
): Promise<void> {
  const startedAt = performance.now();
  const kept = await stateAt(tools.store, about.pipeline, about.namespace, about.group);
  const before = new Map(kept?.value.rules.map(({ identity, alerts }) => [identity, alerts]));
  const round: Round = { tools, about, group, memory, time, before };
  memory.keepOnly(new Set(group.rules.map((rule) => identityOf(group, rule))));
  const outcome = await evaluateRules(round);
  if (!(await commit(round, kept, outcome))) return; // another node has changed it
  for (const { identity, alerts } of outcome.rules) memory.status(identity).alerts = alerts;
  await pushQuietly(round, kept, outcome);
  memory.ended(time, performance.now() - startedAt);
}

// The group was removed: its alerts are resolved.
export async function retireGroup(tools: AlertTools, kept: Kept<GroupState>, isPipelineThere: boolean): Promise<void> {
  const { pipeline, namespace, group: name, rules } = kept.value;
  const about = { pipeline, namespace, group: name };
  const alerts = rules.flatMap((rule) => rule.alerts);
  const resolved = alerts.filter(({ state }) => state === 'firing').map((alert) => ({ alert, expr: '' }));
  const outcome = { rules: [], firing: [], resolved, isChanged: true };
  const time = tools.now();
  if (!(await commit({ tools, about, time }, kept, outcome)) || !isPipelineThere) return;
  if (recordsIn(tools, pipeline)) await tools.push(pipeline, seriesAt([], keyed(alertSamples(alerts)), time));
}

async function evaluateRules(round: Round): Promise<Outcome> {
  const { group, before, memory } = round;
  const outcome: Outcome = { rules: [], resolved: [], firing: [], isChanged: false };
  const left = new Map(before);
  const remaining = { alerts: mostAlerts, text: mostText };
  for (const rule of group.rules) {
    const identity = identityOf(group, rule);
    const status = memory.status(identity);
    const before = left.get(identity) ?? [];
    left.delete(identity);
    const alerts = await evaluateRule(round, rule, status, { before, remaining, outcome });
    if (rule.kind === 'record') continue;
    remaining.alerts -= alerts.length;
    remaining.text -= alerts.reduce((sum, alert) => sum + textOf(alert), 0);
    status.alerts = alerts;
    if (alerts.length > 0) outcome.rules.push({ identity, alerts });
    outcome.firing.push(
      ...alerts.filter(({ state }) => state === 'firing').map((alert) => ({ alert, expr: rule.expr })),
    );
  }
  // Resolves the alerts of removed rules.
  for (const alerts of left.values()) {
    outcome.isChanged = true;
    outcome.resolved.push(...alerts.filter(({ state }) => state === 'firing').map((alert) => ({ alert, expr: '' })));
  }
  return outcome;
}

// The limits left for the following rules.
interface Remaining {
  alerts: number;
  text: number;
}

interface RuleRound {
  before: ActiveAlert[];
  remaining: Remaining;
  outcome: Outcome;
}

// Returns the current alerts of the rule. A paused or failing rule keeps its alerts, and its status has the reason.
async function evaluateRule(
  round: Round,
  rule: Rule,
  status: RuleStatus,
  { before, remaining, outcome }: RuleRound,
): Promise<ActiveAlert[]> {
  const { memory, time } = round;
  if (isPaused(status.pause, rule.expr, time)) return before;
  const startedAt = performance.now();
  let alerts = before;
  let failure = '';
  try {
    if (rule.kind === 'record') await record(round, rule, status);
    else {
      const { active, resolved, isChanged } = await step(round, rule, before, remaining);
      alerts = active;
      outcome.resolved.push(...resolved.map((alert) => ({ alert, expr: rule.expr })));
      outcome.isChanged ||= isChanged;
    }
    status.pause = undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error instanceof HeavyRule ? pause(round, rule, status, error.message) : error.message;
  }
  memory.went(status, time, performance.now() - startedAt, failure);
  return alerts;
}

function pause({ tools, about, time }: Round, { name, expr }: Rule, status: RuleStatus, error: string): string {
  status.pause = afterFailure(status.pause, expr, time);
  const text = pauseText(status.pause, error);
  const { pipeline, group } = about;
  if (status.pause.untilMs > 0) tools.log.warn('rule paused', { pipeline: pipeline.id, group, rule: name, text });
  return text;
}

async function querySamples(
  { sources }: AlertTools,
  pipeline: AlertPipeline,
  expr: string,
  timeMs: number,
): Promise<Sample[]> {
  const found = await sources.of(pipeline).query(pipeline, expr, timeMs);
  return found.map(({ labels, value }) => ({ labels: sorted(Object.entries(labels)), value }));
}

const recordsIn = ({ sources }: AlertTools, pipeline: AlertPipeline): boolean => sources.of(pipeline).language.records;

async function step(
  { tools, about, group, time }: Round,
  rule: AlertRule,
  before: ActiveAlert[],
  { alerts: most, text }: Remaining,
) {
  const { pipeline } = about;
  const samples = await querySamples(tools, pipeline, rule.expr, time - group.offsetMs);
  demandFew(samples.length, most); // before they are processed
  const externalURL = tools.dashboardUrl(pipeline.contract, pipeline.region);
  const facts = { rule, labels: labelsOf(group, rule), limit: group.limit, mostText: Math.max(0, text), externalURL };
  const stepped = stepAlerts(facts, before, samples, time);
  demandFew(stepped.active.length, most);
  return stepped;
}

function demandFew(alerts: number, most: number): void {
  if (alerts > most)
    throw new RuleError(`a group can have at most ${mostAlerts} alerts; this rule alone has ${alerts}`);
}

async function record({ tools, about, group, time }: Round, rule: RecordRule, status: RuleStatus): Promise<void> {
  const at = time - group.offsetMs;
  const found = await querySamples(tools, about.pipeline, rule.expr, at);
  if (group.limit > 0 && found.length > group.limit)
    throw new RuleError(`exceeded limit of ${group.limit} with ${found.length} series`);
  const samples = recordSamples(rule.name, labelsOf(group, rule), found);
  const now = keyed(samples);
  if (now.size < samples.length)
    throw new RuleError('vector contains metrics with the same labelset after applying rule labels');
  const series = seriesAt(samples, status.recorded, at);
  if (series.length > 0) await tools.push(about.pipeline, series);
  status.recorded = now;
}

// Returns false if another writer has changed the state since it was read.
async function commit(
  round: Pick<Round, 'tools' | 'about' | 'time'>,
  kept: Kept<GroupState> | undefined,
  outcome: Outcome,
): Promise<boolean> {
  const { tools, about } = round;
  const { store, seal, now } = tools;
  const { firing, resolved } = outcome;
  const channels = firing.length + resolved.length > 0 ? await channelsOf(store, about.pipeline, seal) : [];
  const news = newsFor(round, channels, outcome);
  if (!outcome.isChanged && news.size === 0) return true;
  return store.change(async () => {
    const current = await stateAt(store, about.pipeline, about.namespace, about.group);
    if (current?.row.version !== kept?.row.version) return { writes: [], value: false };
    const writes: Write[] = [...stateWrites(current?.row, { ...about, rules: outcome.rules })];
    for (const [channel, alerts] of news) writes.push(...(await newsWrites(store, about, channel, alerts, now())));
    return { writes, value: true };
  });
}

// Adds a firing alert for each of its channels that does not have it yet, and a resolved one for those that have it.
function newsFor(
  { tools, about, time }: Pick<Round, 'tools' | 'about' | 'time'>,
  channels: readonly Channel[],
  { firing, resolved }: Outcome,
): Map<Channel, NotifiedAlert[]> {
  const news = new Map<Channel, NotifiedAlert[]>();
  const tell = (channel: Channel, alert: NotifiedAlert): void => {
    const known = news.get(channel);
    if (known) known.push(alert);
    else news.set(channel, [alert]);
  };
  const now = tools.now();
  for (const { alert, expr } of firing) {
    for (const channel of channelsFor(channels, new Map(alert.labels).get(channelLabel))) {
      if (alert.told.includes(channel.id)) continue;
      alert.told = [...alert.told, channel.id];
      tell(channel, notifiedAlert(alert, generatorUrl(tools, about, expr), now));
    }
  }
  for (const { alert, expr } of resolved)
    for (const channel of channels)
      if (alert.told.includes(channel.id))
        tell(channel, notifiedAlert(alert, generatorUrl(tools, about, expr), now, time));
  return news;
}

function generatorUrl({ sources }: AlertTools, { pipeline }: GroupName, expr: string): string {
  const url = new URL(sources.of(pipeline).dashboardUrl(pipeline.contract, pipeline.region));
  url.searchParams.set('pipeline', pipeline.id);
  if (expr !== '') url.searchParams.set('expr', expr);
  return url.href;
}

// The state of the alerts is stored already, so a failed push of their series is only logged.
async function pushQuietly({ tools, about, group, time }: Round, kept: Kept<GroupState> | undefined, outcome: Outcome) {
  if (!recordsIn(tools, about.pipeline)) return;
  const before = kept?.value.rules.flatMap(({ alerts }) => alerts) ?? [];
  const samples = alertSamples(outcome.rules.flatMap(({ alerts }) => alerts));
  const series = seriesAt(samples, keyed(alertSamples(before)), time - group.offsetMs);
  if (series.length === 0) return;
  try {
    await tools.push(about.pipeline, series);
  } catch (error) {
    tools.log.warn('alert series not written', { pipeline: about.pipeline.id, group: about.group, error });
  }
}

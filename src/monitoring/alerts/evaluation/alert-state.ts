// The state of an alert rule's alerts after one evaluation, as in Prometheus: pending for a while, firing, kept firing
// for a while, and resolved. Pure functions.

import { StringMap } from '../../../core/go-template/values.ts';
import { RuleError } from '../../../surface/alerting/source.ts';
import type { Labels } from '../../series.ts';
import { type AlertRule, merged } from '../rules/rule-group.ts';
import { parseTemplate } from '../templates/template.ts';

export interface Sample {
  labels: Labels;
  value: number;
}

export interface ActiveAlert {
  labels: Labels; // with alertname and the rule's labels
  annotations: Labels;
  state: 'pending' | 'firing';
  activeAt: number; // since when its condition holds
  firedAt: number; // 0: not yet
  keptSince: number; // 0: its condition holds. Otherwise since when it is only kept firing
  value: number;
  told: string[]; // ids of the notified channels
}

export interface Stepped {
  active: ActiveAlert[];
  resolved: ActiveAlert[]; // firing alerts that have ended
  isChanged: boolean; // in more than values and annotations
}

export interface RuleFacts {
  rule: AlertRule;
  labels: Labels; // of group and rule
  limit: number;
  mostText?: number; // characters of labels and annotations of all alerts
  externalURL: string;
}

const mostWork = 32 * 1024 * 1024; // limit for the characters processed by a rule's templates

export function stepAlerts(
  facts: RuleFacts,
  before: readonly ActiveAlert[],
  samples: readonly Sample[],
  time: number,
): Stepped {
  const { rule, limit } = facts;
  if (limit > 0 && samples.length > limit)
    throw new RuleError(`exceeded limit of ${limit} with ${samples.length} alerts`);
  const found = alertsOf(facts, samples, time);
  const active: ActiveAlert[] = [];
  const resolved: ActiveAlert[] = [];
  let isChanged = false;
  for (const alert of before) {
    const key = keyOf(alert.labels);
    const again = found.get(key);
    found.delete(key);
    const next = again ? goesOn(rule, alert, again, time) : fades(rule, alert, time);
    if (next) active.push(next);
    else if (alert.state === 'firing') resolved.push(alert);
    if (!next || isOther(alert, next)) isChanged = true;
  }
  for (const alert of found.values()) {
    active.push(ripened(rule, alert, time));
    isChanged = true;
  }
  return { active, resolved, isChanged };
}

// The number of characters of an alert.
export const textOf = ({ labels, annotations }: Pick<ActiveAlert, 'labels' | 'annotations'>): number =>
  [...labels, ...annotations].reduce((sum, [name, text]) => sum + name.length + text.length, 0);

export const keyOf = (labels: Labels): string => JSON.stringify(labels);

const isOther = (a: ActiveAlert, b: ActiveAlert): boolean => a.state !== b.state || a.keptSince !== b.keptSince;

const goesOn = (rule: AlertRule, alert: ActiveAlert, { annotations, value }: ActiveAlert, time: number): ActiveAlert =>
  ripened(rule, { ...alert, annotations, value, keptSince: 0 }, time);

const ripened = (rule: AlertRule, alert: ActiveAlert, time: number): ActiveAlert =>
  alert.state === 'pending' && time - alert.activeAt >= rule.forMs
    ? { ...alert, state: 'firing', firedAt: time }
    : alert;

function fades(rule: AlertRule, alert: ActiveAlert, time: number): ActiveAlert | undefined {
  if (alert.state === 'pending' || rule.keepMs === 0) return undefined;
  const keptSince = alert.keptSince || time;
  return time - keptSince < rule.keepMs ? { ...alert, keptSince } : undefined;
}

function alertsOf(facts: RuleFacts, samples: readonly Sample[], time: number): Map<string, ActiveAlert> {
  const { rule, externalURL, mostText = Infinity } = facts;
  const budget = { left: mostWork };
  let size = 0;
  const labelTemplates = facts.labels.map(([name, text]) => [name, parseTemplate(text)] as const);
  const annotationTemplates = rule.annotations.map(([name, text]) => [name, parseTemplate(text)] as const);
  const found = new Map<string, ActiveAlert>();
  for (const { labels: own, value } of samples) {
    const shown = own.filter(([name]) => name !== '__name__');
    const data = { labels: new StringMap(own), value, externalURL, budget };
    const added = labelTemplates.map(([name, template]) => [name, template.expand(data)] as const);
    const labels = merged(shown, added, [['alertname', rule.name]]);
    const key = keyOf(labels);
    if (found.has(key))
      throw new RuleError('vector contains metrics with the same labelset after applying alert labels');
    const annotations = annotationTemplates.map(([name, template]) => [name, template.expand(data)] as const);
    const fresh = { state: 'pending', activeAt: time, firedAt: 0, keptSince: 0, told: [] } as const;
    found.set(key, { ...fresh, labels, annotations, value, told: [] });
    size += textOf({ labels, annotations });
    if (size > mostText)
      throw new RuleError(
        `labels and annotations of its alerts have more than ${mostText} characters, which is the limit left`,
      );
  }
  return found;
}

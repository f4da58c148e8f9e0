// The alert rules of a region with what their alerts are at: those of the simple form, which are made and changed
// here, and those that came as files, which are shown.
import { button, type Child, element, freshId, link } from '../dom.ts';
import { confirmed } from '../parts/confirm.ts';
import { empty } from '../parts/states.ts';
import { table } from '../parts/table.ts';
import { perform } from '../parts/toast.ts';
import { root } from '../router.ts';
import { distance, timeElement } from '../times.ts';
import {
  type ActiveAlert,
  type AlertState,
  type Channel,
  deleteRule,
  type FileRule,
  type Rule,
} from './alert-calls.ts';
import { numberOf, seriesText } from './plot.ts';
import { openRuleForm } from './rule-form.ts';
import type { Sources } from './sources.ts';
import { formatValue, unitOf } from './units.ts';

export interface RulesOptions {
  sources: Sources;
  rules: readonly Rule[];
  fileRules: readonly FileRule[];
  channels: readonly Channel[];
  nowMs: number;
  signal: AbortSignal;
  onChange(text: string): void;
}

export function rulesSection(options: RulesOptions): HTMLElement {
  const { sources, rules, fileRules, signal, onChange } = options;
  const id = freshId('rules');
  return element(
    'section',
    { class: 'part', 'aria-labelledby': id },
    element(
      'div',
      { class: 'head' },
      element('h2', { id }, 'Alert rules'),
      button('New rule', () => openRuleForm({ sources, signal, onDone: () => onChange('The rule was made.') })),
    ),
    rules.length === 0 ? empty('There are no alert rules yet.') : ruleTable(options),
    fileRules.length > 0 && fileTable(options),
  );
}

const ruleTable = (options: RulesOptions): HTMLElement =>
  table({
    caption: 'Alert rules',
    rows: options.rules,
    columns: [
      { title: 'State', cell: ({ metadata }) => stateBadge(metadata.state) },
      { title: 'Name', cell: ({ properties }) => [properties.name, labelsOf(properties.labels)] },
      { title: 'Condition', cell: (rule) => conditionOf(rule, options) },
      { title: 'Alerts', cell: ({ metadata, properties }) => alertsOf(metadata, properties, options.nowMs) },
      { title: 'Tells', cell: ({ properties }) => toldOf(properties.channel, options.channels) },
      { title: 'Actions', look: 'buttons', cell: (rule) => actionsOf(rule, options) },
    ],
  });

function fileTable({ fileRules, nowMs }: RulesOptions): Child {
  return [
    element('h3', {}, 'From rule files'),
    table({
      caption: 'Alert rules from rule files',
      rows: fileRules,
      columns: [
        { title: 'State', cell: ({ state }) => stateBadge(state) },
        { title: 'Name', cell: ({ name, group }) => [name, element('small', {}, group)] },
        {
          title: 'Condition',
          cell: ({ query, duration, source }) => [
            element('code', {}, query),
            element('small', {}, `for ${formatValue(duration, 'seconds')}, ${source.name}`),
          ],
        },
        { title: 'Alerts', cell: (rule) => alertsOf(rule, { expression: rule.query, labels: {} }, nowMs) },
      ],
    }),
  ];
}

const looks: Record<AlertState, string> = { inactive: 'good', pending: 'waits', firing: 'fires' };

const stateBadge = (state: AlertState): HTMLElement => element('span', { class: `badge ${looks[state]}` }, state);

const labelsOf = (labels: Record<string, string>): Child =>
  Object.keys(labels).length > 0 && element('small', {}, seriesText(labels).slice(1, -1));

function conditionOf({ properties }: Rule, { sources }: RulesOptions): Child {
  const { expression, comparison, threshold, pipeline } = properties;
  const source = sources.all.find(({ id }) => id === pipeline);
  const address = `${root}/monitoring/${sources.region}?${new URLSearchParams({ pipeline, expr: expression })}`;
  return [
    element('code', {}, `${expression} ${comparison} ${threshold}`),
    element(
      'small',
      {},
      `for ${properties.for}, ${source?.name ?? 'a pipeline that is gone'} · `,
      // The router follows paths alone, so this one is the browser's.
      link(address, 'Chart', { target: '_self', 'aria-label': `Chart of ${properties.name}` }),
    ),
  ];
}

interface Watched {
  alerts: readonly ActiveAlert[];
  lastError?: string;
}

// What the columns beside it tell already.
const told: ReadonlySet<string> = new Set(['alertname', 'channel']);

type Watching = Pick<Rule['properties'], 'expression' | 'labels'>;

function alertsOf({ alerts, lastError }: Watched, { expression, labels: own }: Watching, nowMs: number): Child {
  if (alerts.length === 0 && lastError === undefined) return 'none';
  return [
    lastError !== undefined && element('span', { class: 'problem' }, lastError),
    alerts.length > 0 &&
      element(
        'ul',
        { class: 'alerts' },
        alerts.slice(0, 10).map(({ labels, state, activeAt, value }) => {
          const differing = Object.entries(labels).filter(([name]) => !told.has(name) && !(name in own));
          const shown = seriesText(Object.fromEntries(differing));
          return element(
            'li',
            {},
            `${state} since `,
            timeElement(activeAt),
            ` (${distance(activeAt, nowMs)}), at ${formatValue(numberOf(value), unitOf(expression))}`,
            shown !== '' && element('small', {}, shown),
          );
        }),
        alerts.length > 10 && element('li', {}, `and ${alerts.length - 10} more`),
      ),
  ];
}

function toldOf(channel: string | null, channels: readonly Channel[]): Child {
  if (channel === null) return 'all that take it';
  return (
    channels.find(({ id, properties }) => id === channel || properties.name === channel)?.properties.name ?? channel
  );
}

function actionsOf(rule: Rule, { sources, signal, onChange }: RulesOptions): Child {
  const { name } = rule.properties;
  const change = (): void => openRuleForm({ sources, rule, signal, onDone: () => onChange('The rule was changed.') });
  const remove = async (): Promise<void> => {
    const isDone = await confirmed({
      title: 'Delete this rule?',
      text: `${name} is looked at no more. What it fires now is over.`,
      action: 'Delete',
      act: () => deleteRule(sources.region, rule.id),
    });
    if (isDone) onChange('The rule was deleted.');
  };
  return element(
    'span',
    { class: 'actions pair' },
    button('Edit', change, { look: 'plain', label: `Edit rule ${name}` }),
    button('Delete', () => perform(remove), { look: 'plain', label: `Delete rule ${name}` }),
  );
}

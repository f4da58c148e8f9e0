// The alert rules of a region with their alerts: simple rules, which the user creates and changes here, and rules from
// files, which are read-only.
import { type Action, Button, RowActions } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Badge, type BadgeProps, Noted, Section, Time } from '../../components/text.tsx';
import { numberOf, seriesText } from '../../plot/plot.ts';
import { formatValue, unitOf } from '../../plot/units.ts';
import { distance } from '../../times.ts';
import { expressionUrl } from '../../urls.ts';
import {
  type ActiveAlert,
  type Alerting,
  type AlertState,
  type Channel,
  deleteRule,
  type FileRule,
  type Rule,
  ruleRefusal,
} from './alerting-api.ts';
import { openRuleForm } from './rule-form.tsx';

export interface RulesProps extends Alerting {
  onChange(text: string): void;
}

export function RulesSection(props: RulesProps) {
  const { sources, rules, fileRules, nowMs, onChange } = props;
  const make = (): void => openRuleForm({ sources, onDone: () => onChange('Rule created.') });
  return (
    <Section
      title="Alert rules"
      main={<Button icon="plus" text="Create rule" obstacle={ruleRefusal(sources.region, 'POST')} onPress={make} />}
    >
      {rules.length === 0 ? (
        <Empty text="There are no alert rules yet." />
      ) : (
        <Table caption="Alert rules" rows={rules} keyOf={({ id }) => id} columns={ruleColumns(props)} />
      )}
      {fileRules.length > 0 && (
        <>
          <h3>From rule files</h3>
          <Table
            caption="Alert rules from rule files"
            rows={fileRules}
            keyOf={({ source, group, name }) => `${source.id} ${group} ${name}`}
            columns={fileColumns(nowMs)}
          />
        </>
      )}
    </Section>
  );
}

const ruleColumns = (props: RulesProps): Column<Rule>[] => [
  { title: 'State', cell: ({ metadata }) => <State state={metadata.state} /> },
  {
    title: 'Name',
    cell: ({ properties: { name, labels } }) => <Noted note={seriesText(labels).slice(1, -1)}>{name}</Noted>,
  },
  { title: 'Condition', cell: (rule) => <Condition rule={rule} sources={props.sources} /> },
  {
    title: 'Alerts',
    cell: ({ metadata, properties: { expression, labels } }) => (
      <Alerts {...metadata} expression={expression} labels={labels} nowMs={props.nowMs} />
    ),
  },
  { title: 'Channel', cell: ({ properties }) => channelText(properties.channel, props.channels) },
  {
    title: 'Actions',
    look: 'buttons',
    cell: (rule) => <RowActions of={`rule ${rule.properties.name}`} actions={actionsOf(rule, props)} />,
  },
];

const fileColumns = (nowMs: number): Column<FileRule>[] => [
  { title: 'State', cell: ({ state }) => <State state={state} /> },
  { title: 'Name', cell: ({ name, group }) => <Noted note={group}>{name}</Noted> },
  {
    title: 'Condition',
    cell: ({ query, duration, source }) => (
      <Noted note={`for ${formatValue(duration, 'seconds')}, ${source.name}`}>
        <code>{query}</code>
      </Noted>
    ),
  },
  { title: 'Alerts', cell: (rule) => <Alerts {...rule} expression={rule.query} labels={{}} nowMs={nowMs} /> },
];

const looks: Record<AlertState, BadgeProps['look']> = { inactive: 'good', pending: 'waits', firing: 'fires' };

const State = ({ state }: { state: AlertState }) => <Badge look={looks[state]} text={state} />;

function Condition({ rule: { properties }, sources }: { rule: Rule; sources: Alerting['sources'] }) {
  const { name, expression, comparison, threshold, pipeline } = properties;
  const source = sources.all.find(({ id }) => id === pipeline);
  return (
    <>
      <code>
        {expression} {comparison} {threshold}
      </code>
      <small>
        for {properties.for}, {source?.name ?? 'a deleted pipeline'} ·{' '}
        {/* The router ignores queries, so the browser follows this link. */}
        <a href={expressionUrl(sources.region, pipeline, expression)} target="_self" aria-label={`Chart of ${name}`}>
          Chart
        </a>
      </small>
    </>
  );
}

// Labels that other columns show.
const columnLabels: ReadonlySet<string> = new Set(['alertname', 'channel']);
const mostAlerts = 10;

interface AlertsProps {
  alerts: readonly ActiveAlert[];
  lastError?: string;
  expression: string;
  labels: Record<string, string>; // the rule's own
  nowMs: number;
}

function Alerts({ alerts, lastError, expression, labels: own, nowMs }: AlertsProps) {
  if (alerts.length === 0 && lastError === undefined) return <>none</>;
  const unit = unitOf(expression);
  return (
    <>
      {lastError !== undefined && <span class="problem">{lastError}</span>}
      {alerts.length > 0 && (
        <ul class="alerts">
          {alerts.slice(0, mostAlerts).map(({ labels, state, activeAt, value }) => {
            const differing = Object.entries(labels).filter(([name]) => !columnLabels.has(name) && !(name in own));
            const series = seriesText(Object.fromEntries(differing));
            return (
              <li key={JSON.stringify(labels)}>
                {state} since <Time iso={activeAt} /> ({distance(activeAt, nowMs)}), at{' '}
                {formatValue(numberOf(value), unit)}
                {series !== '' && <small>{series}</small>}
              </li>
            );
          })}
          {alerts.length > mostAlerts && <li>and {alerts.length - mostAlerts} more</li>}
        </ul>
      )}
    </>
  );
}

function channelText(channel: string | null, channels: readonly Channel[]): string {
  if (channel === null) return 'default channels';
  const found = channels.find(({ id, properties }) => id === channel || properties.name === channel);
  return found?.properties.name ?? channel;
}

function actionsOf(rule: Rule, { sources, onChange }: RulesProps): readonly Action[] {
  const edit = (): void => openRuleForm({ sources, rule, onDone: () => onChange('Rule changed.') });
  const remove = (): void =>
    confirm({
      title: 'Delete this rule?',
      text: `${rule.properties.name} is no longer evaluated, and its alerts end.`,
      action: 'Delete',
      act: () => deleteRule(sources.region, rule.id),
      onDone: () => onChange('Rule deleted.'),
    });
  return [
    ['Edit', edit, 'Edit', ruleRefusal(sources.region, 'PUT', rule.id)],
    ['Delete', remove, 'Delete', ruleRefusal(sources.region, 'DELETE', rule.id)],
  ];
}

// The tab Scaling of an auto scaling group: replicas, the metric and its thresholds over time, and the last actions
// with their reasons.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { call } from '../api.ts';
import { Resource } from '../components/fetched.ts';
import { useAbortSignal } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, type BadgeProps, Noted, Section, Time } from '../components/text.tsx';
import { regionOfLocation } from '../compute/location.ts';
import { CentralCharts } from '../monitoring/plot/central-charts.tsx';
import { type SourceChart, SourceCharts } from '../monitoring/plot/source-charts.tsx';
import type { TabProps } from '../resources/extension.ts';
import type { Item } from '../resources/model.ts';
import { useFresh } from '../resources/use-fresh.ts';
import { resourceUrl } from '../urls.ts';
import {
  type Action,
  actionsOf,
  countExpression,
  type Group,
  groupOf,
  type LabLook,
  metricExpression,
  metricText,
  metricTitle,
  orphanText,
  type Replica,
  reasonOf,
  replicasOf,
  rulesOf,
  unitOfMetric,
  whatOf,
} from './group.ts';

const refreshMs = 10_000;
const mostActions = 30;

interface Found {
  replicas: readonly Replica[];
  actions: readonly Action[];
  look: LabLook | undefined;
}

export function ScalingTab({ item, path, session, facts }: TabProps) {
  const group = useMemo(() => groupOf(item), [item]);
  const orphan = orphanText(item);
  const isLabOpen = session.role !== 'user' && facts.services.some(({ name }) => name === 'lab');
  const read = async (signal: AbortSignal): Promise<Found> => {
    const list = (name: string) => call<{ items: Item[] }>('GET', `${path}/${name}`, { signal });
    const [servers, actions, look] = await Promise.all([
      list('servers?depth=1&limit=200'),
      list(`actions?depth=1&limit=${mostActions}`),
      isLabOpen ? call<LabLook>('GET', `/lab/groups/${item.id}`, { signal }) : undefined,
    ]);
    return { replicas: replicasOf(servers.items), actions: actionsOf(actions.items, look), look };
  };
  const ending = useAbortSignal();
  const found = useMemo(() => new Resource(read, ending), []);
  const answer = found.answer.value;
  useFresh([path], () => found.reload(), answer !== undefined && 'value' in answer && isScaling(answer.value));
  useLayoutEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void found.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Loaded resource={found} what="the replicas and actions">
      {({ replicas, actions, look }) => (
        <div class="as">
          {orphan !== undefined && <Empty text={orphan} />}
          <Figures group={group} replicas={replicas} actions={actions} look={look} isOrphan={orphan !== undefined} />
          {orphan === undefined && <Charts group={group} replicas={replicas} regions={facts.regions} />}
          <Actions group={group} actions={actions} isLabOpen={look !== undefined} />
          <Replicas replicas={replicas} />
        </div>
      )}
    </Loaded>
  );
}

const isScaling = ({ actions }: Found): boolean => actions.some(({ status }) => status === 'IN_PROGRESS');

function Figures({ group, replicas, actions, look, isOrphan }: Found & { group: Group; isOrphan: boolean }) {
  const { least, most, policy } = group;
  const current = actions.find(({ status }) => status === 'IN_PROGRESS');
  const quiet = look?.cooldownUntil ?? look?.retryAt;
  return (
    <div class="as-figures">
      <Figure title="Replicas" value={String(replicas.length)} note={`${least} to ${most}`}>
        <Slots count={replicas.length} least={least} most={most} />
      </Figure>
      {look && (
        <Figure
          title={`${metricTitle(policy)} now`}
          value={look.value === null ? 'none' : metricText(policy, look.value)}
          note={look.value === null ? 'No replica was running.' : 'average of all replicas'}
        >
          {look.value !== null && <Scale value={look.value} group={group} />}
        </Figure>
      )}
      <Figure
        title="State"
        value={isOrphan ? 'Inactive' : current ? 'Scaling' : 'Steady'}
        note={current ? whatOf(current) : quiet ? <Quiet until={quiet} isRetry={look?.cooldownUntil === null} /> : ''}
      />
      <Figure title="Policy" note={rulesOf(group).map((rule) => [rule, <br key={rule} />])} />
    </div>
  );
}

const Quiet = ({ until, isRetry }: { until: string; isRetry: boolean }) => (
  <>
    {isRetry ? 'retries at ' : 'cooldown until '}
    <Time iso={until} />
  </>
);

interface FigureProps {
  title: string;
  value?: string;
  note: ComponentChildren;
  children?: ComponentChildren;
}

const Figure = ({ title, value, note, children }: FigureProps) => (
  <div class="as-figure">
    <p class="as-title">{title}</p>
    {value !== undefined && <p class="as-value">{value}</p>}
    {children}
    <p class="as-note">{note}</p>
  </div>
);

const mostSlots = 60;

// A square for each possible replica.
function Slots({ count, least, most }: { count: number; least: number; most: number }) {
  if (most > mostSlots) return null;
  return (
    <p class="as-slots" aria-hidden="true">
      {Array.from({ length: most }, (_, at) => (
        <span key={at} class={at < count ? 'full' : at < least ? 'due' : ''} />
      ))}
    </p>
  );
}

const scaleWidth = 160;

// The value between the thresholds.
function Scale({ value, group: { policy } }: { value: number; group: Group }) {
  const { scaleInThreshold: low, scaleOutThreshold: high } = policy;
  const top = Math.max(high * 1.3, value * 1.05, 1e-9);
  const at = (one: number): number => (one / top) * scaleWidth;
  const look = value > high ? 'high' : value < low ? 'low' : 'within';
  return (
    <svg class="as-scale" width={scaleWidth} height={14} aria-hidden="true">
      <rect class="as-ground" width={scaleWidth} height={6} y={4} rx={3} />
      <rect class={`as-now ${look}`} width={at(value)} height={6} y={4} rx={3} />
      <path class="as-threshold" d={`M${at(low)} 0v14M${at(high)} 0v14`} />
    </svg>
  );
}

interface ChartsProps {
  group: Group;
  replicas: readonly Replica[];
  regions: readonly string[];
}

function Charts({ group, replicas, regions }: ChartsProps) {
  const servers = replicas.map(({ server }) => server).sort();
  const { policy } = group;
  const charts = useMemo(
    (): SourceChart[] => [
      {
        title: metricTitle(policy),
        queries: [{ expression: metricExpression(group, servers), legend: 'average of replicas' }],
        unit: unitOfMetric(policy),
        thresholds: [policy.scaleInThreshold, policy.scaleOutThreshold],
      },
      {
        title: 'Running replicas',
        queries: [{ expression: countExpression(group, servers), legend: 'replicas' }],
        unit: 'number',
        thresholds: [group.least, group.most],
      },
    ],
    [group, servers.join()],
  );
  return (
    <CentralCharts region={regionOfLocation(group.location)} regions={regions} what="the metrics of replicas over time">
      {(source) => <SourceCharts source={source} charts={charts} />}
    </CentralCharts>
  );
}

const statusLooks: Record<string, BadgeProps['look']> = { SUCCESSFUL: 'good', FAILED: 'fires', IN_PROGRESS: 'waits' };

interface ActionsProps {
  group: Group;
  actions: readonly Action[];
  isLabOpen: boolean;
}

const Actions = ({ group, actions, isLabOpen }: ActionsProps) => (
  <Section
    title="Last actions"
    {...(!isLabOpen && { lead: 'The lab knows the reason of each action. It is open to administrators.' })}
  >
    <Table
      caption="Last actions"
      rows={actions}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Started', cell: ({ began }) => <Time iso={began} /> },
        { title: 'Action', cell: (action) => whatOf(action) },
        {
          title: 'Reason',
          cell: (action) => <Noted note={action.message}>{reasonOf(action, group.policy)}</Noted>,
        },
        {
          title: 'Outcome',
          cell: ({ status }) => (
            <Badge look={statusLooks[status] ?? 'old'} text={status.toLowerCase().replaceAll('_', ' ')} />
          ),
        },
      ]}
    />
  </Section>
);

const Replicas = ({ replicas }: Pick<Found, 'replicas'>) => (
  <Section title="Replicas">
    <Table
      caption="Replicas"
      rows={replicas}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Server', cell: ({ name, path }) => <a href={resourceUrl('cloudapi', path)}>{name}</a> },
        {
          title: 'State',
          cell: ({ state }) => (
            <Badge
              look={state === 'AVAILABLE' ? 'good' : state === 'BUSY' ? 'waits' : 'old'}
              text={state.toLowerCase()}
            />
          ),
        },
        {
          title: 'Metrics',
          cell: ({ path, name }) => (
            <a href={resourceUrl('cloudapi', path, { tab: 'metrics' })} aria-label={`Metrics of ${name}`}>
              Metrics
            </a>
          ),
        },
      ]}
    />
  </Section>
);

// The overview: the landscape, problems, costs, limits and the last changes.

import { actionText, subjectOf } from '../activity/activity-model.ts';
import type { Resource } from '../components/fetched.ts';
import { Icon } from '../components/icon.tsx';
import { useRefresh, useResource } from '../components/resource.ts';
import { Badge } from '../components/text.tsx';
import { type Cost, type Money, readCost } from '../costs/billing-api.ts';
import { amountOf, forecastOf, moneyText, spentText } from '../costs/costs-model.ts';
import { LimitMeters } from '../limits/limit-meters.tsx';
import { limitsOf, readFigures } from '../limits/limits-model.ts';
import { useChanges } from '../live.ts';
import { regionNowMs } from '../region-clock.ts';
import { agoText } from '../requests/request-rows.tsx';
import type { PageProps } from '../router.ts';
import { hasPrivilege } from '../session.ts';
import { activityUrl, costsUrl, limitsUrl, requestUrl } from '../urls.ts';
import { type Demo, mayUseDemo, readDemo } from './demo-api.ts';
import { DemoButton, DemoState } from './demo-part.tsx';
import { FirstSteps } from './first-steps.tsx';
import { type Landscape, landscapePaths, readLandscape } from './landscape-data.ts';
import { crashedOf } from './landscape-model.ts';
import { LandscapePanel } from './landscape-panel.tsx';
import {
  alertRules,
  type Count,
  countedKinds,
  countOf,
  type Glance,
  isNothing,
  type Kind,
  type LastChanges,
  lastChanges,
  readGlance,
} from './overview-data.ts';
import { Panel } from './overview-panel.tsx';
import { ProblemsPanel } from './problems-panel.tsx';

const alertRefreshMs = 15_000;

export function OverviewPage({ session, facts }: PageProps) {
  const kinds = countedKinds();
  const seesAlerts = hasPrivilege(session, 'accessAndManageMonitoring');
  const counts = useResource<Count[]>((signal) => Promise.all(kinds.map((one) => countOf(one, session, signal))));
  const landscape = useResource<Landscape>(readLandscape);
  const glance = useResource<Glance>((signal) => readGlance(facts.home, seesAlerts, signal));
  const hasDemo = mayUseDemo(session, facts);
  const demo = useResource<Demo>(async (signal) => (hasDemo ? readDemo(signal) : { state: 'OFF', resources: 0 }));
  useChanges([...pathsOf(kinds), ...landscapePaths, alertRules], () => {
    for (const one of [counts, landscape, glance, demo]) void one.reload();
  });
  useRefresh(glance, alertRefreshMs); // no change of a resource reports that an alert fires
  const isEmpty = isNothing(valueIn(counts) ?? ['?']);
  return (
    <div class="overview">
      <h1 tabIndex={-1}>Overview</h1>
      {!isEmpty && <Counts kinds={kinds} counts={counts} />}
      <DemoState demo={demo} />
      {isEmpty && <FirstSteps>{hasDemo && valueIn(demo)?.state === 'OFF' && <DemoButton demo={demo} />}</FirstSteps>}
      <div class="overview-columns">
        <div>
          {!isEmpty && <LandscapePanel landscape={landscape} />}
          {hasPrivilege(session, 'accessActivityLog') && <Changes />}
        </div>
        <div>
          <ProblemsPanel glance={glance} crashed={crashedOf(valueIn(landscape)?.sites ?? [])} />
          {session.role !== 'user' && <Costs />}
          <Limits />
        </div>
      </div>
    </div>
  );
}

function valueIn<T>({ answer }: Resource<T>): T | undefined {
  const known = answer.value;
  return known && 'value' in known ? known.value : undefined;
}

const pathsOf = (kinds: readonly Kind[]): string[] => kinds.map(({ path }) => path);

// Only what the contract has.
function Counts({ kinds, counts }: { kinds: readonly Kind[]; counts: Resource<Count[]> }) {
  const known = valueIn(counts) ?? [];
  return (
    <ul class="overview-counts" aria-label="Resources">
      {kinds.map(({ title, icon, url }, at) => {
        const count = known[at];
        return count === undefined || count === '0' ? null : (
          <li key={title}>
            <a href={url}>
              <Icon name={icon} />
              <strong>{count}</strong> <span>{title}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Changes() {
  const changes = useResource(lastChanges);
  useChanges(pathsOf(countedKinds()), () => void changes.reload());
  return (
    <Panel
      title="Last changes"
      class="overview-changes"
      url={activityUrl()}
      resource={changes}
      what="the activity"
      rows={6}
    >
      {(found) => <ChangeList {...found} />}
    </Panel>
  );
}

function ChangeList({ entries, read, isWhole }: LastChanges) {
  if (entries.length === 0)
    return (
      <p class="overview-none">
        {isWhole ? 'There are no changes yet.' : `The last ${read.toLocaleString()} calls were reads.`}
      </p>
    );
  return (
    <ul class="overview-rows">
      {entries.map((entry) => {
        const { id, action, user, status, time, requestId } = entry;
        return (
          <li key={id}>
            <span class="overview-text">
              <a class="overview-link" href={requestId === '' ? activityUrl({ at: time }) : requestUrl(requestId)}>
                {actionText(action)}
              </a>{' '}
              <span class="overview-subject">{subjectOf([entry])}</span>
              <small class="overview-note">{user}</small>
            </span>
            {(status === 'FAILED' || status === 'REFUSED') && (
              <Badge look={status === 'FAILED' ? 'fires' : 'waits'} text={status === 'FAILED' ? 'Failed' : 'Refused'} />
            )}
            <small class="overview-ago">{agoText(time, regionNowMs())}</small>
          </li>
        );
      })}
    </ul>
  );
}

function Costs() {
  const cost = useResource<Cost>(readCost);
  return (
    <Panel title="Costs this month" url={costsUrl()} resource={cost} what="the costs" rows={4}>
      {(known) => {
        const { total, perHour, products } = known;
        const shareOf = (amount: Money): number => Number(amount.quantity) / Number(total.quantity) || 0;
        return (
          <>
            <p class="overview-figure">
              <strong>{spentText(total, perHour)}</strong> <small>so far</small>
              <small class="overview-forecast">
                {`${moneyText(forecastOf(known, regionNowMs()), total.unit)} forecast for the month, `}
                {`${moneyText(amountOf(perHour.quantity), perHour.unit)} per hour`}
              </small>
            </p>
            <ul class="overview-products">
              {products.map(({ productGroup, amount, perHour: hourly }) => (
                <li key={productGroup}>
                  <span>{productGroup}</span>
                  <span class="meter" aria-hidden="true">
                    <span style={{ width: `${shareOf(amount) * 100}%` }} />
                  </span>
                  <small class="overview-amount">{spentText(amount, hourly)}</small>
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Panel>
  );
}

const mostLimits = 4;

// Only limits that are nearly reached.
function Limits() {
  const figures = useResource(readFigures);
  const near = limitsOf(valueIn(figures) ?? {})
    .filter(({ look }) => look !== '')
    .sort((a, b) => b.share - a.share);
  const hasFailed = figures.answer.value && 'error' in figures.answer.value;
  if (near.length === 0 && !hasFailed) return null;
  return (
    <Panel title="Limits" url={limitsUrl()} resource={figures} what="the limits" rows={near.length}>
      {() => <LimitMeters limits={near.slice(0, mostLimits)} />}
    </Panel>
  );
}

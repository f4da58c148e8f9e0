// The overview: resource counts, requests, alerts, costs, limits and the last changes.

import { actionText, subjectOf } from '../activity/activity-model.ts';
import type { Resource } from '../components/fetched.ts';
import { Icon } from '../components/icon.tsx';
import { useResource } from '../components/resource.ts';
import { Badge, Time } from '../components/text.tsx';
import { type Cost, type Money, readCost } from '../costs/billing-api.ts';
import { amountOf, forecastOf, moneyText, spentText } from '../costs/costs-model.ts';
import { LimitMeters } from '../limits/limit-meters.tsx';
import { limitsOf, readFigures } from '../limits/limits-model.ts';
import { useChanges } from '../live.ts';
import { regionNowMs } from '../region-clock.ts';
import { agoText, StateBadge } from '../requests/request-rows.tsx';
import type { Requested } from '../requests/requests-api.ts';
import { titleOf } from '../requests/requests-model.ts';
import type { PageProps } from '../router.ts';
import { hasPrivilege, type Session } from '../session.ts';
import { activityUrl, alertsUrl, costsUrl, limitsUrl, requestsUrl, requestUrl } from '../urls.ts';
import { FirstSteps } from './first-steps.tsx';
import {
  alertsFiring,
  type Count,
  countedKinds,
  countOf,
  isNothing,
  type Kind,
  type LastChanges,
  lastChanges,
  type RequestsGlance,
  requestsGlance,
} from './overview-data.ts';
import { Panel } from './overview-panel.tsx';

export function OverviewPage({ session, facts }: PageProps) {
  const kinds = countedKinds();
  const counts = useResource<Count[]>((signal) => Promise.all(kinds.map((one) => countOf(one, session, signal))));
  const requests = useResource<RequestsGlance>(requestsGlance);
  useChanges(pathsOf(kinds), () => {
    void counts.reload();
    void requests.reload();
  });
  const answer = counts.answer.value;
  const isEmpty = answer !== undefined && 'value' in answer && isNothing(answer.value);
  return (
    <div class="overview">
      <h1 tabIndex={-1}>Overview</h1>
      <Who session={session} />
      <Counts kinds={kinds} counts={counts} />
      {isEmpty && <FirstSteps />}
      <div class="overview-columns">
        <div>
          <Requests requests={requests} />
          {hasPrivilege(session, 'accessActivityLog') && <Changes />}
        </div>
        <div>
          {session.role !== 'user' && <Costs />}
          <Limits />
          {hasPrivilege(session, 'accessAndManageMonitoring') && <Alerts home={facts.home} />}
        </div>
      </div>
    </div>
  );
}

const pathsOf = (kinds: readonly Kind[]): string[] => kinds.map(({ path }) => path);

const roles = { owner: 'owner', admin: 'administrator', user: 'user with group rights' };

const nameOf = ({ firstname, lastname, email }: Session['user']): string => `${firstname} ${lastname}`.trim() || email;

const Who = ({ session: { user, role, contract, expiresDate } }: { session: Session }) => (
  <p class="lead overview-who">
    {nameOf(user)}, {roles[role]} of contract {contract}. Signed in until <Time iso={expiresDate} />
  </p>
);

function Counts({ kinds, counts }: { kinds: readonly Kind[]; counts: Resource<Count[]> }) {
  const answer = counts.answer.value;
  const known = answer && 'value' in answer ? answer.value : [];
  return (
    <ul class="overview-counts" aria-label="Resources">
      {kinds.map(({ title, icon, url }, at) => (
        <li key={title}>
          <a href={url}>
            <Icon name={icon} />
            <strong>{known[at] ?? (answer ? '–' : ' ')}</strong>
            <span>{title}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const Requests = ({ requests }: { requests: Resource<RequestsGlance> }) => (
  <Panel title="Requests" url={requestsUrl()} resource={requests} what="the requests" rows={3}>
    {({ running, failed }) => (
      <>
        {running.length === 0 && failed.length === 0 && (
          <p class="overview-none">No requests are running, and none failed in the last 7 days.</p>
        )}
        <RequestList requests={running} label="Running" />
        <RequestList requests={failed} label="Failed recently" />
      </>
    )}
  </Panel>
);

function RequestList({ requests, label }: { requests: readonly Requested[]; label: string }) {
  if (requests.length === 0) return null;
  return (
    <>
      <h3>{label}</h3>
      <ul class="overview-rows">
        {requests.map((request) => (
          <li key={request.id}>
            <StateBadge state={request.state} />
            <span class="overview-text">
              <a class="overview-link" href={requestUrl(request.id)}>
                {titleOf(request)}
              </a>
              {request.state === 'FAILED' && <small class="overview-note">{request.message}</small>}
            </span>
            <small class="overview-ago">{agoText(request.created, regionNowMs())}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Changes() {
  const changes = useResource(lastChanges);
  useChanges(pathsOf(countedKinds()), () => void changes.reload());
  return (
    <Panel title="Last changes" url={activityUrl()} resource={changes} what="the activity" rows={6}>
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

function Limits() {
  const figures = useResource(readFigures);
  return (
    <Panel title="Limits" url={limitsUrl()} resource={figures} what="the limits" rows={4}>
      {(known) => {
        const limits = limitsOf(known).sort((a, b) => b.share - a.share);
        return <LimitMeters limits={limits.slice(0, mostLimits)} />;
      }}
    </Panel>
  );
}

const refreshPaths = ['/monitoring/alerting/rules'];

function Alerts({ home }: { home: string }) {
  const alerts = useResource((signal) => alertsFiring(home, signal));
  useChanges(refreshPaths, () => void alerts.reload());
  return (
    <Panel title="Alerts" url={alertsUrl(home)} resource={alerts} what="the alerts" rows={1}>
      {({ rules, firing }) =>
        firing.length === 0 ? (
          <p class="overview-none">
            {rules === 0 ? 'There are no alert rules yet.' : `None of ${rules} rules is firing.`}
          </p>
        ) : (
          <ul class="overview-rows">
            {firing.map(({ id, name, region, count }) => (
              <li key={id}>
                <Badge look="fires" text="Firing" />
                <span class="overview-text">
                  <a class="overview-link" href={alertsUrl(region)}>
                    {name}
                  </a>{' '}
                  <small class="overview-note">{region}</small>
                </span>
                <small class="overview-ago">{count === 1 ? '1 alert' : `${count} alerts`}</small>
              </li>
            ))}
          </ul>
        )
      }
    </Panel>
  );
}

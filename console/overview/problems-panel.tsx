// What needs attention, and the requests that are running.
import type { Resource } from '../components/fetched.ts';
import { Badge } from '../components/text.tsx';
import { regionNowMs } from '../region-clock.ts';
import { agoText, StateBadge } from '../requests/request-rows.tsx';
import type { Requested } from '../requests/requests-api.ts';
import { titleOf } from '../requests/requests-model.ts';
import { requestsUrl, requestUrl } from '../urls.ts';
import type { Machine } from './landscape-model.ts';
import type { Glance } from './overview-data.ts';
import { Panel } from './overview-panel.tsx';
import { type Problem, problemsOf } from './problems-model.ts';

export interface ProblemsPanelProps {
  glance: Resource<Glance>;
  crashed: readonly Machine[];
}

export const ProblemsPanel = ({ glance, crashed }: ProblemsPanelProps) => (
  <Panel title="Problems" url={requestsUrl()} resource={glance} what="the problems" rows={3}>
    {({ running, failed, firing }) => {
      const { problems, more } = problemsOf({ firing, crashed, failed });
      return (
        <>
          {problems.length === 0 && (
            <p class="overview-none">
              No firing alerts, no crashed servers, and no failed requests in the last 7 days.
            </p>
          )}
          <ul class="overview-rows">
            {problems.map((problem) => (
              <ProblemRow key={problem.key} problem={problem} />
            ))}
          </ul>
          {more > 0 && <p class="overview-none">{`and ${more} more`}</p>}
          <RunningRequests requests={running} />
        </>
      );
    }}
  </Panel>
);

const ProblemRow = ({ problem: { kind, title, note, url, since } }: { problem: Problem }) => (
  <li>
    <Badge look="fires" text={kind} />
    <span class="overview-text">
      <a class="overview-link" href={url}>
        {title}
      </a>
      {note !== '' && <small class="overview-note">{note}</small>}
    </span>
    {since !== undefined && <small class="overview-ago">{agoText(since, regionNowMs())}</small>}
  </li>
);

function RunningRequests({ requests }: { requests: readonly Requested[] }) {
  if (requests.length === 0) return null;
  return (
    <>
      <h3>Running requests</h3>
      <ul class="overview-rows">
        {requests.map((request) => (
          <li key={request.id}>
            <StateBadge state={request.state} />
            <span class="overview-text">
              <a class="overview-link" href={requestUrl(request.id)}>
                {titleOf(request)}
              </a>
            </span>
            <small class="overview-ago">{agoText(request.created, regionNowMs())}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

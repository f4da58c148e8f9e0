// The rows of the timeline: change, resource, bar, user and time of each request.
import { Badge, type BadgeProps } from '../components/text.tsx';
import { type Models, pageUrlAt } from '../resources/page-urls.ts';
import { dateText, distance } from '../times.ts';
import { requestUrl } from '../urls.ts';
import type { Requested, RequestState } from './requests-api.ts';
import { barOf, isUnmade, type Span, spanOf, stateNames, ticksOf, tickText, titleOf } from './requests-model.ts';

const looks: Readonly<Record<RequestState, BadgeProps['look']>> = { BUSY: 'here', DONE: 'good', FAILED: 'fires' };
const tickCount = 4;

export const StateBadge = ({ state }: { state: RequestState }) => (
  <Badge look={looks[state]} text={stateNames[state]} />
);

export interface RowsProps {
  requests: readonly Requested[];
  models: Models;
  nowMs: number;
  ended: ReadonlyMap<string, number>;
}

export function RequestRows({ requests, models, nowMs, ended }: RowsProps) {
  const span = spanOf(requests, nowMs);
  return (
    <div class="requests-list">
      <div class="requests-axis" aria-hidden="true">
        {ticksOf(span, tickCount).map((tick) => (
          <span key={tick}>{tickText(tick, span)}</span>
        ))}
      </div>
      <ol aria-label="Requests, newest first">
        {requests.map((request) => (
          <Row
            key={request.id}
            request={request}
            models={models}
            span={span}
            nowMs={nowMs}
            ended={ended.get(request.id)}
          />
        ))}
      </ol>
    </div>
  );
}

interface RowProps extends Pick<RowsProps, 'models' | 'nowMs'> {
  request: Requested;
  span: Span;
  ended: number | undefined;
}

function Row({ request, models, span, nowMs, ended }: RowProps) {
  const { id, state, targets, message, by, created, method, path } = request;
  const { left, width } = barOf(request, span, nowMs, ended);
  const [first] = targets;
  const url = first && !isUnmade(request) ? pageUrlAt(models, first.path) : undefined;
  return (
    <li class="requests-row">
      <span class="requests-state">
        <StateBadge state={state} />
      </span>
      <span class="requests-what">
        <a href={requestUrl(id)}>{titleOf(request)}</a>
        <small>
          <code>{method}</code> {url ? <a href={url}>{first?.id}</a> : (first?.id ?? path)}
          {targets.length > 1 && ` and ${targets.length - 1} more`}
        </small>
        {state === 'FAILED' && <span class="requests-why">{message}</span>}
      </span>
      <span class="requests-lane" aria-hidden="true">
        <span
          class={`requests-mark ${state.toLowerCase()}`}
          style={{ left: `${left}%`, width: width > 0 ? `${width}%` : undefined }}
        />
      </span>
      <span class="requests-who">
        {by}
        <small title={dateText(created)}>
          <time dateTime={created}>{agoText(created, nowMs)}</time>
        </small>
      </span>
    </li>
  );
}

export function agoText(iso: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(iso)) / 1000);
  if (seconds >= 60) return distance(iso, nowMs);
  return seconds < 5 ? 'just now' : `${seconds} seconds ago`;
}

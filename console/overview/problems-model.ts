// Problems that need attention, the most urgent first: firing alerts, crashed machines, failed requests.
import type { Requested } from '../requests/requests-api.ts';
import { titleOf } from '../requests/requests-model.ts';
import { alertsUrl, requestUrl, resourceUrl } from '../urls.ts';
import type { Machine } from './landscape-model.ts';
import type { Firing } from './overview-data.ts';

export interface Problem {
  key: string;
  kind: string; // of its badge
  title: string;
  note: string;
  url: string;
  since?: string; // ISO time
}

export interface ProblemSources {
  firing: readonly Firing[];
  crashed: readonly Machine[];
  failed: readonly Requested[];
}

const mostProblems = 8;

export function problemsOf({ firing, crashed, failed }: ProblemSources): { problems: Problem[]; more: number } {
  const all: Problem[] = [
    ...firing.map(({ id, name, region, count }) => ({
      key: id,
      kind: 'Alert',
      title: name,
      note: count === 1 ? region : `${count} alerts, ${region}`,
      url: alertsUrl(region),
    })),
    ...crashed.map(({ id, name, path, state }) => ({
      key: id,
      kind: 'Server',
      title: name,
      note: state,
      url: resourceUrl('cloudapi', path),
    })),
    ...failed.map((request) => ({
      key: request.id,
      kind: 'Request',
      title: titleOf(request),
      note: request.message ?? '',
      url: requestUrl(request.id),
      since: request.created,
    })),
  ];
  return { problems: all.slice(0, mostProblems), more: Math.max(0, all.length - mostProblems) };
}

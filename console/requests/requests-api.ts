// The requests of the core API: changes and their outcome.
import { call } from '../api.ts';
import { pathOf } from '../resources/page-urls.ts';
import { requestNames } from './request-names.ts';

export type RequestState = 'BUSY' | 'DONE' | 'FAILED';

export interface Target {
  id: string;
  type: string;
  path: string; // in the API
  state: RequestState;
  name?: string; // at the time of the request
}

export interface Requested {
  id: string;
  created: string;
  by: string;
  state: RequestState;
  message: string;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string; // as sent, without secrets
  targets: readonly Target[];
}

interface StatusItem {
  metadata: {
    status: RequestState;
    message: string | null;
    targets: { target: { id: string; type: string; href: string }; status: RequestState }[];
  };
}

export interface RequestItem {
  id: string;
  metadata: { createdDate: string; createdBy: string; requestStatus: StatusItem };
  properties: { method: string; headers: Record<string, string>; body: string; url: string };
}

export interface RequestFilter {
  state: RequestState | '';
  method: string;
  resource: string; // part of the path: a kind or an id
  by: string;
  after: string; // a time, or nothing
  before: string;
}

export const noFilter: RequestFilter = { state: '', method: '', resource: '', by: '', after: '', before: '' };

export interface RequestsPage {
  items: Requested[];
  hasMore: boolean;
}

const collection = '/cloudapi/v6/requests';
const names: Readonly<Record<keyof RequestFilter, string>> = {
  state: 'status',
  method: 'method',
  resource: 'url',
  by: 'createdBy',
  after: 'createdAfter',
  before: 'createdBefore',
};

export function requestsPath(filter: RequestFilter, offset: number, limit: number): string {
  const query = new URLSearchParams({ depth: '2', offset: String(offset), limit: String(limit) });
  for (const [name, value] of Object.entries(filter))
    if (value !== '') query.set(`filter.${names[name as keyof RequestFilter]}`, value);
  return `${collection}?${query}`;
}

export async function listRequests(
  filter: RequestFilter,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<RequestsPage> {
  const path = requestsPath(filter, offset, limit);
  const answer = await call<{ items: RequestItem[]; _links: { next?: string } }>('GET', path, { signal });
  const items = await withNames(answer.items.map(requestOf), signal);
  return { items, hasMore: answer._links.next !== undefined };
}

export async function readRequest(id: string, signal: AbortSignal): Promise<Requested> {
  const shown = await call<RequestItem>('GET', `${collection}/${encodeURIComponent(id)}?depth=2`, { signal });
  const request = requestOf(shown);
  return (await withNames([request], signal))[0] ?? request;
}

async function withNames(requests: readonly Requested[], signal: AbortSignal): Promise<Requested[]> {
  const names = await requestNames(
    requests.map(({ id }) => id),
    signal,
  );
  return requests.map((request) => ({
    ...request,
    targets: request.targets.map((target) => {
      const name = names[request.id]?.[target.id];
      return name === undefined ? target : { ...target, name };
    }),
  }));
}

export interface Outcome {
  state: RequestState;
  message: string;
}

const mostPauseMs = 3000;

// Resolves when the request has ended. The region holds each call for a moment, and the pauses between calls grow.
export async function awaitEnd(id: string, signal?: AbortSignal): Promise<Outcome> {
  const path = `${collection}/${encodeURIComponent(id)}/status`;
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, mostPauseMs)) {
    const { metadata } = await call<StatusItem>('GET', path, signal && { signal });
    if (metadata.status !== 'BUSY') return { state: metadata.status, message: metadata.message ?? '' };
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    signal?.throwIfAborted();
  }
}

export function requestOf({ id, metadata, properties }: RequestItem): Requested {
  const status = metadata.requestStatus.metadata;
  return {
    id,
    created: metadata.createdDate,
    by: metadata.createdBy,
    state: status.status,
    message: status.message ?? '',
    method: properties.method,
    path: pathOf(properties.url),
    headers: properties.headers,
    body: properties.body,
    targets: status.targets.map(({ target, status: state }) => ({
      id: target.id,
      type: target.type,
      path: pathOf(target.href),
      state,
    })),
  };
}

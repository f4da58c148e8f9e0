// Log pipelines as black-box tests make, await and ask them. A pipeline is reached by its path, so that it is found
// after a restart on other ports too.
import assert from 'node:assert/strict';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import type { Answer, CallOptions, Region, ResourceBody } from './region.ts';

export const logging = '/logging';
export const logPipelines = `${logging}/pipelines`;

export const stream = (tag: string, more: object = {}): object => ({
  source: 'generic',
  tag,
  protocol: 'http',
  ...more,
});

export interface LogPipeline {
  id: string;
  key: string;
  path: string; // of its endpoint
  shown: ResourceBody;
}

export async function addLogPipeline(
  region: Region,
  logs: readonly object[] = [stream('app'), stream('agent', { protocol: 'tcp' })],
  options: CallOptions & { at?: string; name?: string } = {},
): Promise<LogPipeline> {
  const { at = logPipelines, name = 'logs', ...rest } = options;
  const made = await region.call('POST', at, { properties: { name, logs } }, rest);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  const { key, httpAddress } = made.body.properties as { key: string; httpAddress: string };
  await untilState(region, `${at}/${made.body.id}`, 'AVAILABLE', rest);
  return { id: made.body.id, key, path: new URL(httpAddress).pathname, shown: made.body };
}

// Polls until it shows this state; 404 for a deleted one.
export const untilState = (
  region: Region,
  path: string,
  wanted: string | 404,
  options: CallOptions = {},
): Promise<Answer> =>
  until(
    `${path} is ${wanted}`,
    () => region.call('GET', path, undefined, options),
    ({ status, body }) => (wanted === 404 ? status === 404 : body.metadata?.state === wanted),
    { limitMs: limits.request },
  );

export interface Found {
  labels: Record<string, string>;
  line: string;
  ns: bigint;
}

interface QueryAnswer {
  status: string;
  data: { result: { stream: Record<string, string>; values: [string, string][] }[] };
}

// Searches on the pipeline's own address, with its key.
export async function search(
  region: Region,
  { path, key }: Pick<LogPipeline, 'path' | 'key'>,
  query: string,
  more: Record<string, string> = {},
): Promise<Found[]> {
  const parameters = new URLSearchParams({ query, limit: '5000', direction: 'forward', since: '2h', ...more });
  const answer = await region.call<QueryAnswer>('GET', `${path}/loki/api/v1/query_range?${parameters}`, undefined, {
    token: null,
    headers: { apikey: key },
  });
  return foundIn(answer);
}

// The same on the management side, with a token: `path` is that of a pipeline or of central logging.
export async function searchAt(
  region: Region,
  path: string,
  query: string,
  options: CallOptions & { more?: Record<string, string> } = {},
): Promise<Found[]> {
  const { more, ...rest } = options;
  const parameters = new URLSearchParams({ query, limit: '5000', direction: 'forward', since: '2h', ...more });
  return foundIn(
    await region.call<QueryAnswer>('GET', `${path}/loki/api/v1/query_range?${parameters}`, undefined, rest),
  );
}

function foundIn({ status, body }: Answer<QueryAnswer>): Found[] {
  assert.equal(status, 200, JSON.stringify(body));
  const all = body.data.result.flatMap(({ stream: labels, values }) =>
    values.map(([time, line]): Found => ({ labels, line, ns: BigInt(time) })),
  );
  return all.sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
}

export const post = (
  region: Region,
  { path, key }: Pick<LogPipeline, 'path' | 'key'>,
  to: string,
  body: string | Uint8Array | object,
  headers: Record<string, string> = {},
): Promise<Answer<string>> =>
  region.call<string>(
    'POST',
    `${path}${to}`,
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    {
      token: null,
      headers: { apikey: key, 'content-type': 'application/json', ...headers },
    },
  );

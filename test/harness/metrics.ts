// A pipeline as its clients see it. It is reached by its path, so that it is found after a restart on other ports too.
import assert from 'node:assert/strict';
import type { Answer, CallOptions, Region } from './region.ts';

export interface Sample {
  metric: Record<string, string>;
  value: [time: number, value: string];
  values: [time: number, value: string][];
}

interface QueryResponse<T> {
  status: string;
  data: T;
  errorType: string;
  error: string;
}

export interface MetricPipeline {
  id: string;
  key: string;
  path: string; // of its endpoint
  at(node: Region): MetricPipeline; // the same, by another address
  push(body: string | Uint8Array, headers: Record<string, string>, path?: string): Promise<Answer<string>>;
  ask<T>(path: string, parameters?: Record<string, string>): Promise<Answer<QueryResponse<T>>>;
  vector(query: string, more?: Record<string, string>): Promise<Sample[]>;
}

export const plainText = { 'content-type': 'text/plain; version=0.0.4' };

export async function addPipeline(
  region: Region,
  prefix = '/monitoring',
  options: CallOptions = {},
): Promise<MetricPipeline> {
  const properties = { name: 'metrics' };
  const { status, body } = await region.call('POST', `${prefix}/pipelines`, { properties }, options);
  assert.equal(status, 202, JSON.stringify(body));
  const { key, httpEndpoint } = body.metadata as { key: string; httpEndpoint: string };
  return pipelineAt(region, body.id, key, new URL(httpEndpoint).pathname);
}

function pipelineAt(region: Region, id: string, key: string, path: string): MetricPipeline {
  const headers = { apikey: key };
  const ask = <T>(question: string, parameters: Record<string, string> = {}): Promise<Answer<QueryResponse<T>>> =>
    region.call('GET', `${path}/api/v1/${question}?${new URLSearchParams(parameters)}`, undefined, {
      token: null,
      headers,
    });
  return {
    id,
    key,
    path,
    at: (node) => pipelineAt(node, id, key, path),
    push: (sent, more, to = '/api/v1/push') =>
      region.call('POST', path + to, sent, { token: null, headers: { ...headers, ...more } }),
    ask,
    async vector(query, more = {}) {
      const answer = await ask<{ result: Sample[] }>('query', { query, ...more });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data.result;
    },
  };
}

export const valuesOf = (samples: Sample[]): Record<string, string> =>
  Object.fromEntries(samples.map(({ metric, value }) => [JSON.stringify(metric), value[1]]));

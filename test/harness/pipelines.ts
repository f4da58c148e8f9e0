// Metric pipelines as black-box tests make and await them: there is no request to ask for, so they are polled.
import assert from 'node:assert/strict';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import type { Answer, CallOptions, Region, ResourceBody } from './region.ts';

export const monitoring = '/monitoring';
export const pipelines = `${monitoring}/pipelines`;

export async function addPipeline(
  region: Region,
  properties: object = {},
  options: CallOptions & { at?: string } = {},
): Promise<ResourceBody> {
  const { at = pipelines, ...rest } = options;
  const made = await region.call('POST', at, { properties: { name: 'sample', ...properties } }, rest);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  await untilStatus(region, `${at}/${made.body.id}`, 'AVAILABLE', rest);
  return made.body;
}

// Polls until it shows this status; 404 for a deleted one.
export const untilStatus = (
  region: Region,
  path: string,
  wanted: string | 404,
  options: CallOptions = {},
): Promise<Answer> =>
  until(
    `${path} is ${wanted}`,
    () => region.call('GET', path, undefined, options),
    (answer) => (wanted === 404 ? answer.status === 404 : stateOf(answer) === wanted),
    { limitMs: limits.request },
  );

// Each family of services has its own name for it.
const stateOf = ({ body: { metadata } }: Answer): unknown => metadata?.state ?? metadata?.status;

export const fault = (
  step: string,
  mode: 'fail' | 'stall',
  message = 'Broken on purpose',
  when = 'before',
): object => ({
  kind: 'metricpipeline',
  step,
  mode,
  when,
  message,
});

export async function plant(region: Region, ...faults: object[]): Promise<void> {
  const { status, body } = await region.call('PUT', '/lab/faults', { faults });
  assert.equal(status, 200, JSON.stringify(body));
}

// Helpers that create, await and use event streaming clusters in black-box tests.

import assert from 'node:assert/strict';
import type { Reached } from '../../src/testing/kafkajs.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import type { Answer, CallOptions, Region, ResourceBody } from '../harness/region.ts';

export const streaming = '/de-txl/streaming';
export const clusters = `${streaming}/clusters`;

export async function addCluster(
  region: Region,
  properties: object = {},
  options: CallOptions & { at?: string } = {},
): Promise<ResourceBody> {
  const { at = clusters, ...rest } = options;
  const sent = { properties: { name: 'sample', version: '4.0.0', size: 'S', ...properties } };
  const made = await region.call('POST', at, sent, rest);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  return untilState(region, `${at}/${made.body.id}`, 'AVAILABLE', rest);
}

export async function addTopic(region: Region, clusterId: string, properties: object): Promise<ResourceBody> {
  const at = `${clusters}/${clusterId}/topics`;
  const made = await region.call('POST', at, { properties });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  return untilState(region, `${at}/${made.body.id}`, 'AVAILABLE');
}

// Polls until the resource has this state, and returns it.
export async function untilState(
  region: Region,
  path: string,
  wanted: string,
  options: CallOptions = {},
): Promise<ResourceBody> {
  const look = async (): Promise<ResourceBody> => {
    const { body } = await region.call('GET', path, undefined, options);
    if (wanted !== 'FAILED') assert.notEqual(body.metadata?.state, 'FAILED', JSON.stringify(body));
    return body;
  };
  return until(`${path} is ${wanted}`, look, ({ metadata }) => metadata?.state === wanted, {
    limitMs: limits.brokers,
  });
}

export const untilGone = (region: Region, path: string): Promise<Answer> =>
  until(
    `${path} is gone`,
    () => region.call('GET', path),
    ({ status }) => status === 404,
    { limitMs: limits.brokers },
  );

// Returns the access of the cluster's first user for Kafka clients.
export async function reach(region: Region, cluster: ResourceBody, options: CallOptions = {}): Promise<Reached> {
  const users = await region.call('GET', `${clusters}/${cluster.id}/users`, undefined, options);
  const id = users.body.items[0]?.id;
  const access = await region.call('GET', `${clusters}/${cluster.id}/users/${id}/access`, undefined, options);
  assert.equal(access.status, 200, JSON.stringify(access.body));
  const { certificateAuthority, certificate, privateKey } = access.body.metadata as Record<string, string>;
  return {
    addresses: cluster.metadata.brokerAddresses as string[],
    certificates: {
      authority: String(certificateAuthority),
      client: { certificate: String(certificate), key: String(privateKey) },
    },
  };
}

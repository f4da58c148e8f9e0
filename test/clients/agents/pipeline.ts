// A metric pipeline of a region from the view of an agent's user: an address, a key, and queries.
import assert from 'node:assert/strict';
import type { Region } from '../../harness/region.ts';
import { type Api, apiAt } from './api.ts';
import { untilAnswered } from './process.ts';

type Headers = Record<string, string>;

export interface Pushed {
  status: number;
  text: string;
}

export interface Pipeline {
  id: string;
  endpoint: string;
  key: string;
  api: Api;
  push(body: string | Uint8Array<ArrayBuffer>, headers: Headers, credentials?: Headers): Promise<Pushed>;
}

export async function openPipeline(region: Region, name: string): Promise<Pipeline> {
  const made = await region.call('POST', '/monitoring/pipelines', { properties: { name } });
  assert.ok([200, 201, 202].includes(made.status), `${made.status} ${JSON.stringify(made.body)}`);
  const { id } = made.body;
  const { key, httpEndpoint } = made.body.metadata;
  assert.ok(typeof key === 'string' && typeof httpEndpoint === 'string', JSON.stringify(made.body));
  await untilAnswered(`pipeline ${name} is AVAILABLE`, async () => {
    const { body } = await region.call('GET', `/monitoring/pipelines/${id}`);
    return body.metadata.status === 'AVAILABLE';
  });
  return {
    id,
    endpoint: httpEndpoint,
    key,
    api: apiAt(httpEndpoint, { APIKEY: key }),
    async push(body, headers, credentials = { APIKEY: key }) {
      const sent = { method: 'POST', body, headers: { ...headers, ...credentials } };
      const response = await fetch(`${httpEndpoint}/api/v1/push`, sent);
      return { status: response.status, text: await response.text() };
    },
  };
}

// A session of the tool server with --data, while its region stops and restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRegion } from '../harness/region.ts';
import { AgentClient } from './client.ts';

test('[TOOLS-04] with --data a session finds its region again on any port', async () => {
  await using region = await startRegion();
  await using agent = await AgentClient.stdio({ XDG_CONFIG_HOME: region.data }, '--data', region.data);
  type Profile = { companies: { contractId: string }[] };
  const contracts = async () => (await agent.json<Profile>('get_billing_profile')).companies.length;
  assert.equal(await contracts(), 1);
  const before = region.url;
  await region.halt('SIGTERM');
  const { isError, text } = await agent.call('get_billing_profile');
  assert.ok(isError && /No region runs on the data folder/.test(text), text);
  await region.start();
  assert.notEqual(region.url, before);
  assert.equal(await contracts(), 1);
  // Its token was revoked, so it gets another one.
  const { body } = await region.call('GET', '/auth/v1/tokens');
  const tokens = body.tokens as unknown as { id: string; href: string }[];
  for (const { id } of tokens) await region.call('DELETE', `/auth/v1/tokens/${id}`);
  assert.equal(await contracts(), 1);
});

test('[TOOLS-04] with --data it starts before its region does, and says so', async () => {
  const folder = '/nonexistent/data';
  await using agent = await AgentClient.stdio({}, '--data', folder);
  assert.ok((await agent.tools()).length > 100);
  const { isError, text } = await agent.call('list_datacenters');
  assert.ok(isError && text.includes(folder), text);
});

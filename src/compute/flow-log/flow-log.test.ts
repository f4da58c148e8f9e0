// A flow log checks its bucket if there is object storage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../core/access.ts';
import { creationOf } from '../../core/operation/draft.ts';
import type { DecisionContext, Draft, Resource } from '../../core/resource.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { ComputeTools } from '../tools.ts';
import { flowLog } from './flow-log.ts';

const caller = { user: 'u', contract: 7, role: 'owner', privileges: new Set() } as unknown as Caller;
const above = rowOf({ contract: 7, place: 'datacenters/d/servers/s/nics', id: 'n', kind: 'nic' });

const draftTo = (bucket: string): Draft => creationOf(flowLog as Resource, caller, [above], { name: 'a', bucket });

function deskWith(buckets: ComputeTools['buckets']): DecisionContext<ComputeTools> {
  const store = { claimed: () => Promise.resolve(undefined) };
  return { store, tools: { buckets } } as unknown as DecisionContext<ComputeTools>;
}

test('[FLOW-01] the bucket of a flow log must exist, whatever the prefix of its keys', async () => {
  const lookups: [number, string][] = [];
  const context = deskWith({
    exists: ({ contract }, name) => {
      lookups.push([contract, name]);
      return Promise.resolve(name !== 'missing');
    },
    canWrite: (_contract, name) => Promise.resolve(name !== 'locked'),
  });
  const draft = draftTo('there/and/keys');
  await flowLog.decide?.(draft, context);
  assert.deepEqual(draft.reservations.claims, ['datacenters/d/servers/s/nics/n flowlog']);
  await assert.rejects(
    async () => flowLog.decide?.(draftTo('missing'), context),
    /bucket\] Bucket missing does not exist/,
  );
  await assert.rejects(
    async () => flowLog.decide?.(draftTo('locked/keys'), context),
    /bucket\] Bucket locked is not writable/,
  );
  assert.deepEqual(lookups, [
    [7, 'there'],
    [7, 'missing'],
    [7, 'locked'],
  ]);
});

test('[FLOW-03] name and bucket have to fit into the key of an object', async () => {
  const context = deskWith({ exists: () => Promise.resolve(true), canWrite: () => Promise.resolve(true) });
  const fits = 1024 - 'a-10000000000.log.gz'.length - 1;
  await flowLog.decide?.(draftTo(`there/${'x'.repeat(fits)}`), context);
  await assert.rejects(
    async () => flowLog.decide?.(draftTo(`there/${'x'.repeat(fits + 1)}`), context),
    /name\] Name and bucket are too long: object keys have at most 1024 bytes/,
  );
});

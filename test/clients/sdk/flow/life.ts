// Checks for every resource that SDKs create, list, change, replace and delete.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import { hasRequest, idsOf, isAccepted, isRefused, part, shows } from './claims.ts';
import type { Check, Journey, Refusal, Seen } from './flow.ts';

export type ExpectedProperties = Record<string, unknown>;

export interface Life {
  type: string;
  title: string;
  made: ExpectedProperties; // among the shown properties after the creation,
  changed: ExpectedProperties; // after the change,
  replaced?: ExpectedProperties; // and after the replacement, if the resource supports it
  status?: 200; // of its creation, if it is not 202
}

// A part of the output that is itself an answer.
export const answerOf = (seen: Seen, name: string): Seen => seen[name] as Seen;

export function lifeOf({ type, title, made, changed, replaced, status }: Life): Check {
  return {
    title,
    verify(seen, journey) {
      const tagged = (expected: ExpectedProperties): ExpectedProperties => withTag(expected, journey);
      const created = answerOf(seen, 'created');
      if (status) assert.equal(created.status, status);
      isAccepted({ ...created, status: status ? 202 : created.status }, type, journey);
      const { id } = created.body;
      assert.deepEqual(idsOf(part(seen, 'listed')), [id]);
      const [listed] = part(seen, 'listed').items as [ResourceBody];
      shows(listed, tagged(made));
      isAccepted(answerOf(seen, 'changed'), type, journey);
      shows(seen.after, { ...tagged(made), ...tagged(changed) });
      if (replaced) {
        isAccepted(answerOf(seen, 'put'), type, journey);
        shows(part(seen, 'replaced'), tagged(replaced));
      }
      hasEnded(seen, journey);
    },
  };
}

// Deleted, detached, ejected.
export function hasEnded(seen: Seen, journey: Journey): void {
  const ended = answerOf(seen, 'ended');
  assert.equal(ended.status, 202);
  hasRequest(ended, journey);
  isRefused(seen.gone as Refusal, 404, '309');
}

const withTag = (expected: ExpectedProperties, { tag }: Journey): ExpectedProperties =>
  JSON.parse(JSON.stringify(expected).replaceAll('{tag}', tag)) as ExpectedProperties;

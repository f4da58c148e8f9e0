// The creator of a resource, as its page shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnknown, peopleIn } from '../../../console/resources/people.ts';

test('the creator of a resource is one line, with the e-mail address if it is known', () => {
  const urn = { createdBy: 'ionos:identity:::users/U', createdByUserId: 'U', createdDate: 'today' };
  const unknown = peopleIn(urn, new Map());
  assert.deepEqual(unknown.people, { createdBy: { id: 'U', text: 'U' } });
  assert.deepEqual(Object.keys(unknown.values), ['createdBy', 'createdDate']);
  assert.ok(isUnknown(unknown));
  const known = peopleIn(urn, new Map([['U', 'ada@example.com']]));
  assert.equal(known.people.createdBy?.text, 'ada@example.com');
  assert.ok(!isUnknown(known));
  const core = peopleIn({ lastModifiedBy: 'ada@example.com', lastModifiedByUserId: 'U' }, new Map());
  assert.deepEqual(core.people, { lastModifiedBy: { id: 'U', text: 'ada@example.com' } });
  assert.ok(!isUnknown(core), 'nothing is looked up for it');
  assert.deepEqual(peopleIn({ createdByUserId: 'U' }, new Map()).values, { createdByUserId: 'U' });
});

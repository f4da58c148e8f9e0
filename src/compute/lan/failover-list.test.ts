// Several clients each remove a group from the list that all of them have read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import type { Draft } from '../../core/resource.ts';
import { dropEndedGroups } from './failover-list.ts';

const groups = ['a', 'b', 'c', 'd'].map((ip) => ({ ip, nicUuid: `nic-${ip}` }));
const without = (...ips: string[]) => groups.filter(({ ip }) => !ips.includes(ip));

class Lan {
  previous: Values = { ipFailover: groups };
  hidden: Values = {};

  patch(sent: Values[], now: number): string[] {
    const draft = { previous: this.previous, hidden: { ...this.hidden }, values: { ipFailover: sent } };
    dropEndedGroups(draft as unknown as Draft, now);
    [this.previous, this.hidden] = [draft.values, draft.hidden];
    return (draft.values.ipFailover as { ip: string }[]).map(({ ip }) => ip);
  }
}

test('a group that one client removed is not restored by the next', () => {
  const lan = new Lan();
  const left = ['a', 'b', 'c', 'd'].map((ip, at) => lan.patch(without(ip), 1000 + at).join(''));
  assert.deepEqual(left, ['bcd', 'cd', 'd', '']);
});

test('a list that removes no group restores it, or a later one', () => {
  const lan = new Lan();
  assert.deepEqual(lan.patch(without('a'), 1000), ['b', 'c', 'd']);
  assert.deepEqual(lan.patch(groups, 1001), ['a', 'b', 'c', 'd']);
  lan.patch(without('a'), 2000);
  assert.deepEqual(lan.patch(without('b'), 9000), ['a', 'c', 'd']);
});

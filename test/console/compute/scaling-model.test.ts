// The model of an auto scaling group's tab: expressions for central monitoring, and texts of actions.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  actionsOf,
  countExpression,
  durationText,
  groupOf,
  groupsIn,
  metricExpression,
  metricTitle,
  orphanText,
  reasonOf,
  replicasOf,
  rulesOf,
  whatOf,
} from '../../../console/autoscaling/group.ts';
import type { Item } from '../../../console/resources/model.ts';
import { groupIn, policy } from '../../harness/autoscaling.ts';

const groupWith = (more: object, name = 'web.1 "a"') =>
  groupOf({ id: 'G', properties: groupIn('D', { name, location: 'de/txl', policy: { ...policy, ...more } }) as never });

const named = 'datacenter_id="D",instance_name=~"web\\\\.1 \\"a\\"-[0-9a-f]{8}"';

suite('the scaling of a group', () => {
  test('is measured like the policy, including deleted replicas', () => {
    const cpu = 'instance_cpu_utilization_average';
    const replicas = `${cpu}{${named}} or ${cpu}{datacenter_id="D",instance_id=~"a|b"}`;
    assert.equal(metricExpression(groupWith({}), ['a', 'b']), `avg(avg_over_time((${replicas})[120s:1m]))`);
    assert.equal(countExpression(groupWith({}), ['a', 'b']), `count(${replicas})`);
    const network = (unit: string) =>
      metricExpression(groupWith({ metric: 'INSTANCE_NETWORK_IN_BYTES', unit, range: 'PT10M' }), []);
    const bytes = `(instance_network_in_bytes{${named}})[600s:1m]`;
    assert.equal(network('TOTAL'), `avg(sum_over_time(${bytes}))`);
    assert.equal(network('PER_SECOND'), `avg(avg_over_time(${bytes})) / 60`);
    assert.equal(network('PER_MINUTE'), `avg(avg_over_time(${bytes}))`);
    assert.equal(network('PER_HOUR'), `avg(avg_over_time(${bytes})) * 60`);
  });

  test('is shown in words: the policy, and the actions with their reasons', () => {
    const group = groupWith({});
    assert.deepEqual(rulesOf(group), [
      'Above 70 %: 1 replica more, then a cooldown of 5 minutes',
      'Below 30 %: 1 replica less, then a cooldown of 5 minutes',
    ]);
    assert.equal(
      metricTitle(groupWith({ metric: 'INSTANCE_NETWORK_OUT_PACKETS' }).policy),
      'Outgoing packets in 2 minutes',
    );
    assert.equal(durationText('P1D'), '1 day');
    const item = (id: string, actionType: string): Item => ({
      id,
      properties: { actionType, actionStatus: 'SUCCESSFUL' },
    });
    const look = {
      value: null,
      cooldownUntil: null,
      retryAt: null,
      actions: [
        { id: '1', from: 1, to: 2, value: 91.25 },
        { id: '2', from: 2, to: 2 },
        { id: '4', from: 2, to: 0 },
      ],
    };
    const items = [item('1', 'SCALE_OUT'), item('2', 'SCALE_OUT'), item('3', 'SCALE_IN'), item('4', 'SCALE_IN')];
    const actions = actionsOf(items, look);
    assert.deepEqual(
      actions.map((action) => [whatOf(action), reasonOf(action, group.policy)]),
      [
        ['Scale out: 1 → 2', 'CPU was 91.25 %, above 70 %'],
        ['Scale out: already 2', 'The group was created or changed'],
        ['Scale in', 'The policy, or a change of the group'],
        ['Scale in: 2 → 0', 'Its servers were deleted with their datacenter'],
      ],
    );
  });

  test('is inactive after the deletion of the datacenter', () => {
    assert.equal(orphanText({ metadata: { state: 'INACTIVE' } }), 'Its datacenter was deleted. Delete the group.');
    assert.equal(orphanText({ metadata: { state: 'AVAILABLE' } }), undefined);
  });

  test('outlives its datacenter', () => {
    const items = ['D', 'E'].map((id) => ({ id: `in-${id}`, properties: groupIn(id, { name: `web ${id}` }) as never }));
    const url = '/console/resources/autoscaling/groups/in-E';
    assert.deepEqual(groupsIn(items, 'E'), [{ kind: 'auto scaling group', name: 'web E', url }]);
  });

  test('links to the servers of the replicas', () => {
    const datacenterServer = { id: 'S', href: 'http://x:1/cloudapi/v6/datacenters/D/servers/S' };
    const [replica] = replicasOf([
      { id: 'R', metadata: { state: 'BUSY' }, properties: { name: 'one', datacenterServer } },
    ]);
    assert.deepEqual(replica, { id: 'R', name: 'one', state: 'BUSY', server: 'S', path: '/datacenters/D/servers/S' });
  });
});

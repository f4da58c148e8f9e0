// The lab's part for groups: a load for all replicas together, and a view of how the group follows it.
import { iso } from '../base/clock.ts';
import { isUuid } from '../base/ids.ts';
import type { Values } from '../base/json.ts';
import { pathOf } from '../core/resource.ts';
import { stampsOf } from '../core/stamps.ts';
import type { Row } from '../core/state/engine.ts';
import type { LabGroups } from '../surface/ports.ts';
import { replicasOf } from './group-replicas.ts';
import { actionState, groupState, groupValues, replicaStatus } from './group-row.ts';
import { groupPlace, type Scaler, type ScalerOptions } from './scaler.ts';
import { setTotalLoad, totalLoad } from './spread-load.ts';

export function groupLab(options: ScalerOptions, scaler: Scaler): LabGroups {
  const { store, now } = options;
  return {
    find: async (contract, id) => (isUuid(id) ? store.get(contract, groupPlace, id) : undefined),
    load: (group) => totalLoad(store, group),
    async setLoad(group, total) {
      await setTotalLoad(options, group, await replicasOf(group, options), total);
      return totalLoad(store, group);
    },
    async look(group) {
      const { name, minReplicaCount, maxReplicaCount, policy } = groupValues(group);
      const { quietUntil = 0, retryAt = 0 } = groupState(group);
      const replicas = await replicasOf(group, options);
      const time = now();
      const value = await scaler.average(group, replicas, time);
      const actions = await store.children(group.contract, `${pathOf(group)}/actions`);
      return {
        id: group.id,
        name,
        now: iso(time),
        replicas: replicas.length,
        minReplicaCount,
        maxReplicaCount,
        metric: policy.metric,
        unit: policy.unit,
        range: policy.range,
        value: value ?? null,
        scaleInThreshold: policy.scaleInThreshold,
        scaleOutThreshold: policy.scaleOutThreshold,
        cooldownUntil: quietUntil > time ? iso(quietUntil) : null,
        retryAt: retryAt > time ? iso(retryAt) : null,
        load: await totalLoad(store, group),
        servers: replicas.map(({ replica, server }) => ({
          name: (JSON.parse(replica.body) as { name: string }).name,
          server: server?.id ?? null,
          state: replicaStatus(replica, server),
        })),
        actions: actions.reverse().map(shownAction),
      };
    },
  };
}

function shownAction(row: Row): Values {
  const { actionStatus = '', actionType = '' } = JSON.parse(row.body) as Values;
  const { createdDate: began } = stampsOf(row);
  return { id: row.id, type: actionType, status: actionStatus, began, ...actionState(row) };
}

// Initial values for a new group: one to three small replicas in the first LAN, scaled by CPU load.
import type { FormStart } from '../resources/form/form-start.ts';

const byOne = { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M' };

export const groupStart: FormStart = {
  properties: {
    minReplicaCount: 1,
    maxReplicaCount: 3,
    policy: {
      metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
      unit: 'TOTAL',
      range: 'PT5M',
      scaleInThreshold: 30,
      scaleOutThreshold: 70,
      scaleInAction: { ...byOne, terminationPolicy: 'OLDEST_SERVER_FIRST', deleteVolumes: true },
      scaleOutAction: byOne,
    },
    replicaConfiguration: {
      cores: 1,
      ram: 2048,
      nics: [{ lan: 1, name: 'nic', dhcp: true }],
      volumes: [{ name: 'boot', type: 'HDD', size: 10, imageAlias: 'ubuntu:latest', bootOrder: 'AUTO' }],
    },
  },
  nested: [],
};

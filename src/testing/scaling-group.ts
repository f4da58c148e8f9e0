// Properties of an auto scaling group, as tests send them.
export const policy = {
  metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
  range: 'PT2M',
  scaleInThreshold: 30,
  scaleOutThreshold: 70,
  unit: 'TOTAL',
  scaleInAction: {
    amount: 1,
    amountType: 'ABSOLUTE',
    cooldownPeriod: 'PT5M',
    terminationPolicy: 'OLDEST_SERVER_FIRST',
    deleteVolumes: true,
  },
  scaleOutAction: { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M' },
};

export const replicaConfiguration = {
  cores: 1,
  ram: 1024,
  nics: [{ lan: 1, name: 'inside', dhcp: true }],
  volumes: [{ name: 'system', size: 10, type: 'SSD_PREMIUM', imageAlias: 'ubuntu:latest', bootOrder: 'AUTO' }],
};

export interface GroupProperties {
  datacenter: { id: string };
  name: string;
  minReplicaCount: number;
  maxReplicaCount: number;
  policy: typeof policy;
  replicaConfiguration: typeof replicaConfiguration & Record<string, unknown>;
}

export const groupIn = (datacenter: string, more: object = {}): GroupProperties => ({
  datacenter: { id: datacenter.split('/').at(-1) ?? '' },
  name: 'web',
  minReplicaCount: 1,
  maxReplicaCount: 3,
  policy,
  replicaConfiguration,
  ...more,
});

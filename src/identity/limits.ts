// What a contract may have. Sizes are in MB, as the platform tells them. Each limit that is counted names its
// counter; whoever provisions adds to the counter in the same write set, so two can't both take the last one.

export const defaultLimits = {
  coresPerServer: 62,
  coresPerContract: 4000,
  ramPerServer: 235_520,
  ramPerContract: 16_384_000,
  hddLimitPerVolume: 4_096_000,
  hddLimitPerContract: 409_600_000,
  ssdLimitPerVolume: 4_096_000,
  ssdLimitPerContract: 409_600_000,
  reservableIps: 1000,
  k8sClusterLimitTotal: 100,
  nlbLimitTotal: 100,
  natGatewayLimitTotal: 100,
  securityGroupsPerVdc: 100,
  securityGroupsPerResource: 10,
  rulesPerSecurityGroup: 100,
};
export type Limits = typeof defaultLimits;

// counter → the limit it is held against; a counter without one is only told.
export const counted: Record<string, keyof Limits | undefined> = {
  coresProvisioned: 'coresPerContract',
  ramProvisioned: 'ramPerContract',
  hddVolumeProvisioned: 'hddLimitPerContract',
  ssdVolumeProvisioned: 'ssdLimitPerContract',
  dasVolumeProvisioned: undefined,
  reservedIpsOnContract: 'reservableIps',
  reservedIpsInUse: undefined,
  k8sClustersProvisioned: 'k8sClusterLimitTotal',
  nlbProvisioned: 'nlbLimitTotal',
  natGatewayProvisioned: 'natGatewayLimitTotal',
};

export const s3KeysPerUser = 5;

export function boundOf(limits: Limits, counter: string): { name: string; max: number } | undefined {
  if (counter.startsWith('s3keys ')) return { name: 'of S3 keys for a user', max: s3KeysPerUser };
  const name = counted[counter];
  return name && { name: `${name} of the contract`, max: limits[name] };
}

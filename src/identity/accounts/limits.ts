// The limits of a contract. Sizes are in MB, as on the platform. A limit is checked against its counter, which is
// raised in the write set that provisions, so that two concurrent changes can't both take the last one.

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
// Our own additions, which GET /contracts does not show: clients know its figures by number.
export const ownLimits = { metricPipelines: 100, logPipelines: 100, streamingClusters: 100 };
export type Limits = typeof defaultLimits & Partial<typeof ownLimits>;

// counter → its limit; a counter without one is only reported.
export const counted: Record<string, keyof typeof defaultLimits | undefined> = {
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
  if (isOwn(counter)) return { name: `${counter} of the contract`, max: limits[counter] ?? ownLimits[counter] };
  if (counter.startsWith('s3keys ')) return { name: 'of S3 keys for a user', max: s3KeysPerUser };
  const name = counted[counter];
  return name && { name: `${name} of the contract`, max: limits[name] };
}

const isOwn = (counter: string): counter is keyof typeof ownLimits => Object.hasOwn(ownLimits, counter);

// The limits of a contract and their usage, from GET /contracts.
import { call } from '../api.ts';

export type Figures = Readonly<Record<string, number>>;

export interface Limit {
  title: string;
  used: string;
  most: string;
  share: number; // 0 to 1, or more
  look: '' | 'near' | 'full';
}

export interface Bound {
  title: string;
  value: string;
}

export async function readFigures(signal: AbortSignal): Promise<Figures> {
  const { items } = await call<{ items: { properties: { resourceLimits: Figures } }[] }>(
    'GET',
    '/cloudapi/v6/contracts?depth=1',
    { signal },
  );
  return items[0]?.properties.resourceLimits ?? {};
}

type Show = (value: number) => string;

const count: Show = (value) => value.toLocaleString('en');

// Sizes are in MB, of 1024 each.
export const size: Show = (mb) => {
  if (mb >= 1024 * 1024) return `${trimmed(mb / 1024 / 1024)} TB`;
  return mb >= 1024 ? `${trimmed(mb / 1024)} GB` : `${mb} MB`;
};

const trimmed = (value: number): string => String(Math.round(value * 10) / 10);

const totals: readonly (readonly [title: string, used: string, most: string, show: Show])[] = [
  ['Cores', 'coresProvisioned', 'coresPerContract', count],
  ['Memory', 'ramProvisioned', 'ramPerContract', size],
  ['HDD storage', 'hddVolumeProvisioned', 'hddLimitPerContract', size],
  ['SSD storage', 'ssdVolumeProvisioned', 'ssdLimitPerContract', size],
  ['Reserved addresses', 'reservedIpsOnContract', 'reservableIps', count],
  ['Network load balancers', 'nlbProvisioned', 'nlbLimitTotal', count],
  ['NAT gateways', 'natGatewayProvisioned', 'natGatewayLimitTotal', count],
  ['Kubernetes clusters', 'k8sClustersProvisioned', 'k8sClusterLimitTotal', count],
];

const bounds: readonly (readonly [title: string, name: string, show: Show])[] = [
  ['Cores per server', 'coresPerServer', count],
  ['Memory per server', 'ramPerServer', size],
  ['HDD volume size', 'hddLimitPerVolume', size],
  ['SSD volume size', 'ssdLimitPerVolume', size],
  ['Security groups per datacenter', 'securityGroupsPerVdc', count],
  ['Security groups per NIC or server', 'securityGroupsPerResource', count],
  ['Rules per security group', 'rulesPerSecurityGroup', count],
];

const nearShare = 0.8;

export function limitsOf(figures: Figures): Limit[] {
  return totals.flatMap(([title, usedName, mostName, show]) => {
    const [used, most] = [figures[usedName], figures[mostName]];
    if (used === undefined || most === undefined) return [];
    const share = most === 0 ? (used > 0 ? 1 : 0) : used / most;
    const look = share >= 1 ? 'full' : share >= nearShare ? 'near' : '';
    return [{ title, used: show(used), most: show(most), share, look } as const];
  });
}

export const boundsOf = (figures: Figures): Bound[] =>
  bounds.flatMap(([title, name, show]) => {
    const value = figures[name];
    return value === undefined ? [] : [{ title, value: show(value) }];
  });

export function shareText(share: number): string {
  if (share === 0) return '0 %';
  if (share < 0.001) return 'under 0.1 %';
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

// Names of interfaces and namespaces. Linux allows 15 characters, so long ids are hashed.
import { hash } from 'node:crypto';

const short = (text: string): string => hash('sha256', text).slice(0, 12);

export const bridgeName = (segment: string): string => `br${short(segment)}`;
export const nicPort = (nicId: string): string => `np${short(nicId)}`;
export const natPort = (datacenterId: string, lanId: string): string => `gp${short(`${datacenterId} ${lanId}`)}`;
export const natUplink = (datacenterId: string): string => `gu${short(datacenterId)}`;
export const nicDevice = (slot: number): string => `ens${slot}`;
export const listenerPort = (balancerId: string): string => `lp${short(balancerId)}`;
export const targetPort = (balancerId: string): string => `tp${short(balancerId)}`;

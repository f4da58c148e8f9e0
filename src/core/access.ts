// The caller and the caller's rights. Rights come from state, never from a token's claims.
import { Fault } from '../base/fault.ts';
import { stampsOf } from './stamps.ts';
import type { Row } from './state/engine.ts';

// The names groups carry them by, in the platform's own spelling and order.
export const privileges = [
  'createDataCenter',
  'createSnapshot',
  'reserveIp',
  'accessActivityLog',
  'createPcc',
  's3Privilege',
  'createBackupUnit',
  'createInternetAccess',
  'createK8sCluster',
  'createFlowLog',
  'accessAndManageMonitoring',
  'accessAndManageCertificates',
  'manageDBaaS',
  'accessAndManageDns',
  'manageRegistry',
  'manageDataplatform',
  'accessAndManageLogging',
  'accessAndManageCdn',
  'accessAndManageVpn',
  'accessAndManageApiGateway',
  'accessAndManageKaas',
  'accessAndManageNetworkFileStorage',
  'accessAndManageAiModelHub',
  'accessAndManageIamResources',
  'createNetworkSecurityGroups',
] as const;
export type Privilege = (typeof privileges)[number];

export type Role = 'owner' | 'admin' | 'user';

export interface Share {
  edit: boolean;
  share: boolean;
}

export interface Caller {
  kind?: 'key'; // the key of one resource speaks, no user: `user` is that resource's id
  user: string;
  email: string;
  contract: number; // the one this call is about
  contracts: readonly number[]; // all that the person is a user of
  role: Role;
  privileges: ReadonlySet<Privilege>;
  shares: ReadonlyMap<string, Share>; // by resource id: the shares that groups give the user
  tokenId?: string; // absent: Basic credentials
  copies?: true; // a seed that copies a region: it may choose ids, and values that the region chooses otherwise
}

// A caller with the key of one resource acts for its contract, with none of a user's rights.
export const keyCaller = (contract: number, resource: string, name: string): Caller => ({
  kind: 'key',
  user: resource,
  email: name,
  contract,
  contracts: [contract],
  role: 'user',
  privileges: new Set(),
  shares: new Map(),
});

// The platform acts for a resource with all rights, as its creator, even if the creator has lost theirs since.
export const actorOf = (row: Row): Caller => ({
  user: row.owner,
  email: stampsOf(row).createdBy,
  contract: row.contract,
  contracts: [row.contract],
  role: 'admin',
  privileges: new Set(privileges),
  shares: new Map(),
});

export const isAdmin = (caller: Caller): boolean => caller.role !== 'user';

// `top` is the uppermost resource of a path: a datacenter speaks for everything in it.
export const maySee = (caller: Caller, top: Row): boolean =>
  isAdmin(caller) || top.owner === caller.user || caller.shares.has(top.id);

export const mayEdit = (caller: Caller, top: Row): boolean =>
  isAdmin(caller) || top.owner === caller.user || caller.shares.get(top.id)?.edit === true;

export const hasPrivilege = (caller: Caller, privilege: Privilege | 'none'): boolean =>
  privilege === 'none' || isAdmin(caller) || caller.privileges.has(privilege);

export function demandPrivilege(caller: Caller, privilege: Privilege | 'none'): void {
  if (hasPrivilege(caller, privilege)) return;
  throw new Fault(
    'forbidden',
    `The privilege ${privilege} is needed for this call. Ask an administrator of the contract.`,
    { privilege },
  );
}

export function demandAdmin(caller: Caller): void {
  if (isAdmin(caller)) return;
  throw new Fault('forbidden', 'Only administrators and the owner of the contract may do this.');
}

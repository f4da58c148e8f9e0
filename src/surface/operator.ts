// Operations of the operator on the accounts of any contract and on the lab, for commands, seeds and test runs.
// Products provide these ports. No privileges are checked.
import type { Values } from '../base/json.ts';
import type { PlantedFault } from '../core/operation/planted-faults.ts';
import { port, type TestContract } from './ports.ts';

export interface UserSelector {
  user?: string; // an e-mail; absent: the contract's owner
  contract?: number; // absent: the region's first
}

export interface TokenView {
  id: string;
  createdDate: string;
  expirationDate: string;
  expired: boolean;
}

export interface NewToken {
  id: string;
  token: string;
  user: string;
  contract: number;
  expirationDate: string;
}

export interface NewUser {
  email: string;
  password?: string;
  first?: string;
  last?: string;
}

export interface Added {
  contract: number;
  email: string;
  id: string;
  password?: string; // if it was generated
  joined: boolean; // the account existed already, and keeps its password
}

export interface ContractView {
  contract: number;
  owner: string;
  users: number;
  createdDate: string;
}

export type ChosenTokens = { id: string } | { expired: true } | { all: true };

export interface OperatorAccounts {
  home(): Promise<number>; // the contract of calls that name none
  contracts(): Promise<ContractView[]>;
  count(): Promise<number>; // of contracts
  addContract(request: NewUser & { number?: number; limits: Record<string, number> }): Promise<Added>;
  addTestContract(): Promise<TestContract>; // with an owner that no other contract has
  addUser(request: NewUser & { contract?: number; admin: boolean }): Promise<Added>;
  resetSecondFactor(request: UserSelector): Promise<{ user: string }>;
  // `copies`: its calls may choose ids, and values that the region chooses otherwise.
  generateToken(request: UserSelector & { ttlS?: number; copies?: boolean }): Promise<NewToken>;
  // Returns the given token if it is the owner's and valid for more than a day, else a new one.
  keepToken(request: { token?: string }): Promise<NewToken & { kept: boolean }>;
  listTokens(request: UserSelector): Promise<{ user: string; contract: number; tokens: TokenView[] }>;
  deleteTokens(request: UserSelector & ChosenTokens): Promise<{ deleted: string[] }>;
}
export const operatorAccounts = port<OperatorAccounts>('operator accounts');

export interface AssignedView {
  to: string; // the target: s3, logs
  id: string; // of a certificate or of an auto-certificate
  contract: number;
  names: string[];
  validUntil?: string;
  state: 'PRESENTED' | 'EXPIRED' | 'PENDING' | 'UNUSABLE'; // PENDING: no certificate has been issued yet
}

// The assignments of certificates to services of the region.
export interface OperatorCertificates {
  assign(request: { id: string; to: string }): Promise<AssignedView>;
  unassign(request: { id: string }): Promise<{ unassigned: string[] }>; // the targets
  list(): Promise<AssignedView[]>;
}
export const operatorCertificates = port<OperatorCertificates>('operator certificates');

export interface LabCalls {
  'lab/clock': [{ advanceMs?: number }, { now: string; offsetMs: number }];
  'lab/faults': [{ faults?: unknown }, { faults: PlantedFault[] }];
  'lab/traffic': [{ contract?: number; packet: unknown }, Values];
  'lab/load': [{ contract?: number; server: string; load?: unknown }, Values];
  'lab/group': [{ contract?: number; group: string; load?: unknown }, Values];
  'lab/brokers': [{ contract?: number; cluster: string; broker?: number; serving?: boolean }, Values];
}
export type OperatorLab = { [K in keyof LabCalls]: (request: LabCalls[K][0]) => Promise<LabCalls[K][1]> };
export const operatorLab = port<OperatorLab>('operator lab');

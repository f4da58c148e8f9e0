// What the command line can ask of a running region: operation → what is sent and what comes back.

import type { NodeInfo } from '../../core/nodes/node.ts';
import type { PlantedFault } from '../../core/operation/planted-faults.ts';
import type { Lease } from '../../core/state/engine.ts';
import type { StateFigures } from '../../core/state/figures.ts';
import { askAdmin } from '../account/admin-client.ts';
import type { BackupAsked, BackupMade, Restored } from '../state/files.ts';
import type { Ready } from './ready.ts';

export interface Operations {
  status: [object, Status];
  stop: [object, { pid: number }];
  'token/generate': [Whose & { ttlS?: number }, MadeToken];
  'token/list': [Whose, { user: string; contract: number; tokens: ShownToken[] }];
  'token/delete': [Whose & ({ id: string } | { expired: true } | { all: true }), { deleted: string[] }];
  'token/keep': [{ token?: string }, MadeToken & { kept: boolean }]; // the same again while it is good
  'contract/add': [NewPerson & { number?: number; limits: Record<string, number> }, Added];
  'contract/list': [object, { contracts: ShownContract[] }];
  'user/add': [NewPerson & { contract?: number; admin: boolean }, Added];
  'lab/clock': [{ advanceMs?: number }, { now: string; offsetMs: number }];
  'lab/faults': [{ faults?: unknown }, { faults: PlantedFault[] }];
  'state/backup': [BackupAsked, BackupMade];
  'state/restore': [{ file: string }, Restored];
  'state/progress': [object, { doing: string; rows: number; of: number }]; // of either; 0: it is not known of how many
}

export interface Status extends Omit<Ready, 'event' | 'owner' | 'clock' | 'faults'> {
  startedAt: string;
  uptimeS: number;
  contracts: number | null; // null: the state does not answer
  operationsRunning: number;
  connectionsOpen: number;
  residentBytes: number;
  lab: { on: boolean; now: string; offsetMs: number; faults: number }; // how many are planted
  state: StateFigures;
  nodes: NodeInfo[]; // of this region's state, where there can be several
  leases: Lease[]; // what one of them has for itself, such as a reconciler
}

export interface Whose {
  user?: string; // an e-mail; the contract's owner where absent
  contract?: number; // the region's first where absent
}

export interface ShownToken {
  id: string;
  createdDate: string;
  expirationDate: string;
  expired: boolean;
}

export interface MadeToken {
  id: string;
  token: string;
  user: string;
  contract: number;
  expirationDate: string;
}

export interface NewPerson {
  email: string;
  password?: string;
  first?: string;
  last?: string;
}

export interface Added {
  contract: number;
  email: string;
  id: string;
  password?: string; // where we made it up
  joined: boolean; // the person was known already, and keeps their password
}

export interface ShownContract {
  contract: number;
  owner: string;
  users: number;
  createdDate: string;
}

// `patienceMs`: how long it may say nothing; 0 is for ever.
export const askRegion = async <K extends keyof Operations>(
  folder: string,
  operation: K,
  body: Operations[K][0],
  patienceMs?: number,
): Promise<Operations[K][1]> => (await askAdmin(folder, operation, body, patienceMs)) as Operations[K][1];

// The calls that commands make to a running region over its admin socket: operation → [request, response].

import type { Values } from '../../base/json.ts';
import type { NodeInfo } from '../../core/nodes/node.ts';
import type { PlantedFault } from '../../core/operation/planted-faults.ts';
import type { Lease } from '../../core/state/engine.ts';
import type { StateFigures } from '../../core/state/figures.ts';
import type { RequestEntry } from '../../surface/http/request-feed.ts';
import type { SavePointEntry } from '../../surface/ports.ts';
import type { Ready } from '../region/ready.ts';
import type { Exported, ExportRequest, ImportRequest } from '../savepoint/export-file.ts';
import type { SavePointDone } from '../savepoint/savepoints.ts';
import type { Seeded } from '../seed/apply-seed.ts';
import type { BackupRequest, BackupResult, Restored, RestoreRequest } from '../state/backup.ts';
import type { Checked } from '../state/object-check.ts';
import type { Emptied } from '../state/reset.ts';
import { callAdmin } from './client.ts';

export interface Operations {
  status: [object, Status];
  ready: [object, Ready]; // as it is now, without the owner's password
  stop: [object, { pid: number }];
  reset: [object, Emptied];
  'requests/list': [{ last: number }, { requests: RequestEntry[] }];
  'token/generate': [UserSelector & { ttlS?: number }, NewToken];
  'token/list': [UserSelector, { user: string; contract: number; tokens: ShownToken[] }];
  'token/delete': [UserSelector & ({ id: string } | { expired: true } | { all: true }), { deleted: string[] }];
  'token/keep': [{ token?: string }, NewToken & { kept: boolean }]; // returns the given token while it is valid, else a new one
  'contract/add': [NewUser & { number?: number; limits: Record<string, number> }, Added];
  'contract/list': [object, { contracts: ShownContract[] }];
  'user/add': [NewUser & { contract?: number; admin: boolean }, Added];
  'user/reset-2fa': [UserSelector, { user: string }];
  'lab/clock': [{ advanceMs?: number }, { now: string; offsetMs: number }];
  'lab/faults': [{ faults?: unknown }, { faults: PlantedFault[] }];
  'lab/traffic': [{ contract?: number; packet: unknown }, Values];
  'lab/load': [{ contract?: number; server: string; load?: unknown }, Values];
  'lab/group': [{ contract?: number; group: string; load?: unknown }, Values];
  'lab/brokers': [{ contract?: number; cluster: string; broker?: number; serving?: boolean }, Values];
  'state/backup': [BackupRequest, BackupResult];
  'state/restore': [RestoreRequest, Restored];
  'state/check': [{ objects?: boolean }, Checked];
  'seed/apply': [{ path: string }, Seeded];
  'seed/once': [{ path: string }, { seeded?: Seeded }]; // absent: the region has had it
  'seed/dump': [{ asJson: boolean }, { text: string; notes: string[] }];
  'savepoint/create': [{ name: string; infrastructure: boolean }, SavePointDone];
  'savepoint/restore': [{ name: string }, SavePointDone];
  'savepoint/export': [ExportRequest & { name?: string }, Exported];
  'savepoint/import': [ImportRequest, SavePointEntry];
  'savepoint/list': [object, { savePoints: SavePointEntry[] }];
  'savepoint/remove': [{ name: string }, { removed: string }];
  'state/progress': [object, { doing: string; rows: number; of: number }]; // of a backup or restore; of = 0: the total is unknown
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
  nodes: NodeInfo[]; // all nodes on this state
  leases: Lease[]; // held by one node at a time, such as that of a reconciler
}

export interface UserSelector {
  user?: string; // an e-mail; absent: the contract's owner
  contract?: number; // absent: the region's first
}

export interface ShownToken {
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

export interface ShownContract {
  contract: number;
  owner: string;
  users: number;
  createdDate: string;
}

// `timeoutMs`: how long the region may take to answer; 0 is forever.
export const askRegion = async <K extends keyof Operations>(
  folder: string,
  operation: K,
  body: Operations[K][0],
  timeoutMs?: number,
): Promise<Operations[K][1]> => (await callAdmin(folder, operation, body, timeoutMs)) as Operations[K][1];

// Calls back with each request from now on, until the region ends.
export const followRequests = async (folder: string, onRequest: (entry: RequestEntry) => void): Promise<void> =>
  void (await callAdmin(folder, 'requests/follow', {}, 0, (line) => onRequest(JSON.parse(line) as RequestEntry)));

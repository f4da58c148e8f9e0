// The calls that commands make to a running region over its admin socket: operation → [request, response].
import type { NodeInfo } from '../../core/nodes/node.ts';
import type { Lease } from '../../core/state/engine.ts';
import type { StateFigures } from '../../core/state/figures.ts';
import type { BackupRequest, BackupResult, Restored, RestoreRequest } from '../../region-data/backup.ts';
import type { Checked } from '../../region-data/check.ts';
import type { Emptied } from '../../region-data/reset.ts';
import type { BackupProgress } from '../../region-data/running-region.ts';
import type { Exported, ExportRequest, ImportRequest } from '../../region-data/save-points/export-file.ts';
import type { SavePointDone } from '../../region-data/save-points/savepoints.ts';
import type { Seeded } from '../../seeds/apply-seed.ts';
import type { Tree } from '../../seeds/dump/tree.ts';
import type { TreeRequest } from '../../seeds/region-seed.ts';
import type { RequestEntry } from '../../surface/http/request-feed.ts';
import type {
  AssignedView,
  ContractView,
  LabCalls,
  OperatorAccounts,
  OperatorCertificates,
} from '../../surface/operator.ts';
import type { DemoStatus, SavePointEntry } from '../../surface/ports.ts';
import type { Ready } from '../region/ready.ts';
import { callAdmin } from './client.ts';

type Call<Name extends keyof OperatorAccounts> = [
  Parameters<OperatorAccounts[Name]>[0],
  Awaited<ReturnType<OperatorAccounts[Name]>>,
];

type CertificateCall<Name extends 'assign' | 'unassign'> = [
  Parameters<OperatorCertificates[Name]>[0],
  Awaited<ReturnType<OperatorCertificates[Name]>>,
];

export interface Operations extends LabCalls {
  status: [object, Status];
  ready: [object, Ready]; // the current facts, without the owner's password
  stop: [{ keepsMachines?: boolean }, { pid: number; limitMs: number }];
  reset: [object, Emptied];
  'requests/list': [{ last: number }, { requests: RequestEntry[] }];
  'token/generate': Call<'generateToken'>;
  'token/list': Call<'listTokens'>;
  'token/delete': Call<'deleteTokens'>;
  'token/keep': Call<'keepToken'>;
  'contract/add': Call<'addContract'>;
  'contract/list': [object, { contracts: ContractView[] }];
  'user/add': Call<'addUser'>;
  'user/reset-2fa': Call<'resetSecondFactor'>;
  'certificate/assign': CertificateCall<'assign'>;
  'certificate/unassign': CertificateCall<'unassign'>;
  'certificate/list': [object, { certificates: AssignedView[] }];
  'state/backup': [BackupRequest, BackupResult];
  'state/restore': [RestoreRequest, Restored];
  'state/check': [{ leaveOut?: readonly string[] }, Checked];
  'seed/apply': [{ path: string; keepsIds?: boolean }, Seeded];
  'seed/once': [{ path: string; keepsIds?: boolean }, { seeded?: Seeded }]; // absent: the region has already applied it
  'seed/dump': [{ asJson: boolean }, { text: string; notes: string[] }];
  'seed/tree': [TreeRequest, Tree];
  'demo/status': [{ contract?: number }, DemoStatus];
  'demo/begin': [{ contract?: number; evenIfNotEmpty: boolean }, DemoStatus]; // returns when the shop is complete
  'demo/end': [{ contract?: number }, DemoStatus]; // returns when it is deleted
  'savepoint/create': [{ name: string; infrastructure: boolean }, SavePointDone];
  'savepoint/restore': [{ name: string }, SavePointDone];
  'savepoint/export': [ExportRequest & { name?: string }, Exported];
  'savepoint/import': [ImportRequest, SavePointEntry];
  'savepoint/list': [object, { savePoints: SavePointEntry[] }];
  'savepoint/remove': [{ name: string }, { removed: string }];
  'state/progress': [object, BackupProgress];
}

export interface Status extends Omit<Ready, 'event' | 'owner' | 'clock' | 'faults'> {
  startedAt: string;
  uptimeS: number;
  contracts: number | null; // null: the state does not answer
  operationsRunning: number;
  connectionsOpen: number;
  residentBytes: number;
  lab: { on: boolean; now: string; offsetMs: number; faults: number }; // the number of active faults
  state: StateFigures;
  nodes: NodeInfo[]; // all nodes on this state
  leases: Lease[]; // held by one node at a time, such as that of a reconciler
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

// The lab API as the console uses it. It is open to any client of an owner or administrator.
import { ApiError, call, failureOf, jsonOf, type Problem, send } from '../api.ts';
import type { VerdictView } from '../compute/reach/verdict.ts';
import { eventsOf } from '../event-stream.ts';

export interface Clock {
  now: string;
  offsetMs: number;
}

export const readClock = (signal?: AbortSignal): Promise<Clock> => call('GET', '/lab/clock', signal && { signal });
export const advanceClock = (advanceMs: number): Promise<Clock> => call('PUT', '/lab/clock', { body: { advanceMs } });

export interface Fault {
  kind: string;
  step: string;
  mode: 'fail' | 'stall' | 'crash';
  times: number;
  when: 'before' | 'after';
  message: string;
  contract?: number;
}

export const readFaults = async (signal?: AbortSignal): Promise<Fault[]> =>
  (await call<{ faults: Fault[] }>('GET', '/lab/faults', signal && { signal })).faults;
export const plantFaults = async (faults: readonly Partial<Fault>[]): Promise<Fault[]> =>
  (await call<{ faults: Fault[] }>('PUT', '/lab/faults', { body: { faults } })).faults;

export interface Load {
  cpuPercent?: number | null;
  networkInBytesPerSecond?: number | null;
  networkOutBytesPerSecond?: number | null;
}

export interface Machine {
  id: string;
  vmState: string;
  since: string;
  boots: number;
  load: Load;
  usage: { cpuPercent: number; networkInBytes: number; networkOutBytes: number; runningMs: number };
}

export const readMachine = (id: string, signal: AbortSignal): Promise<Machine> =>
  call('GET', `/lab/machines/${id}`, { signal });
export const setMachineLoad = (id: string, load: Load): Promise<Load> =>
  call('PUT', `/lab/machines/${id}/load`, { body: load });

export interface GroupLook {
  id: string;
  name: string;
  replicas: number;
  minReplicaCount: number;
  maxReplicaCount: number;
  metric: string;
  value: number | null;
  scaleInThreshold: number;
  scaleOutThreshold: number;
  cooldownUntil: string | null;
  load: Load;
  actions: { id: string; type: string; status: string; began: string }[];
}

export const readGroup = (id: string, signal: AbortSignal): Promise<GroupLook> =>
  call('GET', `/lab/groups/${id}`, { signal });
export const setGroupLoad = (id: string, load: Load): Promise<Load> =>
  call('PUT', `/lab/groups/${id}/load`, { body: load });

export interface Broker {
  id: number;
  address: string;
  serving: boolean;
  leads: number;
}

export const readBrokers = async (cluster: string, signal: AbortSignal): Promise<Broker[]> =>
  (await call<{ brokers: Broker[] }>('GET', `/lab/clusters/${cluster}/brokers`, { signal })).brokers;
export const setBroker = (cluster: string, broker: number, serving: boolean): Promise<void> =>
  call('PUT', `/lab/clusters/${cluster}/brokers/${broker}`, { body: { serving } });

export interface Packet {
  from: { nicId: string } | { address: string };
  to: { address: string; port?: number };
  protocol: string;
  http?: { method: string; host?: string; path: string };
  count?: number;
  sourcePortStep?: number;
  real?: true;
}

export interface Summary {
  sent: number;
  accepted: number;
  rejected: number;
  outcomes: (VerdictView & { count: number })[];
}

export const sendTraffic = (packet: Packet): Promise<VerdictView | Summary> =>
  call('POST', '/lab/traffic', { body: packet });

export interface SavePoint {
  name: string;
  createdDate: string;
  regionTime: string;
  bytes: number;
  files: number;
  infrastructure?: boolean;
  imported?: boolean;
}

export interface SavePointWork {
  id: string;
  work: string;
  name: string;
  state: 'BUSY' | 'DONE' | 'FAILED';
  message?: string;
  tookMs?: number;
}

export interface SavePoints {
  savePoints: SavePoint[];
  last?: SavePointWork;
}

export const readSavePoints = (signal?: AbortSignal): Promise<SavePoints> =>
  call('GET', '/lab/savepoints', signal && { signal });
export const createSavePoint = (name: string, infrastructure: boolean): Promise<SavePointWork> =>
  call('POST', '/lab/savepoints', { body: { name, infrastructure } });
export const restoreSavePoint = (name: string): Promise<SavePointWork> =>
  call('POST', `/lab/savepoints/${encodeURIComponent(name)}/restore`);
export const removeSavePoint = (name: string): Promise<void> =>
  call('DELETE', `/lab/savepoints/${encodeURIComponent(name)}`);

export interface NewContract {
  contract: number;
  email: string;
  password: string;
  token: string;
}

export const createContract = (): Promise<NewContract> => call('POST', '/lab/contracts');

// A copy of another contract.
export interface CopyProgress {
  done: number;
  known: number;
  resources: number;
}

export interface CopyContents {
  id: string;
  counts: { kind: string; count: number }[];
  notes: string[];
}

export interface CopyOutcome {
  created: number;
  existing: number;
  hasKeys: boolean;
  placeholders: string[];
  datacenters: { id: string; name: string }[];
}

type OnProgress = (progress: CopyProgress) => void;

export const readCopy = (source: object, signal: AbortSignal, onProgress: OnProgress): Promise<CopyContents> =>
  followed('/lab/copies', source, signal, onProgress);
export const applyCopy = (
  id: string,
  keepIds: boolean,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<CopyOutcome> => followed('/lab/copies/apply', { copyId: id, keepIds }, signal, onProgress);

// The call answers with events until the work has ended.
async function followed<T>(path: string, body: object, signal: AbortSignal, onProgress: OnProgress): Promise<T> {
  const response = await send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    signal,
  });
  if (!response.ok || !response.body) throw failureOf(response, await jsonOf(response));
  for await (const { event, data } of eventsOf(response.body)) {
    if (event === 'progress') onProgress(JSON.parse(data) as CopyProgress);
    else if (event === 'done') return JSON.parse(data) as T;
    else if (event === 'failed') throw new ApiError(400, (JSON.parse(data) as { messages: Problem[] }).messages);
  }
  throw new ApiError(500, [{ errorCode: '500', message: 'The connection ended before the work was complete.' }]);
}

// The first thousand resources to choose from, by name.
export type Choices = readonly (readonly [id: string, name: string])[];

export async function listChoices(path: string, signal: AbortSignal): Promise<Choices> {
  const { items } = await call<{ items: { id: string; properties: { name?: string | null } }[] }>('GET', path, {
    signal,
  });
  return items.map(({ id, properties }) => [id, properties.name || id] as const);
}

export const datacentersPath = '/cloudapi/v6/datacenters?depth=1&limit=1000';
export const serversPath = (datacenter: string): string =>
  `/cloudapi/v6/datacenters/${datacenter}/servers?depth=1&limit=1000`;
export const groupsPath = '/autoscaling/v1.ea/groups?depth=1';
export const clustersPath = '/streaming/clusters';

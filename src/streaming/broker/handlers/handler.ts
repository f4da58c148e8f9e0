// The types and helpers of handlers. Each API has one handler, which returns the fields of the response table.
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Quotas } from '../connection/quotas.ts';
import type { ResponseMemory } from '../connection/response-memory.ts';
import type { Groups } from '../group/groups.ts';
import type { Offsets } from '../group/offsets.ts';
import type { KeyValueLog } from '../log/key-value-log.ts';
import type { Nodes } from '../nodes.ts';
import type { BrokerSettings } from '../settings/broker-settings.ts';
import type { SettingStore } from '../settings/setting-store.ts';
import type { Partition, Topics } from '../topic/topics.ts';
import type { Transactions } from '../transaction/transactions.ts';
import type { Api, RequestOf, ResponseOf } from '../wire/api.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import { MalformedError } from '../wire/reader.ts';

// The state that all brokers of a cluster share.
export interface Cluster {
  id: string;
  nodes: Nodes;
  topics: Topics;
  groups: Groups;
  offsets: Offsets;
  transactions: Transactions;
  quotas: Quotas;
  settings: BrokerSettings;
  settingStore: SettingStore; // settings that clients have changed
  state: KeyValueLog;
  storageBytes: number;
  clock: Clock;
  log: Log;
}

// The remote side of a connection.
export interface Client {
  isGone: boolean;
  onGone(listener: () => void): () => void; // returns a function that unsubscribes
}

// One request.
export interface Call {
  cluster: Cluster;
  nodeId: number; // the broker that received the request
  version: number;
  clientId: string;
  clientHost: string;
  user: string; // the common name of the client's certificate
  client: Client;
  memory: ResponseMemory; // memory for the answer: large answers reserve it before they are built
}

// Undefined: the client expects no answer.
export type Handler<A> = (
  request: RequestOf<A>,
  call: Call,
) => Promise<ResponseOf<A> | undefined> | ResponseOf<A> | undefined;

export interface Route {
  api: Api<never, never>;
  handle(request: never, call: Call): Promise<object | undefined> | object | undefined;
}

export const route = <Request, Response extends object>(
  api: Api<Request, Response>,
  handle: Handler<Api<Request, Response>>,
): Route => ({ api: api as unknown as Api<never, never>, handle: handle as Route['handle'] });

// Maps an error to its code. Invalid records of a producer are expected; other unknown errors are bugs or disk
// failures, and are logged.
export function codeOf(error: unknown, { cluster }: Call): number {
  if (error instanceof ProtocolError) return error.code;
  if (error instanceof MalformedError) return errorCodes.CORRUPT_MESSAGE;
  cluster.log.error('broker: a request failed', { error });
  return errorCodes.UNKNOWN_SERVER_ERROR;
}

export interface Failure {
  errorCode: number;
  errorMessage: string | null;
}

// For answers with a code and a message for each item: returns the result, or the error.
export async function outcome(call: Call, work: () => Promise<unknown> | unknown): Promise<Failure> {
  try {
    await work();
    return { errorCode: 0, errorMessage: null };
  } catch (error) {
    const errorMessage =
      error instanceof ProtocolError ? error.message : 'Internal error of the broker. See its log for details.';
    return { errorCode: codeOf(error, call), errorMessage };
  }
}

// Keeps the first item of each key: a request can name one item thousands of times, and each answer may be large.
export const distinct = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].reverse();

// Returns the partition if this broker leads it.
export function ledPartition(call: Call, name: string, index: number): Partition {
  const partition = call.cluster.topics.find(name, index);
  if (partition.leader !== call.nodeId) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
  return partition;
}

// -1: the client does not know the epoch.
export function checkLeaderEpoch({ leaderEpoch }: Partition, known: number): void {
  if (known >= 0 && known < leaderEpoch) throw new ProtocolError('FENCED_LEADER_EPOCH');
  if (known > leaderEpoch) throw new ProtocolError('UNKNOWN_LEADER_EPOCH');
}

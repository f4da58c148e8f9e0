// A member of a classic group: the facts of its join request, and its pending responses.
import { ProtocolError } from '../wire/errors.ts';

export interface JoinRequest {
  memberId: string;
  groupInstanceId: string | null;
  clientId: string;
  clientHost: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  protocolType: string;
  protocols: { name: string; metadata: Buffer }[];
  needsMemberId: boolean; // the client supports repeating its request with the id that it is given
}

export interface JoinResponse {
  generationId: number;
  protocolType: string;
  protocolName: string;
  leader: string;
  memberId: string;
  members: { memberId: string; groupInstanceId: string | null; metadata: Buffer }[];
}

export interface SyncResponse {
  protocolType: string;
  protocolName: string;
  assignment: Buffer;
}

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: ProtocolError): void;
}

export class ClassicMember {
  readonly id: string;
  request: JoinRequest;
  assignment: Buffer = Buffer.alloc(0);
  joining: Waiting<JoinResponse> | undefined;
  syncing: Waiting<SyncResponse> | undefined;
  hasSynced = false;
  cancelSession: () => void = () => {};

  constructor(id: string, request: JoinRequest) {
    this.id = id;
    this.request = request;
  }

  get instanceId(): string | null {
    return this.request.groupInstanceId;
  }

  metadataFor(protocol: string): Buffer {
    return this.request.protocols.find(({ name }) => name === protocol)?.metadata ?? Buffer.alloc(0);
  }

  hasSameProtocols(other: JoinRequest): boolean {
    const { protocols } = this.request;
    return (
      protocols.length === other.protocols.length &&
      protocols.every(({ name, metadata }, at) => {
        const one = other.protocols[at];
        return one?.name === name && one.metadata.equals(metadata);
      })
    );
  }

  waitForJoin(): Promise<JoinResponse> {
    this.joining?.reject(new ProtocolError('UNKNOWN_MEMBER_ID')); // the client repeated its request
    return new Promise((resolve, reject) => {
      this.joining = { resolve, reject };
    });
  }

  waitForSync(): Promise<SyncResponse> {
    this.syncing?.reject(new ProtocolError('REBALANCE_IN_PROGRESS'));
    return new Promise((resolve, reject) => {
      this.syncing = { resolve, reject };
    });
  }

  // Rejects everything that the member waits for.
  refuse(error: ProtocolError): void {
    this.joining?.reject(error);
    this.syncing?.reject(error);
    this.joining = undefined;
    this.syncing = undefined;
  }
}

// The stored form of a member between rebalances, with the metadata of the chosen protocol.
export interface StoredClassicMember {
  id: string;
  instanceId: string | null;
  clientId: string;
  clientHost: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  metadata: string; // base64
  assignment: string; // base64
}

export function storedClassicMemberOf(member: ClassicMember, protocol: string): StoredClassicMember {
  const { clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs } = member.request;
  const metadata = member.metadataFor(protocol).toString('base64');
  const assignment = member.assignment.toString('base64');
  const { id, instanceId } = member;
  return { id, instanceId, clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs, metadata, assignment };
}

export function classicMemberFrom(
  { id, instanceId, metadata, assignment, ...facts }: StoredClassicMember,
  { protocolType, protocol }: { protocolType: string; protocol: string },
): ClassicMember {
  const protocols = [{ name: protocol, metadata: Buffer.from(metadata, 'base64') }];
  const request = { ...facts, memberId: id, groupInstanceId: instanceId, protocolType, protocols, needsMemberId: true };
  const member = new ClassicMember(id, request);
  member.assignment = Buffer.from(assignment, 'base64');
  member.hasSynced = true;
  return member;
}

// A member of a classic group: what it told when it joined, and the answers that it waits for.
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
  needsMemberId: boolean; // the client can be asked to come again with the id that it is given
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
    this.joining?.reject(new ProtocolError('UNKNOWN_MEMBER_ID')); // the client asked again
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

  // Everything that the member waits for fails.
  refuse(error: ProtocolError): void {
    this.joining?.reject(error);
    this.syncing?.reject(error);
    this.joining = undefined;
    this.syncing = undefined;
  }
}

// One S3 request: its target, its signer, and the tools of operations.
import type { Caller } from '../../core/access.ts';
import { BodyBuffer } from '../../core/body-memory.ts';
import type { Query } from '../../core/s3-signature/percent-encoding.ts';
import type { Store } from '../../core/store.ts';
import { bodyStream } from '../../surface/http/body.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import type { AccessKeys, StorageCaller } from '../access/access-keys.ts';
import type { BlobEngine } from '../engine/engine.ts';
import type { Buckets, StoredBucket } from '../metadata/bucket.ts';
import type { Objects } from '../metadata/objects.ts';
import type { Uploads } from '../metadata/uploads.ts';
import type { BlobRemovals } from '../upkeep/blob-removals.ts';
import type { StorageUsage } from '../upkeep/usage.ts';
import { s3Fault } from '../wire/error.ts';
import type { ChecksumAlgorithm } from '../wire/payload/checksum.ts';
import { type Payload, readPayload } from '../wire/payload/payload.ts';
import type { HeaderReader } from '../wire/payload/payload-plan.ts';
import { parsePayloadPlan } from '../wire/payload/payload-plan.ts';
import type { Signer } from '../wire/signature/signer.ts';
import type { LargeDocuments } from '../wire/xml/large-documents.ts';
import { mostXmlBytes } from '../wire/xml/parser.ts';
import type { StorageHost } from './host.ts';

export interface S3Tools {
  store: Store;
  buckets: Buckets;
  objects: Objects;
  uploads: Uploads;
  blobs: BlobEngine;
  removals: Pick<BlobRemovals, 'reading'>;
  documents: Pick<LargeDocuments, 'read'>;
  usage: StorageUsage;
  keys: Pick<AccessKeys, 'find'>;
  now(): number; // the time of the region
  realNow(): number; // clients sign with their machine's time
  homeRegion: string; // of buckets without a region
}

// The declaration of an operation, without its implementation.
export interface OperationFacts {
  name: string; // PutObject
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD' | 'OPTIONS';
  target: 'service' | 'bucket' | 'object';
  query?: string; // the parameter that selects it: `tagging`
  isCopy?: boolean; // selected by the header x-amz-copy-source
  action?: string; // s3:PutObject, checked in policies and grants; absent: `call` checks by itself
  bodyDecides?: true; // a policy may depend on the body: `call` checks again
  isOpen?: boolean; // needs no authentication, like a preflight
  isData?: boolean; // handles content: such calls are frequent, so they are audited once an hour
}

export interface Named {
  operation: OperationFacts;
  host: StorageHost;
  query: Query;
  bucket: string | undefined;
  key: string | undefined;
}

export class S3Request {
  readonly x: Exchange;
  readonly tools: S3Tools;
  readonly operation: OperationFacts;
  readonly host: StorageHost;
  readonly query: Query;
  readonly #bucketName: string | undefined;
  readonly #key: string | undefined;
  signer: Signer | undefined; // undefined: the request is anonymous
  faultHeaders: string[] = []; // headers of the answer if the request fails
  #bucket: StoredBucket | undefined;
  #received = 0;

  constructor(x: Exchange, tools: S3Tools, named: Named) {
    this.x = x;
    this.tools = tools;
    this.operation = named.operation;
    this.host = named.host;
    this.query = named.query;
    this.#bucketName = named.bucket;
    this.#key = named.key;
  }

  get caller(): StorageCaller | undefined {
    return this.x.caller;
  }

  // For operations that are never anonymous.
  get who(): Caller {
    if (this.x.caller) return this.x.caller;
    throw s3Fault('AccessDenied');
  }

  get bucketName(): string {
    return this.#bucketName ?? '';
  }

  get key(): string {
    return this.#key ?? '';
  }

  // The bucket at the time of the authorization.
  get bucket(): StoredBucket {
    if (!this.#bucket) throw new Error(`${this.operation.name} has no bucket`);
    return this.#bucket;
  }

  set bucket(bucket: StoredBucket) {
    this.#bucket = bucket;
    this.x.rows = [bucket.row];
  }

  get hasBucket(): boolean {
    return this.#bucket !== undefined;
  }

  // A presigned URL may have headers in its query.
  header: HeaderReader = (name) => {
    const value = this.x.req.headers[name];
    return (typeof value === 'string' ? value : value?.join(',')) ?? this.signer?.queryHeaders.get(name);
  };

  parameter(name: string): string | undefined {
    return this.query.find(([one]) => one === name)?.[1];
  }

  // Throws InvalidArgument unless it is a whole number from `least` to `most`.
  integer(name: string, least: number, most: number): number | undefined {
    const text = this.parameter(name);
    if (text === undefined || text === '') return undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw s3Fault('InvalidArgument', `${name} must be a whole number from ${least} to ${most}.`);
  }

  // An empty one counts as none: clients send it if the answer to their upload had no version.
  get versionId(): string | undefined {
    return this.parameter('versionId') || undefined;
  }

  // The body as it arrives; `bytesIn` counts it.
  async *received(): AsyncGenerator<Buffer> {
    for await (const piece of bodyStream(this.x)) {
      this.#received += piece.length;
      yield piece;
    }
  }

  // A body that is sent in chunks has no length in its headers.
  get bytesIn(): number {
    return Number(this.x.req.headers['content-length'] ?? this.#received);
  }

  // The content, verified while it is read to its end. `algorithm`: the checksum to compute if the request names none.
  payload(algorithm?: ChecksumAlgorithm, header: HeaderReader = this.header): Payload {
    const { signer } = this;
    const plan = parsePayloadPlan(header, signer?.payload ?? { kind: 'unsigned' });
    return readPayload(this.received(), { ...plan, algorithm: plan.algorithm ?? algorithm }, signer?.chunkSigning);
  }

  // A body that is a document, read completely and verified by its headers.
  async document(header: HeaderReader = this.header): Promise<Buffer> {
    const { body } = this.payload(undefined, header);
    const buffer = new BodyBuffer(this.x, 0, mostXmlBytes);
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      if (size > mostXmlBytes) throw s3Fault('MaxMessageLengthExceeded');
      buffer.add(piece);
    }
    return Buffer.from(buffer.whole().buffer);
  }
}

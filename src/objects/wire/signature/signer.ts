// What the verification of a signature is given, and what it finds: the signer.
import type { HeaderValues } from '../../../core/s3-signature/canonical-request.ts';
import type { Query } from '../../../core/s3-signature/percent-encoding.ts';
import type { Scope } from '../../../core/s3-signature/signing-key.ts';
import type { PayloadMode } from './payload-mode.ts';

export interface SignedRequest {
  method: string;
  target: string; // path and query as sent, before any decoding
  rawHeaders: readonly string[]; // names and values in turn, as node:http has them
  hostBucket: string | undefined; // the bucket that the host name holds, in virtual-host style
}

export interface SignatureContext {
  now: number; // milliseconds
  // undefined means that nobody has this key; it may also throw a fault of its own.
  secretOf(accessKeyId: string): string | undefined | Promise<string | undefined>;
}

// What the chunks of a signed body are verified with: each signature covers the one before it.
export interface ChunkSigning {
  key: Buffer;
  timestamp: string;
  scope: string;
  seed: string;
}

export interface Signer {
  accessKeyId: string;
  region: string | undefined; // as the client has signed it; Version 2 has none
  isPresigned: boolean;
  payload: PayloadMode;
  chunkSigning: ChunkSigning | undefined; // with Version 4
  queryHeaders: ReadonlyMap<string, string>; // x-amz-* headers that a presigned URL has in its query
}

// What a signature of Version 4 says, from wherever it was read.
export interface Claim {
  accessKeyId: string;
  scope: Scope;
  timestamp: string;
  signedHeaders: string[];
  signature: string;
  payloadHash: string;
}

// A request that was taken apart, without interpretation.
export interface RequestParts {
  method: string;
  path: string;
  query: Query;
  headers: HeaderValues;
  hostBucket: string | undefined;
}

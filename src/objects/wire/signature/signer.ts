// The input and the result of signature verification.
import type { HeaderValues } from '../../../core/s3-signature/canonical-request.ts';
import type { Query } from '../../../core/s3-signature/percent-encoding.ts';
import type { Scope } from '../../../core/s3-signature/signing-key.ts';
import type { PayloadMode } from './payload-mode.ts';

export interface SignedRequest {
  method: string;
  target: string; // path and query as sent, without decoding
  rawHeaders: readonly string[]; // names and values in turn, as node:http has them
  hostBucket: string | undefined; // the bucket in the host name, in virtual-host style
}

export interface SignatureContext {
  now: number; // milliseconds
  // Undefined means that the key does not exist; the function may also throw a fault.
  secretOf(accessKeyId: string): string | undefined | Promise<string | undefined>;
}

// Verifies the chunks of a signed body: each signature covers the one before it.
export interface ChunkSigning {
  key: Buffer;
  timestamp: string;
  scope: string;
  seed: string;
}

export interface Signer {
  accessKeyId: string;
  region: string | undefined; // as signed by the client; Version 2 has none
  isPresigned: boolean;
  payload: PayloadMode;
  chunkSigning: ChunkSigning | undefined; // with Version 4
  queryHeaders: ReadonlyMap<string, string>; // x-amz-* headers that a presigned URL has in its query
}

// The content of a Version 4 signature, from the header or the query.
export interface Claim {
  accessKeyId: string;
  scope: Scope;
  timestamp: string;
  signedHeaders: string[];
  signature: string;
  payloadHash: string;
}

// A request split into its parts, without interpretation.
export interface RequestParts {
  method: string;
  path: string;
  query: Query;
  headers: HeaderValues;
  hostBucket: string | undefined;
}

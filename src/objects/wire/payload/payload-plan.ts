// The length, hashes and checksums that the headers of an upload announce, all of which are verified.
import { s3Fault } from '../error.ts';
import type { PayloadMode } from '../signature/payload-mode.ts';
import {
  type Checksum,
  type ChecksumAlgorithm,
  checksumAlgorithmOf,
  checksumAlgorithms,
  checksumHeader,
  isChecksumValue,
} from './checksum.ts';

export interface PayloadPlan {
  mode: PayloadMode;
  length: number | undefined; // of the decoded body; undefined: not announced
  md5: Buffer | undefined;
  checksum: Checksum | undefined; // announced in a header
  trailerAlgorithm: ChecksumAlgorithm | undefined; // announced to come in the trailer
  algorithm: ChecksumAlgorithm | undefined; // the one to compute
}

export type HeaderReader = (name: string) => string | undefined;

export function parsePayloadPlan(header: HeaderReader, mode: PayloadMode): PayloadPlan {
  const checksum = checksumIn(header);
  const trailerAlgorithm = trailerIn(header, mode);
  if (checksum && trailerAlgorithm) throw multiple();
  const named = header('x-amz-sdk-checksum-algorithm');
  const sdkAlgorithm = named === undefined ? undefined : checksumAlgorithmOf(named);
  const algorithm = checksum?.algorithm ?? trailerAlgorithm ?? sdkAlgorithm;
  if (sdkAlgorithm && algorithm !== sdkAlgorithm) {
    throw s3Fault('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
  }
  const length = lengthOf(header(mode.kind === 'chunked' ? 'x-amz-decoded-content-length' : 'content-length'));
  if (mode.kind === 'chunked' && length === undefined) throw s3Fault('MissingContentLength');
  return { mode, length, md5: md5In(header), checksum, trailerAlgorithm, algorithm };
}

// "aws-chunked" describes the transfer of the body; it is not stored as the object's encoding.
export function storedContentEncoding(contentEncoding: string | undefined): string | undefined {
  const names = contentEncoding?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '' && name.toLowerCase() !== 'aws-chunked').join(', ') || undefined;
}

function lengthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw s3Fault('InvalidArgument', 'The length of the content must be a number.');
}

function md5In(header: HeaderReader): Buffer | undefined {
  const text = header('content-md5')?.trim();
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{32}$/.test(text)) return Buffer.from(text, 'hex'); // sent by Terraform with the configuration of locks
  const md5 = Buffer.from(text, 'base64');
  if (md5.length !== 16 || md5.toString('base64') !== text) throw s3Fault('InvalidDigest');
  return md5;
}

function checksumIn(header: HeaderReader): Checksum | undefined {
  const found = checksumAlgorithms.flatMap((algorithm) => {
    const value = header(checksumHeader(algorithm))?.trim();
    return value === undefined ? [] : [{ algorithm, value }];
  });
  const [checksum, ...more] = found;
  if (more.length > 0) throw multiple();
  if (checksum && !isChecksumValue(checksum.algorithm, checksum.value))
    throw invalidChecksum(checksum.algorithm, 'header');
  return checksum;
}

function trailerIn(header: HeaderReader, mode: PayloadMode): ChecksumAlgorithm | undefined {
  const names =
    header('x-amz-trailer')
      ?.split(',')
      .map((name) => name.trim().toLowerCase()) ?? [];
  const isTrailed = mode.kind === 'chunked' && mode.hasTrailer;
  if (names.length > 0 && !isTrailed) throw s3Fault('InvalidRequest', 'x-amz-trailer needs a payload with a trailer.');
  const announced = names.filter((name) => name !== '');
  if (announced.length > 1) throw multiple();
  const [name] = announced;
  if (name === undefined) return undefined;
  const found = checksumAlgorithms.find((algorithm) => checksumHeader(algorithm) === name);
  if (found) return found;
  throw s3Fault('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
}

// A value that no body can have is a different error from one that this body does not have (BadDigest).
export const invalidChecksum = (algorithm: ChecksumAlgorithm, where: 'header' | 'trailing header'): Error =>
  s3Fault('InvalidRequest', `Value for ${checksumHeader(algorithm)} ${where} is invalid.`);

const multiple = (): Error =>
  s3Fault('InvalidRequest', 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.');

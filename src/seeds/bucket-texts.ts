// The XML of S3, as far as seeds need it.
import { Fault } from '../base/fault.ts';
import type { S3Client } from '../core/s3-client/client.ts';
import type { S3Request } from '../core/s3-client/request.ts';

export const ownerWord = 'OWNER'; // in the access control list of a seed: replaced by the canonical id of the contract

export const tagged = (xml: string, tag: string): string => new RegExp(`<${tag}>([^<]*)`).exec(xml)?.[1] ?? '';

export async function textAt(s3: S3Client, target: Pick<S3Request, 'bucket' | 'query'>): Promise<string> {
  const answer = await s3.call({ ...target, method: 'GET' });
  if (!answer.ok)
    throw new Fault('unavailable', `The object storage returned ${answer.status} for /${target.bucket ?? ''}.`);
  return answer.text();
}

// The headers about encryption: AES256 by the storage is the only kind, and it is named where something is written.
import { s3Fault } from '../error.ts';
import type { HeaderReader } from '../payload/payload-plan.ts';

const name = 'x-amz-server-side-encryption';
const customer = `${name}-customer`;

// Of a request that writes an object. What contradicts itself is refused before what is not offered.
export function demandPlainEncryption(header: HeaderReader): void {
  const method = header(name);
  const algorithm = header(`${customer}-algorithm`);
  const hasCustomerKey = [`${customer}-key`, `${customer}-key-md5`].some((one) => header(one) !== undefined);
  if (method !== undefined && method !== 'AES256')
    throw s3Fault('InvalidArgument', 'The encryption method specified is not supported: use AES256.');
  if (header(`${name}-aws-kms-key-id`) !== undefined)
    throw s3Fault('InvalidArgument', 'A key of KMS needs the encryption method aws:kms, which is not supported.');
  if (method !== undefined && (algorithm !== undefined || hasCustomerKey))
    throw s3Fault('InvalidArgument', 'Server Side Encryption with Customer provided key is incompatible with AES256.');
  if (algorithm === undefined && hasCustomerKey)
    throw s3Fault('InvalidArgument', 'A key of the customer must come with an encryption algorithm.');
  if (algorithm !== undefined) throw s3Fault('NotImplemented', 'Encryption with keys of the customer is not offered.');
}

// Of a request that reads: nothing here was encrypted with a key of the caller's.
export function demandNoEncryption(header: HeaderReader): void {
  if (header(name) !== undefined)
    throw s3Fault('InvalidArgument', `${name} header is not supported for this operation.`);
  if (header(`${customer}-algorithm`) !== undefined || header(`${customer}-key`) !== undefined)
    throw s3Fault('InvalidRequest', 'The encryption parameters are not applicable to this object.');
}

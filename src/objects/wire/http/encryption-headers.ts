// The encryption headers: AES256 by the storage, or a key that the customer sends (SSE-C).
import { hash } from 'node:crypto';
import { type CustomerKey, type KeyProof, proves } from '../../encryption/customer-key.ts';
import { s3Fault } from '../error.ts';
import type { HeaderReader } from '../payload/payload-plan.ts';

const name = 'x-amz-server-side-encryption';
const customer = `${name}-customer`;
const copySource = `x-amz-copy-source-server-side-encryption-customer`;
const keyBytes = 32;

// The key of a request that writes an object; undefined: the storage chooses the encryption.
export function writeKeyIn(header: HeaderReader): CustomerKey | undefined {
  const method = header(name);
  const hasCustomerKey = ['algorithm', 'key', 'key-md5'].some((part) => header(`${customer}-${part}`) !== undefined);
  if (method !== undefined && method !== 'AES256')
    throw s3Fault('InvalidArgument', 'The encryption method specified is not supported: use AES256.');
  if (header(`${name}-aws-kms-key-id`) !== undefined)
    throw s3Fault('InvalidArgument', 'A key of KMS needs the encryption method aws:kms, which is not supported.');
  if (method !== undefined && hasCustomerKey)
    throw s3Fault('InvalidArgument', 'Server Side Encryption with Customer provided key is incompatible with AES256.');
  return customerKeyIn(header);
}

// The key of a request that reads an object.
export function readKeyIn(header: HeaderReader): CustomerKey | undefined {
  if (header(name) !== undefined)
    throw s3Fault('InvalidArgument', `${name} header is not supported for this operation.`);
  return customerKeyIn(header);
}

// The key that the source of a copy was encrypted with.
export const sourceKeyIn = (header: HeaderReader): CustomerKey | undefined => customerKeyIn(header, copySource);

const requests = 'Requests specifying Server Side Encryption with Customer provided keys must provide';

export function customerKeyIn(header: HeaderReader, prefix = customer): CustomerKey | undefined {
  const [algorithm, key, md5] = ['algorithm', 'key', 'key-md5'].map((part) => header(`${prefix}-${part}`));
  if (algorithm === undefined && key === undefined && md5 === undefined) return undefined;
  if (algorithm === undefined) throw s3Fault('InvalidArgument', `${requests} a valid encryption algorithm.`);
  if (algorithm !== 'AES256') throw s3Fault('InvalidEncryptionAlgorithmError');
  if (key === undefined) throw s3Fault('InvalidArgument', `${requests} an appropriate secret key.`);
  if (md5 === undefined) throw s3Fault('InvalidArgument', `${requests} the client calculated MD5 of the secret key.`);
  const secret = Buffer.from(key, 'base64');
  if (secret.length !== keyBytes || secret.toString('base64') !== key)
    throw s3Fault('InvalidArgument', 'The secret key was invalid for the specified algorithm.');
  if (hash('md5', secret, 'base64') !== md5)
    throw s3Fault('InvalidArgument', 'The calculated MD5 hash of the key did not match the hash that was provided.');
  return { secret, md5 };
}

const mismatch = 'The provided encryption parameters did not match the ones used originally.';

// Returns the key to read an object with; throws if the request has none, a wrong one, or an unneeded one.
export function demandKeyOf(proof: KeyProof | undefined, given: CustomerKey | undefined): CustomerKey | undefined {
  if (!proof && given) throw s3Fault('InvalidRequest', 'The encryption parameters are not applicable to this object.');
  if (proof && !given)
    throw s3Fault(
      'InvalidRequest',
      'The object was stored using a form of Server Side Encryption. ' +
        'The correct parameters must be provided to retrieve the object.',
    );
  if (proof && given && !proves(proof, given)) throw s3Fault('InvalidArgument', mismatch);
  return given;
}

// The key of a multipart upload, which every part is encrypted with.
export function demandUploadKey(proof: KeyProof | undefined, given: CustomerKey | undefined): CustomerKey | undefined {
  if (!proof && given)
    throw s3Fault('InvalidRequest', 'The multipart upload initiate did not request encryption with a customer key.');
  if (proof && !given)
    throw s3Fault(
      'InvalidRequest',
      'The multipart upload initiate requested encryption. ' +
        'Subsequent part requests must include the appropriate encryption parameters.',
    );
  if (proof && given && !proves(proof, given)) throw s3Fault('InvalidRequest', mismatch);
  return given;
}

// The headers of an answer about the encryption of an object.
export function encryptionHeaders(encryption: 'AES256' | undefined, key: CustomerKey | undefined): string[] {
  if (key) return [`${customer}-algorithm`, 'AES256', `${customer}-key-MD5`, key.md5];
  return encryption ? [name, encryption] : [];
}

// Keys that customers send with each request (SSE-C). The region never stores such a key. It stores a salted proof with
// the object, which verifies the key when the object is read.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { randomText } from '../../base/ids.ts';

export interface CustomerKey {
  secret: Buffer; // 256 bits
  md5: string; // base64, as the client sent it; answers repeat it
}

export interface KeyProof {
  salt: string; // base64url
  proof: string; // base64
}

const keyBytes = 32;
const saltBytes = 16;
const tagBytes = 16; // the length of an MD5

// Each purpose derives its own value, so a stored proof reveals nothing about the key that encrypts the content.
const derive = ({ secret }: CustomerKey, salt: string, purpose: 'proof' | 'content' | 'entity tag'): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt, 'base64url'), `cumulet customer key: ${purpose}`, keyBytes));

export const newSalt = (): string => randomText(saltBytes);

export function proofOf(key: CustomerKey): KeyProof {
  const salt = newSalt();
  return { salt, proof: derive(key, salt, 'proof').toString('base64') };
}

export const proves = ({ salt, proof }: KeyProof, key: CustomerKey): boolean =>
  timingSafeEqual(derive(key, salt, 'proof'), Buffer.from(proof, 'base64'));

// The entity tag of encrypted content, instead of its MD5: callers without the key can't verify a guess of the content
// with it. A part that is uploaded again gets the same tag.
export const sealedTag = (key: CustomerKey, md5: Buffer): Buffer =>
  createHmac('sha256', derive(key, '', 'entity tag'))
    .update(md5)
    .digest()
    .subarray(0, tagBytes);

// The key that encrypts one blob. Every blob has its own salt.
export const contentKey = (key: CustomerKey, salt: string): Buffer => derive(key, salt, 'content');

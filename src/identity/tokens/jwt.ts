// Tokens as JWTs, ES256. One client decodes the header with plain padded base64, so its length in bytes must be
// divisible by three and its order is fixed: {"typ":"JWT","kid":"<36 characters>","alg":"ES256"} has 72.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { isObject, type Json } from '../../base/json.ts';

export interface Claims {
  iss: string;
  iat: number;
  exp: number;
  identity: { uuid: string; contractNumber: number; role: string; privileges: string[] };
}

export interface Signer {
  sign(id: string, claims: Claims): string;
  verify(token: string): { id: string; claims: Claims } | undefined;
}

export const newSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export function createSigner(pem: string): Signer {
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key);
  return {
    sign(id, claims) {
      const header = Buffer.from(`{"typ":"JWT","kid":"${id}","alg":"ES256"}`).toString('base64url');
      const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    verify: (token) => verified(token, publicKey),
  };
}

function verified(token: string, key: KeyObject): { id: string; claims: Claims } | undefined {
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, bytes))
    return undefined;
  const head = decoded(header);
  const claims = decoded(payload);
  if (!isObject(head) || !isObject(claims) || typeof head.kid !== 'string') return undefined;
  return { id: head.kid, claims: claims as unknown as Claims };
}

function decoded(part: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

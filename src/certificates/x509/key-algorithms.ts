// Private keys of issued certificates. They are generated off the event loop, because an RSA key takes up to some
// seconds.
import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyPair } from '../../base/certificate.ts';

export const keyAlgorithms = ['rsa2048', 'rsa3072', 'rsa4096'] as const;

// PKCS#8 in PEM.
export async function newPrivateKey(algorithm: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: Number(algorithm.slice(3)) });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

// The key of an account with an ACME server.
export async function newAccountKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function keysOf(pem: string): KeyPair {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

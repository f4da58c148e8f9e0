// Encrypts secrets that must be readable again (signing keys, S3 secrets): AES-256-GCM with the region's key, which is
// in a separate file. Secrets that need not be readable again are hashed instead.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Seal {
  close(text: string): string;
  open(sealed: string): string;
}

export function createSeal(key: Buffer): Seal {
  return {
    close(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

export const newSealKey = (): Buffer => randomBytes(32);

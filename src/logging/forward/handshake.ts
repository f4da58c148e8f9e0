// The handshake of the forward protocol: HELO with a nonce, PING with the digest of the shared key, PONG with ours.
import { encode } from '@msgpack/msgpack';
import { newDecoder } from '../push/message-pack.ts';
import { digestOf, type Proof } from './keys.ts';

export const nonceBytes = 16;
export const mostPing = 4096; // bytes

export const helo = (nonce: Uint8Array): Uint8Array => encode(['HELO', { nonce, auth: '', keepalive: true }]);

// Returns undefined if it is not a PING. Texts are treated as raw bytes.
export function pingOf(bytes: Uint8Array): Proof | undefined {
  try {
    const ping = newDecoder(mostPing, true).decode(bytes);
    if (!Array.isArray(ping) || ping.length < 4) return undefined;
    const [word, hostname, salt, digest] = ping as unknown[];
    if (!(word instanceof Uint8Array && hostname instanceof Uint8Array && salt instanceof Uint8Array)) return undefined;
    if (!(digest instanceof Uint8Array) || Buffer.from(word).toString('latin1') !== 'PING') return undefined;
    return { salt, hostname, digest: Buffer.from(digest).toString('latin1').toLowerCase() };
  } catch {
    return undefined;
  }
}

export const pong = (nonce: Uint8Array, { salt }: Proof, key: string, serverName: string): Uint8Array =>
  encode(['PONG', true, '', serverName, digestOf(salt, Buffer.from(serverName), nonce, key)]);

export const refusal = (reason: string): Uint8Array => encode(['PONG', false, reason, '', '']);

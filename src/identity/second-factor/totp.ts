// Codes of authenticator apps (RFC 6238): six digits, one code per thirty seconds of real time, which the apps use.
// The previous and the next code count too, for clocks that differ.
import { Secret, TOTP } from 'otpauth';

const periodMs = 30_000;
const issuer = 'Cumulet';

export const newSecret = (): string => new Secret({ size: 20 }).base32;

// The content of the QR code for the app.
export const uriOf = (secret: string, email: string): string =>
  new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString();

export const isCode = (text: string): boolean => /^\d{6}$/.test(text);

// The step of the code; undefined: the code is wrong or too old.
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / periodMs) + delta;
}

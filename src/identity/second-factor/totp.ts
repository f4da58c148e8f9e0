// Codes of authenticator apps (RFC 6238): six digits, of steps of thirty seconds of real time, which is what the apps
// go by. The step before and the one after count too, for clocks that differ.
import { Secret, TOTP } from 'otpauth';

const periodMs = 30_000;
const issuer = 'Cumulet';

export const newSecret = (): string => new Secret({ size: 20 }).base32;

// What a QR code tells the app.
export const uriOf = (secret: string, email: string): string =>
  new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString();

export const isCode = (text: string): boolean => /^\d{6}$/.test(text);

// The step that the code is of; undefined: it is wrong, or too old.
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / periodMs) + delta;
}

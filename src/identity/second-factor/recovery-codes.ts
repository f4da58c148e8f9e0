// Recovery codes, for users who have lost their authenticator: each counts once. They have 80 random bits, so a plain
// hash protects them.
import { hash } from 'node:crypto';
import { Secret } from 'otpauth';

const count = 10;
const bytes = 10; // sixteen letters and digits

export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => new Secret({ size: bytes }).base32.toLowerCase().replace(/(.{4})(?=.)/g, '$1-'));

export const recoveryHash = (code: string): string => hash('sha256', plain(code));

export const isRecoveryCode = (text: string): boolean => /^[a-z2-7]{16}$/.test(plain(text));

const plain = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '');

// The formats of user data that the platform's images handle, recognized by the beginning of the decoded text. Other
// formats are stored, and cloud-init reports at the first boot that it does not handle them.

export type UserDataFormat = 'cloud-config' | 'script' | 'shellscript' | 'include' | 'upstart-job' | 'unhandled';

// The first match applies.
const beginnings: readonly [beginning: string, format: UserDataFormat][] = [
  ['#cloud-config', 'cloud-config'],
  ['#!', 'script'],
  ['Content-Type: text/x-shellscript', 'shellscript'],
  ['#include', 'include'],
  ['#upstart-job', 'upstart-job'],
  ['Content-Type: text/upstart-job', 'upstart-job'],
];

// With or without padding; a single character at the end is less than a byte.
const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) && (text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1);
const headLength = 64; // in base64; longer than the longest beginning

// The problem never quotes the data: it may contain passwords.
export function userDataFormat(base64: string): { format: UserDataFormat } | { problem: string } {
  const encoded = base64.replaceAll(/\r?\n/g, ''); // as the base64 command wraps it
  if (!isBase64(encoded)) return { problem: 'Expected base64: A-Z a-z 0-9 + / with or without = at its end' };
  const head = Buffer.from(encoded.slice(0, headLength), 'base64').toString('latin1');
  const found = beginnings.find(([beginning]) => begins(head, beginning));
  return { format: found ? found[1] : 'unhandled' };
}

// The name of a header may be in any case.
const begins = (head: string, beginning: string): boolean =>
  head.startsWith(beginning) ||
  (beginning.startsWith('Content-Type') && head.toLowerCase().startsWith(beginning.toLowerCase()));

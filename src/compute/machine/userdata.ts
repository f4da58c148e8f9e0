// The formats of user data that the platform's images accept, recognized by the beginning of the decoded text.

export type UserDataFormat = 'cloud-config' | 'script' | 'shellscript' | 'include' | 'upstart-job';

// The first that fits counts.
const beginnings: readonly [beginning: string, format: UserDataFormat][] = [
  ['#cloud-config', 'cloud-config'],
  ['#!', 'script'],
  ['Content-Type: text/x-shellscript', 'shellscript'],
  ['#include', 'include'],
  ['#upstart-job', 'upstart-job'],
  ['Content-Type: text/upstart-job', 'upstart-job'],
];

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
const headLength = 64; // in base64; more than the longest beginning takes

// The problem never quotes the data: it may hold passwords.
export function userDataFormat(base64: string): { format: UserDataFormat } | { problem: string } {
  const encoded = base64.replaceAll(/\r?\n/g, ''); // as the base64 command wraps it
  if (!isBase64(encoded)) return { problem: 'Expected base64: A-Z a-z 0-9 + / with = at its end' };
  const head = Buffer.from(encoded.slice(0, headLength), 'base64').toString('latin1');
  const found = beginnings.find(([beginning]) => begins(head, beginning));
  if (found) return { format: found[1] };
  const known = beginnings.map(([beginning]) => beginning).join(', ');
  return { problem: `Expected text that begins, when it is decoded, with one of [${known}]` };
}

// The name of a header may be in any case.
const begins = (head: string, beginning: string): boolean =>
  head.startsWith(beginning) ||
  (beginning.startsWith('Content-Type') && head.toLowerCase().startsWith(beginning.toLowerCase()));

// Arithmetic on IPv4 and IPv6 addresses. An address is parsed once: equal addresses have the same canonical `text`,
// however they were written, and a range is two numbers.
import { isIPv4 } from 'node:net';

export interface Address {
  version: 4 | 6;
  value: bigint;
  text: string;
}

export interface Range {
  version: 4 | 6;
  first: bigint;
  last: bigint;
}

export function addressOf(text: string): Address | undefined {
  if (!text.includes(':')) return isIPv4(text) ? { version: 4, value: BigInt(number4(text)), text } : undefined;
  const groups = groupsOf(text);
  if (!groups) return undefined;
  let value = 0n;
  for (let at = 0; at < 8; at += 2)
    value = (value << 32n) | BigInt((groups[at] as number) * 65536 + (groups[at + 1] as number));
  return { version: 6, value, text: canonical(groups) };
}

// An address, or a network with the length of its prefix; bits after the prefix do not count.
export function rangeOf(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const address = addressOf(slash < 0 ? text : text.slice(0, slash));
  if (!address) return undefined;
  const bits = address.version === 4 ? 32 : 128;
  const length = slash < 0 ? `${bits}` : text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
  const host = (1n << BigInt(bits - Number(length))) - 1n;
  return { version: address.version, first: address.value & ~host, last: address.value | host };
}

// The address with this value, in canonical text.
export function addressAt(version: 4 | 6, value: bigint): string {
  const size = version === 4 ? 8n : 16n;
  const count = version === 4 ? 4 : 8;
  const parts = Array.from({ length: count }, (_, at) =>
    Number((value >> (size * BigInt(count - 1 - at))) & ((1n << size) - 1n)),
  );
  return version === 4 ? parts.join('.') : canonical(parts);
}

export const contains = ({ version, first, last }: Range, address: Address): boolean =>
  version === address.version && address.value >= first && address.value <= last;

export const isAmong = (ranges: readonly Range[], address: Address): boolean => {
  for (const range of ranges) if (contains(range, address)) return true;
  return false;
};

export const rangesOf = (texts: readonly (string | null)[]): Range[] =>
  texts.flatMap((text) => (text === null ? [] : (rangeOf(text) ?? [])));

// Addresses of interfaces may carry the length of their prefix.
export const addressesOf = (texts: readonly string[]): Address[] =>
  texts.flatMap((text) => addressOf(text.split('/', 1)[0] as string) ?? []);

// Addresses that are not routed on the internet. The ranges for tests and documentation are not among them: the
// region's own public addresses come from there.
export const unroutedNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '224.0.0.0/3', '::/127', '::ffff:0:0/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
];
const unrouted = rangesOf(unroutedNetworks);

export const isPublic = (address: Address): boolean => !isAmong(unrouted, address);

function number4(text: string): number {
  let value = 0;
  let part = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46) {
      value = value * 256 + part;
      part = 0;
    } else part = part * 10 + code - 48;
  }
  return value * 256 + part;
}

// Eight numbers, or undefined.
function groupsOf(text: string): number[] | undefined {
  const gap = text.indexOf('::');
  if (gap < 0) {
    const groups = halfOf(text);
    return groups?.length === 8 ? groups : undefined;
  }
  const left = halfOf(text.slice(0, gap));
  const right = halfOf(text.slice(gap + 2));
  if (!left || !right || left.length + right.length > 7 || text.slice(0, gap).includes('.')) return undefined;
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

// The last two groups may be written as an IPv4 address.
function halfOf(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const dotted = parts.at(-1)?.includes('.') ? parts.pop() : undefined;
  const groups: number[] = [];
  for (const part of parts) {
    if (!/^[\da-f]{1,4}$/i.test(part)) return undefined;
    groups.push(Number.parseInt(part, 16));
  }
  if (dotted === undefined) return groups;
  const tail = number4(dotted);
  return isIPv4(dotted) ? [...groups, Math.floor(tail / 65536), tail % 65536] : undefined;
}

// Canonical text (RFC 5952): the first longest run of at least two zero groups is `::`.
function canonical(groups: number[]): string {
  let from = 0;
  let length = 1;
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (end < 8 && groups[end] === 0) end++;
    if (end - at > length) [from, length] = [at, end - at];
  }
  const hex = groups.map((group) => group.toString(16));
  if (length === 1) return hex.join(':');
  return `${hex.slice(0, from).join(':')}::${hex.slice(from + length).join(':')}`;
}

// ip("…"): whether a text contains an address of a range. The range is one address, two addresses joined by a hyphen,
// or a prefix such as 10.0.0.0/8.
import { BlockList, isIP } from 'node:net';
import { parseError } from '../query-error.ts';

export function ipTest(pattern: string): (text: string) => boolean {
  const list = blockList(pattern);
  if (!list) throw parseError(`ip: invalid pattern: ${JSON.stringify(pattern)}`);
  const has = (address: string): boolean => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
  return (text) => addressesIn(text).some(has);
}

function blockList(pattern: string): BlockList | undefined {
  const list = new BlockList();
  const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const [, address = '', bits] = /^(.*)\/(\d+)$/.exec(pattern) ?? [];
  const [first = '', last] = pattern.split('-').map((part) => part.trim());
  try {
    if (isIP(pattern)) list.addAddress(pattern, familyOf(pattern));
    else if (isIP(address)) list.addSubnet(address, Number(bits), familyOf(address));
    else if (isIP(first) && last && isIP(first) === isIP(last)) list.addRange(first, last, familyOf(first));
    else return undefined;
  } catch {
    return undefined;
  }
  return list;
}

// Runs of characters that start like an address.
const candidate = /\d(?=.{0,2}\.)[\d.]*|(?:::(?=[\da-fA-F])|[\da-fA-F]{1,4}(?=:))[\da-fA-F:.]*/g;

function addressesIn(text: string): string[] {
  return text.match(candidate) ?? [];
}

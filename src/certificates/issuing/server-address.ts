// Allowed addresses of ACME servers: HTTPS to every address that the region may connect to for a contract, plain HTTP
// only to this machine. The links in a server's answers are checked, too.
import type { LookupFunction } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { checkedLookup, forbiddenHost, type Reach } from '../../base/outbound/outbound-address.ts';

type Scheme = 'http:' | 'https:';

const reachOf: Readonly<Record<Scheme, Reach>> = { 'http:': 'this machine', 'https:': 'anywhere' };

// Why an address is invalid, as far as that is visible without resolving its name; undefined: it is valid.
export function wrongAddress(address: string): string | undefined {
  const { protocol, hostname, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return 'Expected https';
  if (username !== '' || password !== '') return 'Expected an address without a user';
  const why = forbiddenHost(hostname, reachOf[protocol]);
  if (why === undefined) return undefined;
  return `Expected ${protocol === 'http:' ? 'https' : 'the address of a server'}: ${why}`;
}

export function demandAddress(address: string): void {
  const wrong = URL.canParse(address) ? wrongAddress(address) : 'Expected an address';
  if (wrong !== undefined) throw forbiddenAddress(address, wrong);
}

const forbiddenAddress = (address: string, why: string): Fault =>
  new Fault('refused', `The ACME server can't be reached at ${address.slice(0, 200)}: ${why}`);

export const serverLookup = (scheme: Scheme): LookupFunction => checkedLookup(reachOf[scheme], forbiddenAddress);

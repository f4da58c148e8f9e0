// Where an ACME server may be: HTTPS may go anywhere that the region connects to for a contract, plain HTTP to this
// machine alone. The server chooses an address too, with every link in its answers.
import type { LookupFunction } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { checkedLookup, forbiddenHost, type Reach } from '../../base/outbound-address.ts';

type Scheme = 'http:' | 'https:';

const reachOf: Readonly<Record<Scheme, Reach>> = { 'http:': 'this machine', 'https:': 'anywhere' };

// What is wrong with an address as far as that can be seen without looking its name up; undefined: nothing.
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
  if (wrong !== undefined) throw mayNotBeAsked(address, wrong);
}

const mayNotBeAsked = (address: string, why: string): Fault =>
  new Fault('refused', `The ACME server can not be asked at ${address.slice(0, 200)}: ${why}`);

export const serverLookup = (scheme: Scheme): LookupFunction => checkedLookup(reachOf[scheme], mayNotBeAsked);

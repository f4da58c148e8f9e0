// Where an ACME server may be. Whoever makes a provider chooses the address, and so does the server with every link in
// its answers, but it is the region that asks. So HTTPS may go anywhere but to link-local addresses, where clouds keep
// the credentials of their machines, and to those that name no machine; plain HTTP may go to this machine alone.
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../base/fault.ts';

type Scheme = 'http:' | 'https:';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const forbidden = new BlockList();
forbidden.addSubnet('0.0.0.0', 8, 'ipv4'); // unspecified: it reaches this machine
forbidden.addSubnet('169.254.0.0', 16, 'ipv4'); // link-local
forbidden.addSubnet('224.0.0.0', 3, 'ipv4'); // multicast, reserved, broadcast
forbidden.addAddress('100.100.100.200', 'ipv4'); // metadata services that are not link-local
forbidden.addAddress('192.0.0.192', 'ipv4');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('::', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // link-local through NAT64

function isAllowed(scheme: Scheme, address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return scheme === 'http:' ? loopback.check(address, family) : !forbidden.check(address, family);
}

const notAllowed = (scheme: Scheme): string =>
  scheme === 'http:'
    ? 'Expected https: plain http is for servers on this machine'
    : 'Expected the address of a server: this one is link-local or names no machine';

// What is wrong with an address as far as that can be seen without looking its name up; undefined: nothing.
export function wrongAddress(address: string): string | undefined {
  const { protocol, hostname, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return 'Expected https';
  if (username !== '' || password !== '') return 'Expected an address without a user';
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 || isAllowed(protocol, literal) ? undefined : notAllowed(protocol);
}

export function demandAddress(address: string): void {
  const wrong = URL.canParse(address) ? wrongAddress(address) : 'Expected an address';
  if (wrong !== undefined) throw mayNotBeAsked(address, wrong);
}

const mayNotBeAsked = (address: string, why: string): Fault =>
  new Fault('refused', `The ACME server can not be asked at ${address.slice(0, 200)}: ${why}`);

// For the agent of a scheme: looks a name up for the connection, so no other answer can come in between.
export const checkedLookup =
  (scheme: Scheme): LookupFunction =>
  (name, options, done) => {
    const check = (error: Error | null, found: string | LookupAddress[], family?: number): void => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      // A name that has a forbidden address besides others is an attack.
      const isWrong = !error && !addresses.every((address) => isAllowed(scheme, address));
      done(isWrong ? mayNotBeAsked(name, notAllowed(scheme)) : error, found, family);
    };
    lookup(name, options, check);
  };

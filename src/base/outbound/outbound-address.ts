// Where the region connects to for a contract: an ACME server, a webhook, a mail server, a primary name server. The
// contract chooses the address, but the region asks. So link-local addresses, where clouds keep the credentials of
// their machines, and addresses that name no machine are forbidden. This machine itself is allowed: in local
// development the receiver is there, and the region's own interfaces are no more open to a call from here than from
// elsewhere.
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

export type Reach = 'anywhere' | 'this machine';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const forbidden = new BlockList();
forbidden.addSubnet('0.0.0.0', 8, 'ipv4'); // unspecified: it reaches this machine
forbidden.addSubnet('169.254.0.0', 16, 'ipv4'); // link-local
forbidden.addSubnet('224.0.0.0', 3, 'ipv4'); // multicast, reserved, broadcast
forbidden.addAddress('100.100.100.200', 'ipv4'); // metadata services that are not link-local
forbidden.addAddress('168.63.129.16', 'ipv4');
forbidden.addAddress('192.0.0.192', 'ipv4');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('fd20:ce::254', 'ipv6');
forbidden.addAddress('::', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
forbidden.addSubnet('::a9fe:0', 112, 'ipv6'); // link-local of IPv4 in an address of IPv6
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
forbidden.addSubnet('2002:a9fe::', 32, 'ipv6');

function isAllowed(address: string, reach: Reach): boolean {
  const plain = address.replace(/%.*$/, ''); // without a zone
  const family = isIP(plain) === 4 ? 'ipv4' : 'ipv6';
  return reach === 'this machine' ? loopback.check(plain, family) : !forbidden.check(plain, family);
}

const reasons: Readonly<Record<Reach, string>> = {
  anywhere: 'this address is link-local or names no machine',
  'this machine': 'plain http is for servers on this machine',
};

// Why an address may not be asked, as far as that is known without looking its name up; undefined: it may.
export function forbiddenHost(host: string, reach: Reach = 'anywhere'): string | undefined {
  const literal = host.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 || isAllowed(literal, reach) ? undefined : reasons[reach];
}

// Looks a name up for the connection itself, so that no other answer can come between the check and the connection.
export const checkedLookup =
  (reach: Reach, refusal: (name: string, why: string) => Error): LookupFunction =>
  (name, options, done) => {
    const check = (error: Error | null, found: string | LookupAddress[], family?: number): void => {
      const isOne = !Array.isArray(found);
      const addresses = isOne ? [{ address: found, family: 0 }] : found;
      // Machines may have a link-local address next to others: the connection knows only the others.
      const allowed = error ? [] : addresses.filter(({ address }) => isAllowed(address, reach));
      const refused = allowed.length === 0 ? refusal(name, reasons[reach]) : null;
      done(error ?? refused, isOne ? found : allowed, family);
    };
    lookup(name, options, check);
  };

// IPv4 addresses that networks use inside, and that no one else reaches.
export const isPrivate = (address: string): boolean =>
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address) && isIPv4(address);

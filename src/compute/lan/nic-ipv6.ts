// IPv6 of a NIC: a /80 of its LAN's /64, and addresses in it; none if the LAN has none. A network that the client does
// not name follows from the named addresses, or else from the NIC's id.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import type { Draft, Report } from '../../core/resource.ts';
import { refused } from './address-claims.ts';
import { groupsOf, isIn, textOf } from './ipv6.ts';

export function ipv6Rules({ values, previous, way }: Draft, report: Report): void {
  if (values.ipv6CidrBlock === '') values.ipv6CidrBlock = null;
  if (way === 'replace') for (const name of ['ipv6CidrBlock', 'ipv6Ips']) values[name] ??= previous[name] ?? null;
  const isLost = way === 'change' && values.ipv6CidrBlock === null && typeof previous.ipv6CidrBlock === 'string';
  if (isLost && values.lan === previous.lan)
    report('ipv6CidrBlock', 'A NIC has an IPv6 network while its LAN has one. Switch IPv6 off at the LAN');
  const addresses = addressesOf(values);
  for (const [at, address] of addresses.entries()) {
    if (!groupsOf(address)) report(`ipv6Ips.[${at}]`, `'${address.slice(0, 60)}' is not an IPv6 address`);
    else if (addresses.indexOf(address) < at) report(`ipv6Ips.[${at}]`, `${address} is in the list twice`);
  }
}

// `isMoved`: it was in another LAN, and its previous addresses are dropped unless they are sent again.
export function setNetwork(draft: Draft, lan: Values, lanPath: string, isMoved: boolean): void {
  const { values, previous } = draft;
  const isLeft = (name: string): boolean => isMoved && JSON.stringify(values[name]) === JSON.stringify(previous[name]);
  if (isLeft('ipv6CidrBlock')) values.ipv6CidrBlock = null;
  if (isLeft('ipv6Ips')) values.ipv6Ips = [];
  if (typeof lan.ipv6CidrBlock === 'string') {
    const block = blockOf(draft, lan.ipv6CidrBlock);
    const isOther = block !== previous.ipv6CidrBlock && sameTexts(values.ipv6Ips, previous.ipv6Ips);
    if (isOther && draft.before) values.ipv6Ips = [];
    demandIn(draft, block);
    hold(draft, lanPath, block, addressesOf(values));
    return;
  }
  if (isLeft('dhcpv6')) values.dhcpv6 = null;
  if (typeof values.ipv6CidrBlock === 'string') throw refused(draft, 'ipv6CidrBlock', none);
  if (addressesOf(values).length > 0) throw refused(draft, 'ipv6Ips', none);
  if (values.dhcpv6 === true) throw refused(draft, 'dhcpv6', none);
  hold(draft, lanPath, null, []);
}

const none = 'The LAN has no IPv6 network';

const addressesOf = ({ ipv6Ips }: Values): string[] => (Array.isArray(ipv6Ips) ? ipv6Ips.map(String) : []);
const sameTexts = (one: Values[string] | undefined, other: Values[string] | undefined): boolean =>
  JSON.stringify(one ?? []) === JSON.stringify(other ?? []);

// Its LAN gets another network, or none. The NIC's addresses move to the new network with the same suffix.
export function moveNetwork(nic: Draft, lanPath: string, network: string | null, taken: Set<string>): void {
  const { values, id } = nic;
  if (network === null) {
    values.dhcpv6 = null;
    hold(nic, lanPath, null, []);
    return;
  }
  const had = values.ipv6CidrBlock;
  const moved = (text: string): string => textOf([...first(network, 4), ...(groupsOf(text) ?? []).slice(4)]);
  if (typeof had === 'string') {
    hold(nic, lanPath, `${moved(baseOf(had))}/80`, addressesOf(values).map(moved));
    return;
  }
  let number = numberOf(id);
  while (taken.has(blockAt(network, number))) number = (number + 1) % blocks;
  const block = blockAt(network, number);
  taken.add(block);
  hold(nic, lanPath, block, []);
}

function hold({ values, reservations }: Draft, lanPath: string, block: string | null, addresses: string[]): void {
  const others = reservations.claims.filter((claim) => !claim.endsWith('/80'));
  reservations.claims.splice(
    0,
    reservations.claims.length,
    ...others,
    ...(block === null ? [] : [`${lanPath} ${block}`]),
  );
  values.ipv6CidrBlock = block;
  values.ipv6Ips = block !== null && addresses.length === 0 ? [firstOf(block)] : addresses;
}

function demandIn(draft: Draft, block: string): void {
  const problems: Problem[] = [];
  for (const [at, address] of addressesOf(draft.values).entries())
    if (!isIn(address, block)) {
      const message = `[${draft.at}.ipv6Ips.[${at}]] ${address.slice(0, 60)} is not in ${block}`;
      problems.push({ code: '200', message });
    }
  if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
}

function blockOf(draft: Draft, network: string): string {
  const { values, previous } = draft;
  const requested = values.ipv6CidrBlock;
  if (typeof requested === 'string' && requested !== 'AUTO') return givenBlock(draft, requested, network);
  if (
    requested === 'AUTO' &&
    typeof previous.ipv6CidrBlock === 'string' &&
    isIn(baseOf(previous.ipv6CidrBlock), network)
  )
    return previous.ipv6CidrBlock;
  const [address] = sameTexts(values.ipv6Ips, previous.ipv6Ips) ? [] : addressesOf(values);
  if (address !== undefined && isIn(address, network)) return `${textOf([...first(address, 5), 0, 0, 0])}/80`;
  return blockAt(network, numberOf(draft.id));
}

function givenBlock(draft: Draft, requested: string, network: string): string {
  const [address = '', bits] = requested.split('/');
  const groups = groupsOf(address);
  if (bits !== '80' || !groups || !isIn(address, network))
    throw refused(draft, 'ipv6CidrBlock', `Expected a /80 of the LAN's ${network}`);
  return `${textOf([...groups.slice(0, 5), 0, 0, 0])}/80`;
}

const blocks = 65_536; // in each network

// The NIC's id determines the network: in a collision, the NIC gets another id.
const numberOf = (id: string): number => Number.parseInt(id.slice(-4), 16);
const blockAt = (network: string, number: number): string => `${textOf([...first(network, 4), number, 0, 0, 0])}/80`;

const baseOf = (network: string): string => network.split('/', 1)[0] as string;
const first = (text: string, count: number): number[] => (groupsOf(baseOf(text)) ?? []).slice(0, count);
const firstOf = (block: string): string => textOf([...first(block, 7), 2]);

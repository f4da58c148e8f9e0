// The IPv6 side of a NIC: a /80 of its LAN's /64, and addresses in it. It has none where the LAN has none.
import type { Values } from '../../base/json.ts';
import type { Draft } from '../../core/resource.ts';
import { refused } from './addressing.ts';
import { groupsOf, isIn, textOf } from './ipv6.ts';

export function setNetwork(draft: Draft, lan: Values, lanPath: string, isMoved: boolean): void {
  const { values, stood, holds, id } = draft;
  const network = typeof lan.ipv6CidrBlock === 'string' ? lan.ipv6CidrBlock : undefined;
  const others = holds.claims.filter((claim) => !claim.endsWith('/80'));
  const asked = isMoved && values.ipv6CidrBlock === stood.ipv6CidrBlock ? null : values.ipv6CidrBlock;
  if (network === undefined) {
    if (typeof asked === 'string') throw refused(draft, 'ipv6CidrBlock', 'The LAN has no IPv6 network');
    if (Array.isArray(values.ipv6Ips) && values.ipv6Ips.length > 0 && !isMoved)
      throw refused(draft, 'ipv6Ips', 'The LAN has no IPv6 network');
    Object.assign(values, { ipv6CidrBlock: null, ipv6Ips: [] });
    holds.claims.splice(0, holds.claims.length, ...others);
    return;
  }
  const block =
    typeof asked === 'string' && asked !== 'AUTO' ? givenBlock(draft, asked, network) : ownBlock(network, id);
  holds.claims.splice(0, holds.claims.length, ...others, `${lanPath} ${block}`);
  const wanted = Array.isArray(values.ipv6Ips) && !isMoved ? values.ipv6Ips.map(String) : [];
  for (const [at, address] of wanted.entries())
    if (!isIn(address, block)) throw refused(draft, `ipv6Ips.[${at}]`, `${address.slice(0, 60)} is not in ${block}`);
  values.ipv6CidrBlock = block;
  values.ipv6Ips = wanted.length > 0 ? wanted : [firstOf(block)];
}

function givenBlock(draft: Draft, asked: string, network: string): string {
  const [address = '', bits] = asked.split('/');
  const groups = groupsOf(address);
  if (bits !== '80' || !groups || !isIn(address, network))
    throw refused(draft, 'ipv6CidrBlock', `A /80 of the LAN's ${network} is expected`);
  return `${textOf([...groups.slice(0, 5), 0, 0, 0])}/80`;
}

// Which of the 65,536 is told by the NIC's own id: whoever meets another there gets another id.
function ownBlock(network: string, id: string): string {
  const groups = groupsOf(network.split('/')[0] ?? '') ?? [];
  return `${textOf([...groups.slice(0, 4), Number.parseInt(id.slice(-4), 16), 0, 0, 0])}/80`;
}

const firstOf = (block: string): string => {
  const groups = groupsOf(block.split('/')[0] ?? '') ?? [];
  return textOf([...groups.slice(0, 7), 2]);
};

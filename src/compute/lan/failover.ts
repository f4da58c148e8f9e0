// IP failover groups of a LAN: an address that several NICs share, and the primary NIC, which holds the claim for all
// of them and can't be deleted in that time. A new primary takes the claim over. When a group is removed, its primary
// keeps the address and the others lose it.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { reservationsOf, reservedLinks } from '../../core/operation/reservations.ts';
import type { Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';
import { refused, sharedPath, transferAddress } from './address-claims.ts';
import type { LanNics } from './lan-nics.ts';

interface Group {
  ip: string;
  nicUuid: string;
}

const groupsOf = ({ ipFailover }: Values): Group[] => (ipFailover ?? []) as unknown as Group[];
const ipsOf = ({ body }: Row): string[] => ((JSON.parse(body) as Values).ips as string[] | null) ?? [];
const doesShare = (row: Row, ip: string): boolean => reservedLinks(row, 'shares').includes(sharedPath(ip));
const doesHold = (row: Row, ip: string): boolean =>
  reservationsOf(row).claims.some((claim) => claim.endsWith(` ${ip}`));

// Returns the LAN; the caller guards its version, so that the result stays valid.
export async function refuseFailoverAddress(store: Reader, nic: Row): Promise<Row | undefined> {
  const [path] = reservedLinks(nic, 'lan');
  const lan = path === undefined ? undefined : await store.at(nic.contract, path);
  if (!lan || !groupsOf(JSON.parse(lan.body) as Values).some(({ nicUuid }) => nicUuid === nic.id)) return lan;
  throw new Fault('refused', `NIC ${nic.id} is in an IP failover group of its LAN. Remove it from the group first.`, {
    code: '200',
  });
}

export async function decideFailover(draft: Draft, nics: LanNics): Promise<void> {
  const [groups, before] = [groupsOf(draft.values), groupsOf(draft.previous)];
  if (JSON.stringify(groups) === JSON.stringify(before)) return;
  for (const [at, group] of groups.entries()) {
    if (groups.findIndex(({ ip }) => ip === group.ip) < at)
      throw refused(draft, `ipFailover.[${at}].ip`, `The list already has a group with ${group.ip.slice(0, 60)}`);
    const isKept = before.some(({ ip, nicUuid }) => ip === group.ip && nicUuid === group.nicUuid);
    if (!isKept) await name(draft, nics, group, at);
  }
  for (const { ip } of before)
    if (!groups.some((one) => one.ip === ip))
      for (const row of await nics.rows()) if (doesShare(row, ip)) await nics.takeFrom(row, ip);
}

// Checks that it is an address of this NIC, which holds it from now on.
async function name(draft: Draft, nics: LanNics, { ip, nicUuid }: Group, at: number): Promise<void> {
  const where = `ipFailover.[${at}]`;
  const rows = await nics.rows();
  const found = rows.find(({ id }) => id === nicUuid);
  if (!found) throw refused(draft, `${where}.nicUuid`, `NIC ${nicUuid.slice(0, 40)} is not in this LAN`);
  if (!ipsOf(found).includes(ip))
    throw refused(draft, `${where}.ip`, `${ip.slice(0, 60)} is not an address of NIC ${nicUuid}`);
  const holder = doesHold(found, ip) ? undefined : rows.find((row) => doesHold(row, ip));
  if (!holder) await nics.keep(found);
  // A release is written before the new claim.
  else transferAddress(await nics.changed(holder), await nics.changed(found), ip);
}

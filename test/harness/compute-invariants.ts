// Invariants of the rows of core infrastructure, by their own bodies: the owners of slots, addresses, cores and disks,
// and usage that matches the resources. Part of assertWhole (invariants.ts).
import assert from 'node:assert/strict';
import { BlockList, isIPv4 } from 'node:net';
import { assertSame, keyOf, pathOf, type Reservations, type Row, reservationsOf } from './rows.ts';
import { all } from './samples.ts';

type Body = Record<string, unknown>;

export function assertLandscape(resources: Row[], claims: Row[]): void {
  const byPath = new Map(resources.map((row) => [keyOf(row), row]));
  const owners = new Map<string, string>();
  for (const { place, id, body } of claims.filter((one) => one.place === 'ip')) {
    const { contract, path } = JSON.parse(body) as { contract: number; path: string };
    owners.set(`${place} ${id}`, `${contract} ${path}`);
  }
  const checks: Record<string, (row: Row, body: Body, holds: Reservations, byPath: Map<string, Row>) => void> = {
    ipblock: assertBlock,
    server: assertServer,
    volume: assertVolume,
    nic: assertNic,
    lan: assertLan,
  };
  for (const row of resources) {
    const holds = reservationsOf(row);
    assertUsed(row, holds, owners);
    checks[row.kind]?.(row, JSON.parse(row.body) as Body, holds, byPath);
  }
}

const claimsOf = ({ claims }: Reservations, scope: string): string[] =>
  claims.filter((claim) => claim.startsWith(`${scope} `)).map((claim) => claim.slice(scope.length + 1));

const aboveOf = ({ contract, place }: Row): string => `${contract} ${place.slice(0, place.lastIndexOf('/'))}`;
const topOf = (path: string): string => path.split('/').slice(0, 2).join('/');

// A public address in use is lent to the row that uses it, or it is in a block of the same contract and counted.
function assertUsed(row: Row, holds: Reservations, owners: Map<string, string>): void {
  const used = claimsOf(holds, 'used');
  const reserved = used.filter((address) => owners.get(`ip ${address}`) !== keyOf(row));
  for (const address of reserved) {
    const owner = owners.get(`ip ${address}`);
    assert.ok(owner, `${address} is used by ${keyOf(row)}, and no row owns it`);
    assert.ok(owner.startsWith(`${row.contract} ipblocks/`), `${address} of ${owner} is used by ${keyOf(row)}`);
  }
  assert.equal(holds.counts.reservedIpsInUse ?? 0, reserved.length, `the addresses that ${keyOf(row)} has in use`);
  if (row.kind !== 'ipblock')
    assertSame(
      claimsOf(holds, 'ip'),
      used.filter((one) => !reserved.includes(one)),
      'lent',
    );
}

function assertBlock(_row: Row, { ips, size }: Body, { claims, counts }: Reservations): void {
  const addresses = ips as string[];
  assert.equal(new Set(addresses).size, size, 'a block has not as many addresses as its size');
  assertSame(
    claims,
    addresses.map((ip) => `ip ${ip}`),
    'a block and its addresses',
  );
  assert.equal(counts.reservedIpsOnContract, size);
}

function assertServer(row: Row, { cores, ram }: Body, { counts }: Reservations): void {
  assert.deepEqual([counts.coresProvisioned, counts.ramProvisioned], [cores, ram], `what ${keyOf(row)} takes`);
}

function assertVolume(row: Row, body: Body, holds: Reservations, byPath: Map<string, Row>): void {
  const { type, size, pciSlot, deviceNumber } = body;
  const counter = type === 'HDD' ? 'hdd' : type === 'DAS' ? 'das' : 'ssd';
  assert.deepEqual(holds.counts, { [`${counter}VolumeProvisioned`]: Math.ceil(Number(size) * 1024) }, keyOf(row));
  const servers = holds.links.filter(([role]) => role === 'attached').map(([, to]) => to);
  const [server, ...others] = servers;
  assert.deepEqual(others, [], `${keyOf(row)} is attached twice`);
  if (server === undefined) {
    assert.deepEqual([pciSlot, deviceNumber, holds.claims], [null, null, []], `${keyOf(row)} is not attached`);
    return;
  }
  assert.equal(byPath.get(`${row.contract} ${server}`)?.kind, 'server', `${keyOf(row)} is attached to nothing`);
  assert.equal(topOf(server), topOf(pathOf(row)), 'a volume is attached in another datacenter');
  assert.deepEqual(holds.claims, [slotOf(server, pciSlot)], `the slot of ${keyOf(row)}`);
  assert.equal(deviceNumber, Number(pciSlot) - 4);
}

const slotOf = (server: string, slot: unknown): string => `${server} slot ${String(slot).padStart(2, '0')}`;

function assertNic(row: Row, body: Body, holds: Reservations, byPath: Map<string, Row>): void {
  const key = keyOf(row);
  const [server = ''] = aboveOf(row).split(' ').slice(1);
  const lan = `${topOf(row.place)}/lans/${String(body.lan).padStart(10, '0')}`;
  const lans = holds.links.filter(([role]) => role === 'lan').map(([, to]) => to);
  assert.deepEqual(lans, [lan], `the LAN of ${key}`);
  const home = byPath.get(`${row.contract} ${lan}`);
  assert.equal(home?.kind, 'lan', `the LAN of ${key} is not there`);
  assert.deepEqual(claimsOf(holds, 'mac'), [body.mac], `the MAC of ${key}`);
  assert.deepEqual(claimsOf(holds, server), [slotOf(server, body.pciSlot).slice(server.length + 1)], `slot of ${key}`);
  const inLan = claimsOf(holds, lan);
  const shared = holds.links.filter(([role]) => role === 'shares').map(([, to]) => to.slice('ips/'.length));
  const addresses = new Set([...inLan.filter((one) => isIPv4(one)), ...claimsOf(holds, 'used'), ...shared]);
  assertSame([...addresses], [...new Set(body.ips as string[])], `the addresses of ${key}`);
  const networks = inLan.filter((one) => !isIPv4(one));
  assert.deepEqual(networks, body.ipv6CidrBlock === null ? [] : [body.ipv6CidrBlock], `the network of ${key}`);
  const { ipv6CidrBlock } = JSON.parse(home?.body ?? '{}') as { ipv6CidrBlock: string | null };
  for (const network of networks) {
    const [own = '', whole = ''] = [network.split('/')[0], ipv6CidrBlock ?? ''];
    assert.ok(isIn(own, whole), `the network ${network} of ${key} is not in ${whole} of its LAN`);
  }
}

function isIn(address: string, network: string): boolean {
  const [base = '', bits] = network.split('/');
  if (base === '') return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), 'ipv6');
  return list.check(address, 'ipv6');
}

// Whoever a failover group names is there, and in this LAN.
function assertLan(row: Row, { ipFailover }: Body, _holds: Reservations, byPath: Map<string, Row>): void {
  const groups = ipFailover as { ip: string; nicUuid: string }[];
  if (groups.length === 0) return;
  const inside = [...byPath.values()].filter(
    (one) => one.kind === 'nic' && one.contract === row.contract && linksTo(one, 'lan', pathOf(row)),
  );
  for (const { nicUuid } of groups)
    assert.ok(
      inside.some(({ id }) => id === nicUuid),
      `the failover group of ${keyOf(row)} has no ${nicUuid}`,
    );
}

const linksTo = (row: Row, role: string, path: string): boolean =>
  reservationsOf(row).links.some(([one, to]) => one === role && to === path);

// The last usage mark of each resource matches the resource, or its deletion.
export function assertUsage(resources: Row[], marks: { contract: number; body: string }[]): void {
  const last = new Map<string, Record<string, number>>();
  for (const { contract, body } of marks) {
    const { path, meters } = JSON.parse(body) as { path: string; meters: Record<string, number> };
    last.set(`${contract} ${path}`, meters);
  }
  const meterOf = new Map(all.map(({ name, usage }) => [name, usage.meter]));
  for (const row of resources) {
    const meter = meterOf.get(row.kind);
    if (!meter || row.hidden.includes('"failed":')) continue; // a failed creation costs nothing
    assert.deepEqual(last.get(keyOf(row)), meter(JSON.parse(row.body) as never), `what is paid for ${keyOf(row)}`);
    last.delete(keyOf(row));
  }
  const paid = [...last].filter(([, meters]) => Object.keys(meters).length > 0);
  assert.deepEqual(paid, [], 'what is gone is still paid for');
}

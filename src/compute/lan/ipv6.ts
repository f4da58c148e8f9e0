// IPv6 networks, from the range that is reserved for documentation: 2001:db8::/32 has 65,536 /48, each 256 /56, each
// 256 /64. Every datacenter gets a /56 at its creation, and a LAN that requests IPv6 gets a /64 of it.
// No two datacenters ever have the same /56: a process reserves a /48 in the state and hands out its /56 from memory,
// each once, so a datacenter costs no row and no lookup. Those not handed out before a restart are never used, and a
// deleted datacenter's /56 is not used again.
import { isIPv6 } from 'node:net';
import { Fault } from '../../base/fault.ts';
import type { Draft } from '../../core/resource.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

const blocks = { contract: 0, place: 'ipv6', id: '' }; // the taken /48, by their number
const maxBlocks = 0xffff;
const perBlock = 256;
const lanScope = 'lan6';

export class Prefixes {
  #store: Store;
  #block = 0;
  #next = perBlock;
  #taking: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  // A /56 that was never handed out; null when all are used up.
  async next(): Promise<string | null> {
    if (this.#block > maxBlocks) return null;
    if (this.#next < perBlock) return shown(this.#block, this.#next++ << 8, 56);
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
    return this.next();
  }

  async #take(): Promise<void> {
    const [number] = await this.#store.must([{ op: 'append', table: 'claim', row: rowOf(blocks) }]);
    this.#block = Number(number);
    this.#next = 0;
  }
}

// Sets and claims the network that a LAN requests, and releases its previous one if it differs.
export async function decideNetwork(draft: Draft, store: Store): Promise<void> {
  const { values, previous, reservations } = draft;
  const requested = values.ipv6CidrBlock;
  const others = reservations.claims.filter((claim) => !claim.startsWith(`${lanScope} `));
  const had = others.length < reservations.claims.length ? String(previous.ipv6CidrBlock) : null;
  let network: string | null = null;
  if (requested === 'AUTO') network = had ?? (await freeNetwork(draft, store));
  else if (requested === previous.ipv6CidrBlock) network = had;
  else if (typeof requested === 'string' && requested !== '') network = await givenNetwork(draft, requested, store);
  values.ipv6CidrBlock = network;
  reservations.claims.splice(0, reservations.claims.length, ...others, ...(network ? [claimOf(network)] : []));
}

// LANs that are created at the same moment start their search at different places, so they seldom collide.
async function freeNetwork(draft: Draft, store: Store): Promise<string> {
  const { block, isNew } = prefixOf(draft);
  const [, , third = 0, fourth = 0] = ownGroups(block);
  const first = Number(draft.id) - 1;
  const from = keyOf(block).slice(0, -2);
  const scan = { contract: 0, place: lanScope, from, to: `${from}g`, limit: perBlock };
  const taken = isNew ? [] : (await store.range(scan, 'claim')).map(({ id }) => Number.parseInt(id.slice(-2), 16));
  for (let at = first; at < first + perBlock; at++) {
    if (isNew && at >= perBlock) break; // earlier LANs of the same request have taken the rest
    if (!taken.includes(at % perBlock)) return shown(third, fourth + (at % perBlock), 64);
  }
  throw refused(draft, `All ${perBlock} networks of the datacenter's ${block} are in use`, '200');
}

async function givenNetwork(draft: Draft, requested: string, store: Store): Promise<string> {
  const { block, isNew } = prefixOf(draft);
  const [address = '', length, ...rest] = requested.split('/');
  const groups = groupsOf(address);
  const [, , third = 0, fourth = 0] = groups ?? [];
  const isNetwork = groups?.slice(4).every((group) => group === 0) && length === '64' && rest.length === 0;
  const isInside = groups && hex(groups).slice(0, 14) === keyOf(block).slice(0, 14);
  // No client can know the block of a datacenter that the same request creates.
  if (!isNetwork || !isInside || isNew)
    throw refused(draft, `Expected AUTO${isNew ? '' : `, or a /64 of the datacenter's ${block}`}`, '100');
  const network = shown(third, fourth, 64);
  const holder = await store.claimed(claimOf(network));
  if (holder && (holder.contract !== draft.contract || holder.path !== `${draft.place}/${draft.id}`))
    throw refused(draft, `${network} is in use by another LAN`, '200');
  return network;
}

// The block of the datacenter. `isNew`: it is created in the same request.
function prefixOf(draft: Draft): { block: string; isNew: boolean } {
  const above = draft.parents.at(-1);
  const { ipv6CidrBlock } = JSON.parse(above?.body ?? '{}') as { ipv6CidrBlock?: string | null };
  if (!ipv6CidrBlock)
    throw refused(draft, 'The datacenter has no IPv6 block. Change the datacenter first: it then gets one', '200');
  return { block: ipv6CidrBlock, isNew: above?.state === '' };
}

const refused = (draft: Draft, message: string, code: string): Fault =>
  new Fault('refused', `[${draft.at}.ipv6CidrBlock] ${message}`, { code });

const claimOf = (network: string): string => `${lanScope} ${keyOf(network)}`;

// The first 64 bits, in a form that sorts.
const keyOf = (network: string): string => hex(ownGroups(network)).slice(0, 16);
const hex = (groups: number[]): string => groups.map((group) => group.toString(16).padStart(4, '0')).join('');

const shown = (third: number, fourth: number, length: number): string =>
  `2001:db8:${third.toString(16)}${fourth === 0 ? '' : `:${fourth.toString(16)}`}::/${length}`;

const ownGroups = (network: string): number[] => groupsOf(network.slice(0, -'/56'.length)) ?? [];

export function groupsOf(address: string): number[] | undefined {
  if (!isIPv6(address) || /[.%]/.test(address)) return undefined;
  const [left, right] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = right ? Array<string>(8 - (left?.length ?? 0) - right.length).fill('0') : [];
  return [...(left ?? []), ...zeros, ...(right ?? [])].map((group) => Number.parseInt(group, 16));
}

// Whether the address is in the network.
export function isIn(address: string, network: string): boolean {
  const [base = '', bits = '128'] = network.split('/');
  const [one, other] = [groupsOf(address), groupsOf(base)];
  if (!one || !other) return false;
  const whole = Number(bits) >> 4; // networks here end between groups
  return one.slice(0, whole).every((group, at) => group === other[at]);
}

// The shortest notation: the longest run of zeros is omitted.
export function textOf(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = text.match(/(^|:)0(:0)+(?=:|$)/g) ?? [];
  const longest = runs.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined) return text;
  const at = text.indexOf(longest);
  return `${text.slice(0, at)}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

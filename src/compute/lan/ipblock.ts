// IP blocks: reserved public addresses, assigned when the response to the POST is sent.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { nameIn } from '../../core/display-name.ts';
import { type Draft, resource, step } from '../../core/resource.ts';
import { integer, list, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Reader } from '../../core/tree.ts';
import { blockLocationIds } from '../catalogue/catalogue.ts';
import type { ComputeTools } from '../tools.ts';
import { isUsed, refused, unusable, usedScope } from './address-claims.ts';
import { addressClaim } from './address-pool.ts';

export const ipblock = resource<ComputeTools>({
  name: 'ipblock',
  plural: 'ipblocks',
  rights: { create: 'reserveIp', shareable: true },
  usage: { counted: { reservedIpsOnContract: 'size' }, meter: (values) => ({ ipv4: Number(values.size) }) },
  actions: 'ip.ipblock',
  properties: {
    ips: list(text(), { serverFilled: true, default: [] }),
    location: text({ required: true, immutable: true, oneOf: blockLocationIds, example: 'de/txl' }),
    size: integer({
      required: true,
      immutable: true,
      min: 1,
      max: 4096,
      example: 2,
      description: 'Number of addresses',
    }),
    name: text({ max: 255, example: 'example' }),
    ipConsumers: list(
      shape({
        ip: text(),
        mac: text(),
        nicId: text(),
        serverId: text(),
        serverName: text(),
        datacenterId: text(),
        datacenterName: text(),
        k8sNodePoolUuid: text(),
        k8sClusterUuid: text(),
      }),
      { derived: true, description: 'The resources that use the addresses' },
    ),
  },
  shown: { title: 'IP block', columns: ['name', 'location', 'size', 'ips'] },
  sample: { change: { name: 'changed' } },
  lifecycle: {
    create: [step('reserve')],
    change: [], // a new name applies at once: Terraform reads it back without waiting
    remove: [
      step('release', ({ contract, values, context: { store } }) =>
        demandUnused(store, contract, values.ips as string[]),
      ),
    ],
  },
  derive: async (row, values, { store }) => ({ ipConsumers: await consumers(store, row, values().ips as string[]) }),
  async decide(draft, { store, tools, now }) {
    if (draft.way === 'remove') return demandUnused(store, draft.contract, draft.values.ips as string[]);
    if (draft.way !== 'create') return;
    const { values, reservations } = draft;
    const size = Number(values.size);
    const copied = values.ips as string[];
    await demandFree(draft, store, copied);
    const ips = copied.length > 0 ? copied : await tools.addresses.choose(String(values.location), size);
    values.ips = ips;
    values.name ??= `IP_BLOCK_${iso(now())}`;
    reservations.claims.push(...ips.map(addressClaim));
    reservations.counts.reservedIpsOnContract = size;
  },
});

// Of a copy, which keeps its addresses.
async function demandFree(draft: Draft, store: Store, ips: readonly string[]): Promise<void> {
  const { size } = draft.values;
  if (ips.length > 0 && ips.length !== size) throw refused(draft, 'ips', `Expected ${size} addresses`, '100');
  for (const [index, ip] of ips.entries()) {
    const why = unusable(ip) ?? ((await store.claimed(addressClaim(ip))) ? `${ip} is already reserved` : undefined);
    if (why !== undefined) throw refused(draft, `ips.[${index}]`, why);
  }
}

async function demandUnused(store: Store, contract: number, ips: readonly string[]): Promise<void> {
  const [used] = await usersOf(store, ips);
  if (!used) {
    for (const ip of ips) if (await isUsed(store, contract, ip)) throw stillUsed(ip, 'a NIC uses it');
    return;
  }
  const [collection = '', id = ''] = used.path.split('/').slice(-2);
  const row = await store.at(contract, used.path);
  const name = row && nameIn(JSON.parse(row.body) as Values);
  throw stillUsed(used.ip, `${kindOf(collection)} ${name === undefined ? id : `${name} (${id})`} uses it`);
}

const kinds: Readonly<Record<string, string>> = {
  nics: 'NIC',
  natgateways: 'NAT gateway',
  networkloadbalancers: 'network load balancer',
  applicationloadbalancers: 'application load balancer',
};

// In messages: the kind of the resources in a collection of a datacenter.
export const kindOf = (collection: string): string => kinds[collection] ?? collection.slice(0, -1);

const stillUsed = (ip: string, by: string): Fault =>
  new Fault('refused', `[VDC-5-1080] The IP ${ip} is still in use: ${by}.`, { code: '200' });

interface User {
  ip: string;
  path: string;
}

// The addresses of a block are mostly adjacent, so one scan of the claims from the first to the last finds them.
async function usersOf(store: Reader, ips: readonly string[]): Promise<User[]> {
  const [first, last] = [ips.toSorted()[0], ips.toSorted().at(-1)];
  if (first === undefined || last === undefined) return [];
  const found: User[] = [];
  for await (const row of store.each({ contract: 0, place: usedScope, from: first, to: `${last}~` }, 'claim'))
    if (ips.includes(row.id)) found.push({ ip: row.id, path: (JSON.parse(row.body) as { path: string }).path });
  return found;
}

async function consumers(store: Reader, { contract }: Row, ips: readonly string[]): Promise<Values[]> {
  const users = await usersOf(store, ips);
  return Promise.all(users.map((user) => consumer(store, contract, user)));
}

// A NIC is in a server, a balancer or gateway in the datacenter itself.
async function consumer(store: Reader, contract: number, { ip, path }: User): Promise<Values> {
  const parts = path.split('/');
  const isNic = parts.at(-2) === 'nics';
  const [datacenter, server, user] = await Promise.all([
    store.at(contract, parts.slice(0, 2).join('/')),
    isNic ? store.at(contract, parts.slice(0, 4).join('/')) : undefined,
    store.at(contract, path),
  ]);
  const named = (row: Row | undefined, name: string) => (row ? ((JSON.parse(row.body) as Values)[name] ?? null) : null);
  return {
    ip,
    mac: named(user, 'mac'),
    nicId: isNic ? (user?.id ?? null) : null,
    serverId: server?.id ?? null,
    serverName: named(server, 'name'),
    datacenterId: datacenter?.id ?? null,
    datacenterName: named(datacenter, 'name'),
    k8sNodePoolUuid: null,
    k8sClusterUuid: null,
  };
}

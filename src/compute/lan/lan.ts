// LANs of a datacenter, numbered from 1. Clients poll their state instead of the request, so operations are instant.
import { Fault } from '../../base/fault.ts';
import { demandPrivilege, maySee } from '../../core/access.ts';
import {
  byOrdinal,
  type DecisionContext,
  type Draft,
  pathOf,
  type Report,
  resource,
  step,
} from '../../core/resource.ts';
import { flag, list, shape, text } from '../../core/schema.ts';
import type { Store } from '../../core/store.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { refused } from './address-claims.ts';
import { decideFailover } from './failover.ts';
import { dropEndedGroups } from './failover-list.ts';
import { kindOf } from './ipblock.ts';
import { decideNetwork } from './ipv6.ts';
import { decideOpenness, LanNics } from './lan-nics.ts';
import { nic, privateRange } from './nic.ts';

export const lan = resource<ComputeTools>({
  name: 'lan',
  plural: 'lans',
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'net.lan',
  lifecycle: {
    pace: 0,
    create: [step('connect')],
    change: [], // at once: its NICs' addresses change with it
    remove: [step('disconnect', ({ contract, path, context: { store } }) => demandEmpty(store, contract, path))],
  },
  ids: {
    ...byOrdinal,
    make: async (draft, context) => {
      const tools = (context as { tools: ComputeTools }).tools;
      const since = draft.parents.at(-1)?.time ?? 0;
      return (await tools.sequences.next(draft.contract, draft.place, since)).padStart(10, '0');
    },
    release: (contract, place, id, context) =>
      (context as { tools: ComputeTools }).tools.sequences.release(contract, place, Number(id)),
  },
  properties: {
    name: text({ max: 255, example: 'example' }),
    public: flag({
      title: 'Internet access',
      default: false,
      description:
        'Servers in the LAN get public addresses and are reachable from the internet. Otherwise the LAN ' +
        'is private',
    }),
    ipFailover: list(shape({ ip: text({ required: true }), nicUuid: text({ title: 'NIC', required: true }) }), {
      default: [],
      late: true,
    }),
    ipv4CidrBlock: text({ serverFilled: true, description: 'The range of a private LAN' }),
    ipv6CidrBlock: text({ description: 'AUTO, or a /64 of the datacenter' }),
    pcc: text({ title: 'Cross connect', description: 'Cross connect that joins private LANs of several datacenters' }),
  },
  shown: { title: 'LAN', columns: ['name', 'public'] },
  sample: { change: { name: 'changed', public: true } },
  entities: [
    {
      name: 'nics',
      of: () => nic,
      reach: true,
      members: (row, store) => store.linkedRows(row.contract, pathOf(row), '<', 'lan'),
    },
  ],
  rules,
  async decide(draft, context) {
    if (draft.way === 'remove') return demandEmpty(context.store, draft.contract, pathOf(draft));
    const { values, previous } = draft;
    if (values.public && !previous.public) demandPrivilege(draft.caller, 'createInternetAccess');
    values.ipv4CidrBlock = values.public ? null : (values.ipv4CidrBlock ?? privateRange(pathOf(draft)));
    await decideCrossConnect(draft, context);
    const nics = new LanNics(draft, context);
    dropEndedGroups(draft, context.now());
    await decideFailover(draft, nics);
    await decideNetwork(draft, context.store);
    if (!draft.before) return;
    if (values.public !== previous.public) await decideOpenness(draft, context.store, nics);
    if (values.ipv6CidrBlock !== previous.ipv6CidrBlock) await nics.moveTo(values.ipv6CidrBlock as string | null);
  },
});

function rules({ values, previous }: Draft, report: Report): void {
  if (values.pcc === '') values.pcc = null;
  if (values.public === true && typeof values.pcc === 'string')
    report(values.pcc === previous.pcc ? 'public' : 'pcc', 'A LAN with a cross connect must be private');
}

// A LAN can't be deleted while it has members: NICs, balancers and gateways.
async function demandEmpty(store: Store, contract: number, path: string): Promise<void> {
  const [link] = await store.range({ contract, below: `${path} < `, limit: 1 }, 'link');
  if (!link) return;
  const [kind = '', id = ''] = link.id.split('/').slice(-2);
  const what = `${kindOf(kind)} ${id} is in it`;
  throw new Fault('refused', `LAN ${Number(path.slice(-10))} can't be deleted: ${what}.`, { code: '200' });
}

// LANs of one cross connect are in datacenters of one location.
async function decideCrossConnect(draft: Draft, { store }: DecisionContext<ComputeTools>): Promise<void> {
  const { values, previous, reservations, contract } = draft;
  const { pcc } = values;
  if (pcc === (previous.pcc ?? null)) return;
  const others = reservations.links.filter(([role]) => role !== 'pcc');
  reservations.links.splice(0, reservations.links.length, ...others);
  if (typeof pcc !== 'string') return;
  const row = await store.get(contract, 'pccs', pcc);
  if (!row || row.state === 'DELETING' || !maySee(draft.caller, row))
    throw refused(draft, 'pcc', `Cross connect ${pcc.slice(0, 40)} does not exist`, '100');
  const { location } = JSON.parse(draft.parents[0]?.body ?? '{}') as { location: string };
  for (const path of await store.linked(contract, pathOf(row), '<', 'pcc')) {
    const peer = await store.at(contract, path.split('/').slice(0, 2).join('/'));
    const peerLocation = peer && (JSON.parse(peer.body) as { location: string }).location;
    if (peerLocation !== undefined && peerLocation !== location)
      throw refused(
        draft,
        'pcc',
        `The cross connect has LANs in ${peerLocation}, but the datacenter is in ${location}`,
      );
  }
  reservations.links.push(['pcc', pathOf(row)]);
  const { place, id, version } = row;
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
}

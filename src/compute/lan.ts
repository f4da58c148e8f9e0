// LANs of a datacenter, numbered from 1 in each. Clients poll their state instead of the request, so they take no time.
import { hash } from 'node:crypto';
import { Fault } from '../base/fault.ts';
import { byOrdinal, pathOf, resource, step } from '../core/resource.ts';
import { flag, list, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { resolve } from '../surface/crud.ts';
import { hrefOf } from '../surface/envelope.ts';
import { json, type Route } from '../surface/exchange.ts';
import { pagingOf } from '../surface/list.ts';
import { collectionOf, shownAs } from '../surface/openapi.ts';
import { listParameters, listQuery } from '../surface/query.ts';
import { datacenter } from './datacenter.ts';
import { decideNetwork } from './ipv6.ts';
import type { ComputeTools } from './tools.ts';

export const lan = resource<ComputeTools>({
  name: 'lan',
  plural: 'lans',
  parents: [datacenter],
  actions: 'net.lan',
  pace: 0,
  ids: {
    ...byOrdinal,
    make: async (draft, desk) => {
      const tools = (desk as { tools: ComputeTools }).tools;
      return (await tools.ordinals.next(draft.contract, draft.place)).padStart(10, '0');
    },
  },
  properties: {
    name: text({ max: 255, example: 'example' }),
    public: flag({ default: false }),
    ipFailover: list(shape({ ip: text({ required: true }), nicUuid: text({ required: true }) }), { default: [] }),
    ipv4CidrBlock: text({ serverFilled: true, description: 'The range of a private LAN' }),
    ipv6CidrBlock: text({ description: 'AUTO, or a /64 of the datacenter' }),
    pcc: text({ description: 'The cross connect it belongs to' }),
  },
  create: [step('connect')],
  change: [step('reconfigure')],
  remove: [step('disconnect')],
  async decide(draft, desk) {
    if (draft.way === 'remove') return;
    const { values } = draft;
    if (values.pcc === '') values.pcc = null;
    values.ipv4CidrBlock = values.public ? null : privateRange(pathOf(draft));
    const { pcc } = values;
    if (typeof pcc === 'string' && !(await desk.store.get(draft.contract, 'pccs', pcc)))
      throw new Fault('refused', `[${draft.at}.pcc] There is no cross connect ${pcc.slice(0, 40)}`, { code: '100' });
    await decideNetwork(draft, desk.store);
  },
});

// The same for the same LAN each time, and seldom the same for two.
function privateRange(path: string): string {
  const bytes = hash('sha256', path, 'buffer');
  return `10.${bytes[0]}.${bytes[1]}.0/24`;
}

// Nothing has a NIC yet, but clients that delete a LAN ask first whether one is left in it.
export const lanNicsRoute = (store: Store): Route => ({
  method: 'GET',
  path: '/datacenters/{datacenterId}/lans/{lanId}/nics',
  operation: 'lan_nics_list',
  summary: 'The NICs in a LAN',
  parameters: listParameters,
  replySchema: collectionOf(shownAs('nic', {}), true),
  resolve: (x) => resolve(store, x, [datacenter, lan], 'get'),
  call: (x) => {
    const href = `${hrefOf(x.base, pathOf(x.rows.at(-1) as Row))}/nics`;
    const { offset, limit, links } = pagingOf(x, href, listQuery(x), false);
    const page = { items: [], offset, limit, _links: JSON.parse(links) as object };
    return json(200, { id: `${x.params[1]}/nics`, type: 'collection', href, ...page });
  },
});

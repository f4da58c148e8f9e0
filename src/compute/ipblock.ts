// Reserved public addresses. They are there in the answer to the POST already, and nobody else's from then on.
import { iso } from '../base/clock.ts';
import { resource, step } from '../core/resource.ts';
import { integer, list, shape, text } from '../core/schema.ts';
import { addressClaim } from './addresses.ts';
import { blockLocationIds } from './catalogue.ts';
import type { ComputeTools } from './tools.ts';

export const ipblock = resource<ComputeTools>({
  name: 'ipblock',
  plural: 'ipblocks',
  privilege: 'reserveIp',
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
      description: 'How many addresses',
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
      }),
      { serverFilled: true, default: [] },
    ),
  },
  create: [step('reserve')],
  change: [], // a new name is there at once: Terraform reads it back without a wait
  remove: [step('release')],
  meter: (values) => ({ ipv4: Number(values.size) }),
  async decide(draft, { tools, now }) {
    if (draft.way !== 'create') return;
    const { values, holds } = draft;
    const size = Number(values.size);
    const ips = await tools.addresses.choose(String(values.location), size);
    values.ips = ips;
    values.name ??= `IP_BLOCK_${iso(now())}`;
    holds.claims.push(...ips.map(addressClaim));
    holds.counts.reservedIpsOnContract = size;
  },
});

// A secondary zone: its records are transferred from other name servers.
import { isIP } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { forbiddenHost } from '../../base/outbound/outbound-address.ts';
import { regional } from '../../core/dialect.ts';
import { resource, step } from '../../core/resource.ts';
import { list, text } from '../../core/schema.ts';
import { secondaryServers } from '../server/constants.ts';
import { zoneClaim } from './claims.ts';
import { claimOnly, countOne } from './limits.ts';
import { secondaryWrite } from './serial.ts';
import { stateWords } from './state-words.ts';
import { demandZoneName, privilege, root, zoneNameOf } from './zone.ts';

export interface Primary {
  ip: string;
  port: number;
}

// An address, or an address and a port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:5353`.
export function primaryOf(text: string): Primary | undefined {
  if (isIP(text)) return { ip: text, port: 53 };
  const match = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text);
  const ip = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  return isIP(ip) && port > 0 && port <= 65_535 ? { ip, port } : undefined;
}

export const secondaryZone = resource({
  name: 'secondaryzone',
  plural: 'secondaryzones',
  root,
  dialect: regional,
  lifecycle: {
    unique: true,
    pace: 0,
    replies: { replace: 202 },
    create: [step('publish')],
    remove: [step('withdraw')],
  },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: privilege },
  actions: 'dns.secondaryzone',
  properties: {
    zoneName: text({ required: true, min: 1, max: 253, example: 'secondary.example.com' }),
    description: text({ max: 4096, default: '' }),
    primaryIps: list(text({ max: 60 }), {
      required: true,
      min: 1,
      max: 20,
      example: ['192.0.2.1'],
      description: 'The primary name servers; add a colon and the port if it is not 53',
    }),
  },
  shown: { title: 'Secondary zone', stateWords, columns: ['zoneName', 'primaryIps'] },
  sample: { properties: (_near, unique) => ({ zoneName: `${unique}.example.org`, primaryIps: ['192.0.2.1'] }) },
  async decide(draft, { store }) {
    draft.extraWrites.push(secondaryWrite(draft.contract));
    if (draft.way === 'remove') return;
    const { values, previous } = draft;
    const name = zoneNameOf(values.zoneName);
    values.zoneName = name;
    if (draft.way !== 'create' && name !== previous.zoneName)
      throw new Fault('refused', "[(root).properties.zoneName] The name of a zone can't be changed", { code: '100' });
    const ips = values.primaryIps as string[];
    const wrong = ips.find((ip) => !primaryOf(ip));
    if (wrong !== undefined || new Set(ips).size !== ips.length)
      throw new Fault('refused', '[(root).properties.primaryIps] Expected addresses, each once', { code: '100' });
    const forbidden = ips.map((ip) => forbiddenHost(primaryOf(ip)?.ip ?? '')).find((why) => why !== undefined);
    if (forbidden !== undefined)
      throw new Fault('refused', `[(root).properties.primaryIps] Expected name servers: ${forbidden}`, { code: '100' });
    await countOne(draft, store, 'secondaryZones');
    if (draft.way === 'create') await demandZoneName(store, draft.contract, name);
    claimOnly(draft, zoneClaim(name));
  },
  noted: {
    read: () => ({ nameservers: [...secondaryServers] }),
    schema: { nameservers: { type: 'array', items: { type: 'string' } } },
  },
});

// A DNS zone with its own records.
import { Fault } from '../../base/fault.ts';
import { regional } from '../../core/dialect.ts';
import { resource, step } from '../../core/resource.ts';
import { flag, text } from '../../core/schema.ts';
import type { Store } from '../../core/store.ts';
import { checkedName } from '../records/domain-name.ts';
import { primaryServers } from '../server/constants.ts';
import { zoneClaim } from './claims.ts';
import { claimOnly, countOne } from './limits.ts';
import { demandName } from './name-ownership.ts';
import { serialCounter, serialWrite } from './serial.ts';
import { stateWords } from './state-words.ts';

export const root = 'dns/';
export const privilege = 'accessAndManageDns';

export const zoneNameOf = (name: unknown): string => {
  const zone = checkedName(String(name));
  if (!zone?.includes('.') || zone.startsWith('*'))
    throw new Fault('refused', `[(root).properties.zoneName] '${String(name).slice(0, 80)}' is not a valid zone name`, {
      code: '100',
    });
  return zone;
};

// For a new zone or secondary zone.
export async function demandZoneName(store: Store, contract: number, name: string): Promise<void> {
  if (await store.claimed(zoneClaim(name))) throw new Fault('conflict', `Zone ${name} already exists.`);
  await demandName(store, contract, name);
}

export const zone = resource({
  name: 'zone',
  plural: 'zones',
  root,
  dialect: regional,
  lifecycle: {
    unique: true,
    pace: 0,
    replies: { replace: 202 },
    create: [], // instant: ionosctl expects AVAILABLE in the answer
    remove: [step('withdraw')],
  },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: privilege },
  actions: 'dns.zone',
  properties: {
    zoneName: text({ required: true, min: 1, max: 253, example: 'example.com' }),
    description: text({ max: 4096, default: '' }),
    enabled: flag({ default: true, description: 'Whether the name servers answer for it' }),
  },
  shown: { stateWords, columns: ['zoneName', 'enabled'] },
  sample: { properties: (_near, unique) => ({ zoneName: `${unique}.example.com` }) },
  async decide(draft, { store }) {
    if (draft.way === 'remove') {
      const serial = await store.counted(draft.contract, serialCounter(draft.id));
      draft.extraWrites.push(serialWrite(draft.contract, draft.id, -serial));
      return;
    }
    const { values, previous } = draft;
    const name = zoneNameOf(values.zoneName);
    values.zoneName = name;
    if (draft.way !== 'create' && name !== previous.zoneName)
      throw new Fault('refused', "[(root).properties.zoneName] The name of a zone can't be changed", { code: '100' });
    await countOne(draft, store, 'zones');
    if (draft.way === 'create') await demandZoneName(store, draft.contract, name);
    claimOnly(draft, zoneClaim(name));
    draft.extraWrites.push(serialWrite(draft.contract, draft.id));
  },
  noted: {
    read: () => ({ nameservers: [...primaryServers] }),
    schema: { nameservers: { type: 'array', items: { type: 'string' } } },
  },
});

// A reverse record: the name of one of the contract's addresses.
import { isIP } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { regional } from '../../core/dialect.ts';
import { resource, step } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import { reverseName } from '../records/address.ts';
import { checkedName } from '../records/domain-name.ts';
import { claimOnly, countOne } from './limits.ts';
import { demandName } from './name-ownership.ts';
import { stateWords } from './state-words.ts';
import { privilege, root } from './zone.ts';

export interface ReverseTools {
  owns(contract: number, ip: string): Promise<boolean>;
}

const refused = (property: string, message: string): Fault =>
  new Fault('refused', `[(root).properties.${property}] ${message}`, { code: '100' });

export const reverseRecord = resource<ReverseTools>({
  name: 'reverserecord',
  plural: 'reverserecords',
  root,
  dialect: regional,
  lifecycle: {
    unique: true,
    pace: 0,
    replies: { create: 201, replace: 200 },
    create: [step('publish')],
    remove: [step('withdraw')],
  },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: privilege },
  actions: 'dns.reverserecord',
  properties: {
    name: text({ required: true, min: 1, max: 253, example: 'mail.example.com' }),
    description: text({ max: 4096, default: '' }),
    ip: text({ required: true, max: 50, example: '198.18.0.1' }),
  },
  shown: { title: 'Reverse record', stateWords, columns: ['name', 'ip'] },
  sample: {
    needs: { block: 'ipblock' },
    properties: (near) => ({ name: 'host.example.com', ip: (near('block').properties.ips as string[])[0] ?? '' }),
  },
  async decide(draft, { store, tools }) {
    if (draft.way === 'remove') return;
    const { values, previous, contract } = draft;
    const name = checkedName(String(values.name));
    if (!name?.includes('.')) throw refused('name', `'${String(values.name).slice(0, 80)}' is not a full domain name`);
    values.name = name;
    const ip = String(values.ip);
    if (!isIP(ip)) throw refused('ip', `'${ip.slice(0, 50)}' is not an IP address`);
    if (!(await tools.owns(contract, ip))) throw refused('ip', `The address ${ip} does not belong to this contract`);
    if (name !== previous.name || ip !== previous.ip) await demandName(store, contract, name);
    await countOne(draft, store, 'reverseRecords');
    const claim = `dns-reverse ${reverseName(ip)}`;
    const claimed = await store.claimed(claim);
    if (claimed && claimed.path !== `${draft.place}/${draft.id}`)
      throw new Fault('conflict', `Address ${ip} already has a reverse record.`);
    claimOnly(draft, claim);
  },
});

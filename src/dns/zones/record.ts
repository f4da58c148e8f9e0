// A record of a zone.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { type Draft, pathOf, resource, step } from '../../core/resource.ts';
import { flag, integer, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { checkedName } from '../records/domain-name.ts';
import { rdataOf } from '../records/rdata.ts';
import { demandRecordSize, maxSetBytes, recordBytes, setTooLarge } from '../records/set-size.ts';
import { apiTypes, typesWithPriority } from '../records/types.ts';
import { recordPrefix, recordScope } from './claims.ts';
import { claimOnly, countContent, countOne, maxNames, tooManyNames } from './limits.ts';
import { serialWrite } from './serial.ts';
import { stateWords } from './state-words.ts';
import { privilege, root, zone } from './zone.ts';

export type RecordValues = {
  name: string;
  type: string;
  content: string;
  ttl: number;
  priority?: number | null;
  enabled: boolean;
};

// The name server's view of a zone. It may lag behind other nodes of the region by some seconds.
export interface ServedNames {
  setBytes(zoneId: string, name: string, type: string, except: string): number; // without the record of this id
  newNames(zoneId: string, name: string): number; // that a record at this name would add, with those above it
  names(contract: number, except?: string): number; // below all zones of the contract but the one of this id
}

export interface RecordTools {
  served: ServedNames;
}

export const record = resource<RecordTools>({
  name: 'record',
  plural: 'records',
  parents: [zone],
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
  actions: 'dns.record',
  properties: {
    name: text({
      required: true,
      max: 253,
      default: '',
      example: 'www',
      description: 'Relative to the zone; empty or @ for the zone itself',
    }),
    type: text({ required: true, oneOf: apiTypes, example: 'A' }),
    content: text({ required: true, min: 1, max: 65_535, example: '192.0.2.1' }),
    ttl: integer({ default: 3600, min: 60, max: 604_800, unit: 's', description: 'how long resolvers keep it' }),
    priority: integer({
      omitNull: true,
      min: 0,
      max: 65_535,
      needed: { type: ['MX', 'SRV', 'URI'] },
      description: 'Required for MX, SRV and URI records',
    }),
    enabled: flag({ default: true, description: 'Whether the name servers answer with it' }),
  },
  shown: { stateWords, columns: ['name', 'type', 'content', 'ttl'] },
  sample: { properties: (_near, unique) => ({ name: unique, type: 'A', content: '192.0.2.1' }) },
  async decide(draft, { store, tools }) {
    draft.extraWrites.push(serialWrite(draft.contract, zoneIdOf(draft)));
    if (draft.way === 'remove') return;
    const { values } = draft;
    values.name = checkedRecordName(String(values.name), String(zoneOf(draft).zoneName));
    const data = checkRecord(values as RecordValues);
    demandRoom(draft, tools, data);
    await countOne(draft, store, 'records');
    await countContent(draft, store, String(values.content));
    await demandPlace(draft, store);
    claimOnly(draft, recordClaim(zoneIdOf(draft), values as RecordValues));
  },
  noted: {
    async read(row, store) {
      const { name } = JSON.parse(row.body) as RecordValues;
      const zoneId = row.place.split('/').at(-2) ?? '';
      const above = await store.at(row.contract, row.place.slice(0, row.place.lastIndexOf('/')));
      const zoneName = above ? String((JSON.parse(above.body) as Values).zoneName) : '';
      return { fqdn: name === '' ? zoneName : `${name}.${zoneName}`, zoneId };
    },
    schema: { fqdn: { type: 'string' }, zoneId: { type: 'string', format: 'uuid' } },
  },
});

// Validates a record by itself, without its neighbours. Returns its data.
export function checkRecord({ name, type, content, priority }: RecordValues): Buffer {
  if (typesWithPriority.includes(type) && priority == null)
    throw refused('priority', `Records of type ${type} require a priority`);
  if (name === '' && (type === 'CNAME' || type === 'DS'))
    throw refused('type', `The zone itself can't have a ${type} record`);
  try {
    const data = rdataOf(type, content, priority ?? 0);
    demandRecordSize(data);
    return data;
  } catch (error) {
    if (error instanceof Fault) throw refused('content', error.message);
    throw error;
  }
}

// All records of a name and type are answered together.
function demandRoom(draft: Draft, { served }: RecordTools, data: Buffer): void {
  const { name, type, enabled } = draft.values as RecordValues;
  const zoneId = zoneIdOf(draft);
  if (served.setBytes(zoneId, name, type, draft.id) + recordBytes(data) > maxSetBytes)
    throw refused('content', setTooLarge(name, type));
  const added = enabled ? served.newNames(zoneId, name) : 0;
  if (added > 0 && served.names(draft.contract) + added > maxNames) throw refused('name', tooManyNames);
}

// With the properties in the order of rows.
export const orderedRecord = ({ name, type, content, ttl, priority, enabled }: RecordValues): RecordValues => ({
  name,
  type,
  content,
  ttl,
  ...(priority != null && { priority }),
  enabled,
});

export const refused = (property: string, message: string): Fault =>
  new Fault('refused', `[(root).properties.${property}] ${message}`, { code: '100' });

const zoneOf = (draft: Draft): Values => JSON.parse((draft.parents.at(-1) as Row).body) as Values;

// Relative to the zone; absolute names are accepted too.
export function checkedRecordName(sent: string, zoneName: string): string {
  if (sent === '@' || sent === '') return '';
  const name = checkedName(sent);
  if (name === zoneName) return '';
  const isWhole = sent.endsWith('.') && name?.endsWith(`.${zoneName}`);
  const relative = isWhole ? name?.slice(0, -zoneName.length - 1) : name;
  if (relative === undefined || `${relative}.${zoneName}`.length > 253)
    throw refused('name', `'${sent.slice(0, 80)}' is not a valid name of a record`);
  return relative;
}

// `ZONE/name/TYPE/digest`: the claim that makes the record unique.
export function recordClaim(zoneId: string, { name, type, content, priority }: RecordValues): string {
  const digest = createHash('sha256')
    .update(`${priority ?? ''} ${content}`)
    .digest('hex')
    .slice(0, 32);
  return `${recordScope} ${recordPrefix(zoneId, name)}${type}/${digest}`;
}

const zoneIdOf = (draft: Draft): string => (draft.parents.at(-1) as Row).id;

// A CNAME is the only record of its name, and no record occurs twice.
async function demandPlace(draft: Draft, store: Store): Promise<void> {
  const { name, type } = draft.values as RecordValues;
  const prefix = recordPrefix(zoneIdOf(draft), name);
  const own = draft.before ? pathOf(draft.before) : '';
  const claim = recordClaim(zoneIdOf(draft), draft.values as RecordValues).slice(recordScope.length + 1);
  const scan = { contract: 0, place: recordScope, from: prefix, to: `${prefix}~` };
  for await (const row of store.each(scan, 'claim')) {
    if ((JSON.parse(row.body) as { path: string }).path === own) continue;
    const [, , otherType] = row.id.split('/');
    if (row.id === claim) throw new Fault('conflict', 'The zone has this record already.');
    if (type === 'CNAME' || otherType === 'CNAME')
      throw new Fault('conflict', `A CNAME can't share its name with other records: ${name || '@'}.`);
  }
}

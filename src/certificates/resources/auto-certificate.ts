// A certificate that a provider issues and renews for names in DNS zones of the contract. Each renewal creates another
// certificate, and the auto-certificate refers to the latest; all remain when it is deleted.
// Issuing is a reconciler's task (issuing/issuing.ts); its state is hidden in the row.
import { domainToASCII } from 'node:url';
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import type { Json, Values } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { idClaim } from '../../core/regional.ts';
import { resource, step, type Task } from '../../core/resource.ts';
import { list, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { CertificateTools } from '../tools.ts';
import { keyAlgorithms } from '../x509/key-algorithms.ts';
import { nameProperty, privilege, root } from './certificate.ts';
import { countOne } from './limits.ts';
import { provider } from './provider.ts';
import { stateWords } from './state-words.ts';

const maxNames = 100;
const maxCommonName = 64; // of X.509

export const autoCertificate = resource<CertificateTools>({
  name: 'autocertificate',
  plural: 'auto-certificates',
  shown: { title: 'Auto certificate', stateWords, type: 'auto-certificate', columns: ['name', 'commonName'] },
  root,
  dialect: regional,
  verbs: ['list', 'get', 'create', 'change', 'remove'],
  rights: { create: privilege },
  actions: 'certificatemanager.autocertificate',
  lifecycle: { pace: 0, replies: { create: 201 }, remove: [step('withdraw', withdraw)] },
  properties: {
    provider: text({ required: true, immutable: true, max: 36, description: 'The id of a provider' }),
    commonName: text({
      required: true,
      immutable: true,
      max: maxCommonName,
      example: 'www.example.com',
      description: 'A name, or a wildcard, in a DNS zone of the contract',
    }),
    keyAlgorithm: text({ required: true, immutable: true, oneOf: keyAlgorithms, example: 'rsa2048' }),
    name: nameProperty,
    subjectAlternativeNames: list(text({ max: 253 }), {
      immutable: true,
      max: maxNames,
      default: [],
      description: 'More names of the same kind',
    }),
  },
  sample: {
    needs: { provider: 'certificateprovider', zone: 'zone' },
    properties: (near) => ({
      provider: near('provider').id,
      commonName: `www.${String(near('zone').properties.zoneName)}`,
    }),
    change: { name: 'changed' },
  },
  rules({ values, way }, report) {
    if (way !== 'create') return;
    const { commonName, subjectAlternativeNames } = values;
    if (typeof commonName === 'string' && hostName(commonName) === undefined) report('commonName', notName);
    for (const [at, name] of Array.isArray(subjectAlternativeNames) ? subjectAlternativeNames.entries() : [])
      if (typeof name === 'string' && hostName(name) === undefined) report(`subjectAlternativeNames.[${at}]`, notName);
  },
  async decide(draft, { store, tools }) {
    if (draft.way !== 'create') return;
    const id = String(draft.values.provider);
    if (!(await findProvider(store, draft.contract, id)))
      throw new Fault('refused', `[(root).properties.provider] Provider ${id} does not exist`, { code: '100' });
    const conflict = await tools.records()?.conflict(draft.contract, namesOf(draft.values as unknown as AutoValues));
    if (conflict !== undefined) throw new Fault('conflict', conflict);
    await countOne(draft, store, 'autoCertificates');
  },
  noted: { read: stateOf, schema: { lastIssuedCertificate: { type: 'string', format: 'uuid' } } },
});

const notName = 'Expected a domain name or a wildcard, such as www.example.com or *.example.com';

// In the form of certificates and DNS; undefined: no certificate can be issued for this name.
export function hostName(sent: string): string | undefined {
  const isWild = sent.startsWith('*.');
  const name = domainToASCII(isWild ? sent.slice(2) : sent).toLowerCase();
  if (name.length > 253 || !/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(name))
    return undefined;
  return isWild ? `*.${name}` : name;
}

export interface AutoValues {
  provider: string;
  commonName: string;
  keyAlgorithm: string;
  name: string;
  subjectAlternativeNames: string[];
}

export interface AutoHidden {
  issued?: { certificate: string; renewAt: number };
  order?: PendingOrder; // with an ACME server
  failure?: { message: string; retryAt: number; count: number };
}

// The progress, with which a restarted process continues.
export interface PendingOrder {
  certificate: string; // the id that it will have
  key: string; // sealed
  url: string;
  records: string[]; // the paths of records in our DNS, to be removed again
}

export const autoValues = ({ body }: Pick<Row, 'body'>): AutoValues => JSON.parse(body) as AutoValues;
export const autoHidden = ({ hidden }: Pick<Row, 'hidden'>): AutoHidden =>
  hidden ? (JSON.parse(hidden) as AutoHidden) : {};

// All its names, the common name first.
export const namesOf = ({ commonName, subjectAlternativeNames }: AutoValues): string[] => [
  ...new Set([commonName, ...subjectAlternativeNames].map((name) => hostName(name) ?? name)),
];

export async function findProvider(store: Store, contract: number, id: string): Promise<Row | undefined> {
  const claimed = isUuid(id) ? await store.claimed(idClaim(provider, id)) : undefined;
  return claimed?.contract === contract ? store.at(contract, claimed.path) : undefined;
}

// A failed renewal removes nothing: it is reported and retried.
function stateOf(row: Row): Values {
  const { issued, failure } = autoHidden(row);
  const message = failure
    ? issued
      ? `The certificate could not be renewed: ${failure.message}`
      : failure.message
    : '';
  const state = issued ? 'AVAILABLE' : failure ? 'FAILED' : 'PROVISIONING';
  return {
    message,
    ...(row.state === 'AVAILABLE' && { state }),
    ...(issued && { lastIssuedCertificate: issued.certificate satisfies Json }),
  };
}

// The records of an unfinished order are deleted with it.
async function withdraw({ contract, path, context: { store, tools } }: Task<CertificateTools>): Promise<void> {
  const row = await store.at(contract, path);
  for (const record of (row && autoHidden(row).order?.records) ?? []) await tools.records()?.remove(row as Row, record);
}

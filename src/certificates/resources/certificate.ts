// A certificate with its chain, uploaded or issued by an auto-certificate. Its private key is sealed with the region's
// key, and no answer ever shows it: only listeners that present the certificate decrypt it.
import { Fault } from '../../base/fault.ts';
import { regional } from '../../core/dialect.ts';
import { pathOf, resource, step, type Task } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { withHidden } from '../hidden-part.ts';
import type { CertificateTools } from '../tools.ts';
import { type CertificateFacts, checkedCertificate } from '../x509/certificate-check.ts';
import { countOne } from './limits.ts';
import { sampleCertificate } from './sample-certificate.ts';
import { stateWords } from './state-words.ts';

export const root = 'certificate-manager/';
export const privilege = 'accessAndManageCertificates';
export const nameProperty = text({ required: true, min: 1, max: 255, example: 'example' });

export const certificate = resource<CertificateTools>({
  name: 'certificate',
  plural: 'certificates',
  root,
  dialect: regional,
  verbs: ['list', 'get', 'create', 'change', 'remove'],
  rights: { create: privilege },
  actions: 'certificatemanager.certificate',
  lifecycle: { pace: 0, replies: { create: 201 }, remove: [step('release', release)] },
  properties: {
    name: nameProperty,
    certificate: text({
      required: true,
      immutable: true,
      max: 65_536,
      example: sampleCertificate.certificate,
      description: 'In PEM',
    }),
    certificateChain: text({
      required: true,
      immutable: true,
      max: 262_144,
      example: sampleCertificate.certificateChain,
      description: 'Its issuer, the issuer of that and so on, in PEM',
    }),
    privateKey: text({
      required: true,
      immutable: true,
      writeOnly: true,
      omitNull: true,
      max: 65_536,
      example: sampleCertificate.privateKey,
      description: 'In PEM, without a password',
    }),
  },
  shown: { stateWords, columns: ['name'] },
  sample: { change: { name: 'changed' } },
  async decide(draft, { store, tools }) {
    if (draft.way === 'remove') return demandUnused(store, draft.contract, pathOf(draft));
    if (draft.way !== 'create') {
      if (draft.sealed.privateKey !== undefined)
        throw new Fault('refused', '[(root).properties.privateKey] Attribute can not be changed after creation');
      return;
    }
    await countOne(draft, store, 'certificates');
    const { certificate = '', certificateChain = '' } = draft.values;
    const privateKey = String(draft.sealed.privateKey);
    const sent = { certificate: String(certificate), certificateChain: String(certificateChain), privateKey };
    const hidden: CertificateHidden = { facts: checkedCertificate(sent), key: tools.seal.close(privateKey) };
    Object.assign(draft.hidden, hidden);
  },
  noted: {
    read(row) {
      const { facts, autoCertificate, expired = false } = certificateHidden(row);
      return { message: '', expired, ...facts, ...(autoCertificate !== undefined && { autoCertificate }) };
    },
    schema: {
      expired: { type: 'boolean' },
      notBefore: { type: 'string', format: 'date-time' },
      notAfter: { type: 'string', format: 'date-time' },
      serialNumber: { type: 'string' },
      commonName: { type: 'string' },
      subjectAlternativeNames: { type: 'array', items: { type: 'string' } },
      autoCertificate: { type: 'string', format: 'uuid', description: 'Which one has issued it' },
    },
  },
});

// The role of links from listeners of load balancers that present it.
export const presents = 'presents';

export interface CertificateHidden {
  facts: CertificateFacts;
  key: string; // sealed
  autoCertificate?: string;
  expired?: boolean;
}

export const certificateHidden = ({ hidden }: Pick<Row, 'hidden'>): CertificateHidden =>
  JSON.parse(hidden) as CertificateHidden;

// Marks certificates that have expired since the last pass. Answers are rendered from rows, so time alone does not
// change them.
export async function markExpired(store: Store, row: Row, now: number): Promise<void> {
  const hidden = certificateHidden(row);
  if (hidden.expired || Date.parse(hidden.facts.notAfter) > now) return;
  // If another change was faster, the next pass does it.
  await store.apply([{ op: 'update', table: 'resource', row: withHidden(row, { expired: true }) }]);
}

// Checked again when no listener can begin to use it any more.
function release({ contract, path, context: { store } }: Task<CertificateTools>): Promise<void> {
  return demandUnused(store, contract, path);
}

async function demandUnused(store: Store, contract: number, path: string): Promise<void> {
  const [link] = await store.range({ contract, below: `${path} < ${presents}`, limit: 1 }, 'link');
  if (!link) return;
  const id = path.slice(path.lastIndexOf('/') + 1);
  throw new Fault(
    'refused',
    `The certificate ${id} can't be deleted, because ${link.id} uses it. Change the listener first.`,
    { code: '200' },
  );
}

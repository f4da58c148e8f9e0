// A provider of certificates: an ACME server and the account with it. The account's key is created with the first order
// (issuing/acme.ts). It is sealed, like the secret of an external account binding.
import type { Values } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { resource } from '../../core/resource.ts';
import { shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { wrongAddress } from '../issuing/server-address.ts';
import type { CertificateTools } from '../tools.ts';
import { nameProperty, privilege, root } from './certificate.ts';
import { countOne } from './limits.ts';
import { stateWords } from './state-words.ts';

export const provider = resource<CertificateTools>({
  name: 'certificateprovider',
  plural: 'providers',
  shown: { title: 'Certificate provider', stateWords, type: 'provider', columns: ['name', 'server'] },
  root,
  dialect: regional,
  verbs: ['list', 'get', 'create', 'change', 'remove'],
  rights: { create: privilege },
  actions: 'certificatemanager.provider',
  lifecycle: { pace: 0, replies: { create: 201 } },
  properties: {
    name: nameProperty,
    email: text({
      required: true,
      immutable: true,
      max: 254,
      pattern: /^[^@\s,]+@[^@\s,]+$/,
      says: 'Expected an e-mail address.',
      example: 'admin@example.com',
      description: 'The address to which the server sends messages about the account',
    }),
    server: text({
      required: true,
      immutable: true,
      max: 2048,
      pattern: /^https?:\/\/[^/\s]\S*$/,
      says: 'Expected the address of an ACME directory: https://…',
      example: 'https://acme-v02.api.letsencrypt.org/directory',
      description: 'The ACME directory',
    }),
    externalAccountBinding: shape(
      {
        keyId: text({ required: true, min: 1, max: 1024 }),
        keySecret: text({ secret: true, max: 4096, description: 'Never shown' }),
      },
      { derived: true, settable: true, description: 'For servers that require an existing account' },
    ),
  },
  sample: { change: { name: 'changed' } },
  rules({ values: { server } }, report) {
    if (typeof server !== 'string') return;
    const wrong = URL.canParse(server) ? wrongAddress(server) : 'Expected an address';
    if (wrong !== undefined) report('server', wrong);
  },
  async decide(draft, { store, tools }) {
    if (draft.way !== 'create') return;
    await countOne(draft, store, 'providers');
    const binding = draft.sealed.externalAccountBinding as Values | null | undefined;
    if (!binding) return;
    const { keyId = '', keySecret } = binding;
    draft.hidden.binding = { keyId, keySecret: tools.seal.close(String(keySecret ?? '')) };
  },
  derive(row): Values {
    const { binding } = providerHidden(row);
    return binding ? { externalAccountBinding: { keyId: binding.keyId } } : {};
  },
  noted: {
    read: (row, _store, { isEmbedded }) => ({
      message: isEmbedded(providerValues(row).server)
        ? "The region's own CA issues in place of this public one, which could not reach the region's name server."
        : '',
    }),
  },
});

interface ProviderValues {
  email: string;
  server: string;
}

interface ProviderHidden {
  accountKey?: string; // sealed
  binding?: { keyId: string; keySecret: string }; // the secret is sealed
}

export const providerValues = ({ body }: Pick<Row, 'body'>): ProviderValues => JSON.parse(body) as ProviderValues;
export const providerHidden = ({ hidden }: Pick<Row, 'hidden'>): ProviderHidden =>
  hidden ? (JSON.parse(hidden) as ProviderHidden) : {};

// The settings of certificates.
import { assign, type Section } from '../config/section.ts';
import { flagOf, textOf } from '../config/setting-values.ts';

export interface CertificateSettings {
  asksPublic: boolean; // whether public CAs are used directly
  acmeCa: string | undefined; // a file with further CA certificates that are trusted for ACME servers
}

export const certificatesSettings: Section<CertificateSettings> = {
  defaults: { asksPublic: false, acmeCa: undefined },
  options: {
    'public-acme': {
      help: "use Let's Encrypt and other public CAs for auto-certificates, instead of the region's own CA",
      set: (values, text) => assign(values, { asksPublic: flagOf('public-acme', text) }),
    },
    'acme-ca': {
      takes: 'FILE',
      help: 'a PEM file with additional CA certificates that are trusted for ACME servers',
      set: (values, text) => assign(values, { acmeCa: textOf('acme-ca', text, 'a file') }),
    },
  },
};

// The declaration of certificates.
import type { Declaration } from '../surface/product.ts';
import { type CertificateSettings, certificatesSettings } from './settings.ts';

export const certificates: Declaration<CertificateSettings> = {
  name: 'certificates',
  labels: { certificates: 'Certs' },
  clientEndpoints: [{ name: 'cert', path: '/certificate-manager', host: 'certificate-manager.de-fra' }],
  settings: certificatesSettings,
  resources: async () => (await import('./index.ts')).certificateResources,
  open: async (context, ports, settings) => (await import('./product.ts')).openCertificates(context, ports, settings),
};

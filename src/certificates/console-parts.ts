// The page of certificates in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Certificates',
      group: 'Network',
      icon: 'certificate',
      collection: ['certificates', '/certificates'],
      counted: { privilege: 'accessAndManageCertificates' },
      leadsToOthers: true,
    },
  ],
};

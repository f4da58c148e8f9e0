// The console pages of DNS.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'DNS',
      group: 'Network',
      icon: 'dns',
      collection: ['dns', '/zones'],
      among: 'Zones',
      counted: { title: 'DNS zones', privilege: 'accessAndManageDns' },
      leadsToOthers: true,
    },
    { title: 'Records of all zones', group: 'Network', collection: ['dns', '/records'], under: 'DNS' },
  ],
  titles: { dnsseckey: 'DNSSEC key', keys: 'DNSSEC keys', axfr: 'Transfer', zonefile: 'Zone file' },
};

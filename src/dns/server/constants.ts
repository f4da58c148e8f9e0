// The names of the platform's name servers, as its clients know them, and of the region's own zones.
const servers = (host: string): string[] => ['com', 'de', 'org', 'biz'].map((end) => `${host}.ui-dns.${end}`);

export const primaryServers: readonly string[] = servers('ns-ic');
export const secondaryServers: readonly string[] = servers('nscs');
export const hostmaster = 'hostmaster.ui-dns.com';

// The region serves reverse records of the public addresses that it assigns.
export const reverseZones: readonly string[] = [
  '18.198.in-addr.arpa',
  '19.198.in-addr.arpa',
  '8.b.d.0.1.0.0.2.ip6.arpa',
];

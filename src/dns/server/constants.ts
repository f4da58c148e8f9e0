// The names of the platform's name servers, as its clients know them.
const servers = (host: string): string[] => ['com', 'de', 'org', 'biz'].map((end) => `${host}.ui-dns.${end}`);

export const primaryServers: readonly string[] = servers('ns-ic');
export const secondaryServers: readonly string[] = servers('nscs');
export const hostmaster = 'hostmaster.ui-dns.com';

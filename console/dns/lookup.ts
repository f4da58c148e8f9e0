// Questions to the name server of the region, and its answers.
import { call } from '../api.ts';
import { word } from '../resources/same-with/shell.ts';

export interface DnsRecord {
  name: string;
  type: string;
  ttl: number;
  data: string;
}

export interface DnsAnswer {
  server: string;
  question: { name: string; type: string };
  status: string; // NOERROR, NXDOMAIN …
  flags: string[];
  bytes: number;
  tookMs: number;
  answers: DnsRecord[];
  authorities: DnsRecord[];
  additionals: DnsRecord[];
}

export interface Question {
  name: string;
  type: string;
  dnssec: boolean;
}

export const questionTypes = [
  ...['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'CAA', 'PTR', 'DS', 'DNSKEY', 'TLSA', 'SSHFP', 'HTTPS'],
  'ANY',
];

export function lookUp({ name, type, dnssec }: Question): Promise<DnsAnswer> {
  const query = new URLSearchParams({ name, type, ...(dnssec && { dnssec: '1' }) });
  return call('GET', `/console/dns-lookup?${query}`);
}

// `www` in the zone example.com; `@` and nothing are the zone itself; a name with a dot at its end is whole.
export function fullName(typed: string, zone: string): string {
  const name = typed.trim().toLowerCase();
  if (name === '' || name === '@') return zone;
  if (name.endsWith('.')) return name.slice(0, -1);
  return name === zone || name.endsWith(`.${zone}`) ? name : `${name}.${zone}`;
}

export function digOf({ server, question: { name, type } }: DnsAnswer, dnssec: boolean): string {
  const cut = server.lastIndexOf(':');
  return `dig @${server.slice(0, cut)} -p ${server.slice(cut + 1)} ${word(name || '.')} ${type}${dnssec ? ' +dnssec' : ''}`;
}

const statuses: Readonly<Record<string, string>> = {
  NOERROR: 'The name is known.',
  NXDOMAIN: 'There is no such name.',
  REFUSED: 'The name server has no zone for this name, or the zone is switched off.',
  SERVFAIL: 'The name server could not answer.',
};

export function verdictOf({ status, answers }: DnsAnswer): string {
  if (status === 'NOERROR' && answers.length === 0) return 'The name is known, but has no record of this type.';
  return statuses[status] ?? status;
}

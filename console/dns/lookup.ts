// Queries to the region's name server, and texts for its answers.
import { call } from '../api.ts';
import { word } from '../resources/client-commands/shell.ts';

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

// Completes a name with its zone: `www` becomes www.example.com, `@` and an empty name the zone itself. A trailing dot
// marks a complete name.
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
  NOERROR: 'The name exists.',
  NXDOMAIN: 'The name does not exist.',
  REFUSED: 'The name server has no enabled zone for this name.',
  SERVFAIL: 'The name server failed to answer.',
};

export function verdictOf({ status, answers }: DnsAnswer): string {
  if (status === 'NOERROR' && answers.length === 0) return 'The name exists, but has no record of this type.';
  return statuses[status] ?? status;
}

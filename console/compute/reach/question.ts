// The question "can A reach B?": its two ends, and what is sent.
import { call } from '../../api.ts';
import { balancerTitles, type Landscape } from '../diagram/landscape.ts';
import type { VerdictView } from './verdict.ts';

export const protocols = ['TCP', 'UDP', 'ICMP'] as const;

export interface Question {
  from: string; // the id of a NIC, an address, or empty: to be typed
  fromAddress: string; // as it is typed
  to: string;
  toAddress: string;
  protocol: string;
  port: string;
  path: string; // of an HTTP request, which application load balancers need
}

export const usualQuestion: Question = {
  from: '',
  fromAddress: '203.0.113.7',
  to: '',
  toAddress: '',
  protocol: 'TCP',
  port: '443',
  path: '/',
};

export type Ends = readonly (readonly [value: string, title: string])[];

const typed = ['', 'An address …'] as const;

// NICs, and what listens at addresses of its own.
export function endsOf({ servers, balancers }: Landscape): { from: Ends; to: Ends } {
  const nics = servers.flatMap((server) =>
    server.nics.map((nic) => [nic.id, [server.name, nic.name, nic.ips[0]].filter(Boolean).join(' · ')] as const),
  );
  const listening = balancers.flatMap(({ name, kind, ips }) =>
    ips.map((ip) => [ip, `${balancerTitles[kind]} ${name} · ${ip}`] as const),
  );
  return { from: [typed, ...nics], to: [typed, ...nics, ...listening] };
}

// The NIC that somebody means who points at it, or at its server.
export function nicAt(path: string, { servers }: Landscape): string | undefined {
  for (const server of servers) {
    if (server.path === path) return server.nics[0]?.id;
    const nic = server.nics.find((one) => one.path === path);
    if (nic) return nic.id;
  }
  return undefined;
}

// Whether what is asked of is a balancer that sees HTTP requests.
export const isHttp = ({ protocol, to, toAddress }: Question, { balancers }: Landscape): boolean =>
  protocol === 'TCP' &&
  balancers.some(({ kind, ips }) => kind === 'applicationloadbalancer' && ips.includes(to || toAddress.trim()));

export const hasPorts = (protocol: string): boolean => protocol === 'TCP' || protocol === 'UDP';

// What is wrong with it, by the field; undefined: it can be asked.
export function problemOf({ from, fromAddress, to, toAddress, protocol, port }: Question): string | undefined {
  if (!from && fromAddress.trim() === '') return 'From: choose where it comes from, or type an address.';
  if (!to && toAddress.trim() === '') return 'To: choose where it goes, or type an address.';
  const number = /^\d{1,5}$/.test(port.trim()) ? Number(port) : 0;
  if (hasPorts(protocol) && (number < 1 || number > 65_535)) return 'Port: a whole number from 1 to 65535 is needed.';
  return undefined;
}

export async function ask(question: Question, landscape: Landscape, signal: AbortSignal): Promise<VerdictView> {
  const problem = problemOf(question);
  if (problem !== undefined) throw new Error(problem);
  const { from, fromAddress, to, toAddress, protocol, port } = question;
  const asked = new URLSearchParams({ from: from || fromAddress.trim(), to: to || toAddress.trim(), protocol });
  if (hasPorts(protocol)) asked.set('port', port.trim());
  if (isHttp(question, landscape)) asked.set('httpPath', question.path.trim() || '/');
  return call<VerdictView>('GET', `/reachability?${asked}`, { signal });
}

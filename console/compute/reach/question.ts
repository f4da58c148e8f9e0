// The question "Can A reach B?": its two ends and the packet.
import { call } from '../../api.ts';
import { balancerTitles, type Landscape } from '../diagram/landscape.ts';
import type { VerdictView } from './verdict.ts';

export const protocols = ['TCP', 'UDP', 'ICMP'] as const;

export interface Question {
  from: string; // the id of a NIC, an address, or empty for `fromAddress`
  fromAddress: string; // typed by the user
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

// NICs, and balancers with their own addresses.
export function endsOf({ servers, balancers }: Landscape): { from: Ends; to: Ends } {
  const nics = servers.flatMap((server) =>
    server.nics.map((nic) => [nic.id, [server.name, nic.name, nic.ips[0]].filter(Boolean).join(' · ')] as const),
  );
  const listening = balancers.flatMap(({ name, kind, ips }) =>
    ips.map((ip) => [ip, `${balancerTitles[kind]} ${name} · ${ip}`] as const),
  );
  return { from: [typed, ...nics], to: [typed, ...nics, ...listening] };
}

// The NIC at a clicked path: the NIC itself, or the first one of a server.
export function nicAt(path: string, { servers }: Landscape): string | undefined {
  for (const server of servers) {
    if (server.path === path) return server.nics[0]?.id;
    const nic = server.nics.find((one) => one.path === path);
    if (nic) return nic.id;
  }
  return undefined;
}

// Whether the target is a balancer that reads HTTP requests.
export const isHttp = ({ protocol, to, toAddress }: Question, { balancers }: Landscape): boolean =>
  protocol === 'TCP' &&
  balancers.some(({ kind, ips }) => kind === 'applicationloadbalancer' && ips.includes(to || toAddress.trim()));

export const hasPorts = (protocol: string): boolean => protocol === 'TCP' || protocol === 'UDP';

// The first invalid field; undefined: the question is complete.
export function problemOf({ from, fromAddress, to, toAddress, protocol, port }: Question): string | undefined {
  if (!from && fromAddress.trim() === '') return 'From: choose a NIC, or type an address.';
  if (!to && toAddress.trim() === '') return 'To: choose a target, or type an address.';
  const number = /^\d{1,5}$/.test(port.trim()) ? Number(port) : 0;
  if (hasPorts(protocol) && (number < 1 || number > 65_535)) return 'Port: type a whole number from 1 to 65535.';
  return undefined;
}

interface Visit {
  facts: { machines: { isReal: boolean }; services: readonly { name: string }[] };
  session: { role: string };
}

// Real packets are sent by the lab, between real machines.
export const canSendReal = ({ facts, session }: Visit): boolean =>
  facts.machines.isReal && session.role !== 'user' && facts.services.some(({ name }) => name === 'lab');

type Packet = Pick<Question, 'from' | 'fromAddress' | 'to' | 'toAddress' | 'protocol' | 'port'>;

// A packet of the lab. If the target is a NIC, the packet goes to its first address.
export function labPacketOf({ from, fromAddress, to, toAddress, protocol, port }: Packet, { servers }: Landscape) {
  const nic = servers.flatMap(({ nics }) => nics).find(({ id }) => id === to);
  const address = nic ? (nic.ips[0] ?? '') : to || toAddress.trim();
  return {
    from: from === '' ? { address: fromAddress.trim() } : { nicId: from },
    to: { address, ...(hasPorts(protocol) && { port: Number(port) }) },
    protocol,
  };
}

export async function ask(
  question: Question,
  landscape: Landscape,
  isReal: boolean,
  signal: AbortSignal,
): Promise<VerdictView> {
  const problem = problemOf(question);
  if (problem !== undefined) throw new Error(problem);
  const { from, fromAddress, to, toAddress, protocol, port } = question;
  const path = isHttp(question, landscape) ? question.path.trim() || '/' : undefined;
  if (isReal) {
    const http = path === undefined ? {} : { http: { method: 'GET', path } };
    return call('POST', '/lab/traffic', { body: { ...labPacketOf(question, landscape), ...http, real: true }, signal });
  }
  const parameters = new URLSearchParams({ from: from || fromAddress.trim(), to: to || toAddress.trim(), protocol });
  if (hasPorts(protocol)) parameters.set('port', port.trim());
  if (path !== undefined) parameters.set('httpPath', path);
  return call<VerdictView>('GET', `/reachability?${parameters}`, { signal });
}

// A packet, and the verdict on it: hop by hop, with the rule that decided each.
import type { Direction, Protocol } from './spec.ts';

export interface Packet {
  from: { nicId: string; ip?: string } | { ip: string }; // a NIC, or an address outside the region
  to: string;
  protocol: Protocol;
  sourcePort?: number;
  targetPort?: number;
  icmpType?: number;
  icmpCode?: number;
  http?: HttpRequest;
  packets?: number;
  bytes?: number;
}

export interface HttpRequest {
  method: string;
  host: string;
  path: string;
  query: string; // without the question mark
  headers: { readonly [name: string]: string };
  cookies: { readonly [name: string]: string };
}

export interface Verdict {
  accepted: boolean;
  decidedBy: Decision; // that of the last hop
  arrived: Arrival | null;
  hops: Hop[];
}

export interface Hop {
  kind: HopKind;
  id: string; // of a LAN: its number; of the internet: empty
  datacenterId: string | null;
  direction: Direction; // from the view of that interface
  sourceIp: string | null; // addresses and ports at this hop, after translation
  sourcePort: number | null;
  targetIp: string;
  targetPort: number | null;
  action: 'ACCEPT' | 'REJECT';
  decidedBy: Decision;
}

export type BalancerKind = 'networkloadbalancer' | 'applicationloadbalancer' | 'loadbalancer';
export type HopKind = 'nic' | 'lan' | 'internet' | 'natgateway' | BalancerKind;

export type Decision = RuleDecision | { default: Default };

export interface RuleDecision {
  rule: string;
  of: 'nic' | 'securitygroup' | 'natgateway' | 'networkloadbalancer' | 'applicationloadbalancer';
  ownerId: string;
  httpRule?: string;
}

// The decision of a hop without a rule.
export const defaults = [
  'no firewall',
  'direction not filtered',
  'firewall default deny',
  'security group default deny',
  'server is not running',
  'no source address',
  'own address',
  'same LAN',
  'cross connect',
  'no such address',
  'no route',
  'no SNAT rule',
  'no inbound',
  'public address',
  'internet',
  'not an outside address',
  'no forwarding rule',
  'no http request',
  'no http rule matches',
  'no such target group',
  'no healthy target',
  'balanced',
] as const;
export type Default = (typeof defaults)[number];

export type Arrival =
  | { kind: 'nic'; nicId: string; serverId: string; datacenterId: string; ip: string; port: number | null }
  | { kind: 'internet'; ip: string; port: number | null }
  | {
      kind: 'answer'; // by the balancer itself
      balancerId: string;
      datacenterId: string;
      statusCode: number;
      location: string | null;
      contentType: string | null;
      message: string | null;
    };

// A number that chooses among equal targets. The same number for the same key gives the same choice.
export type Choose = (key: string) => number;

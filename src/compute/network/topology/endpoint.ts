// Endpoints of the network, which answer at addresses (NICs, gateways and balancers), with their rules parsed; and the
// LANs that they are in.

import type { Address, Range } from '../ip.ts';
import type {
  Algorithm,
  ApplicationForwardingRule,
  NetworkForwardingRule,
  ProxyProtocol,
  TargetGroup,
} from '../spec.ts';
import type { RuleDecision } from '../verdict.ts';
import type { PacketFilter, PortRange } from './firewall.ts';
import type { ParsedHttpRule } from './http-rules.ts';

export type Endpoint = NicEndpoint | NetworkBalancer | ApplicationBalancer | ClassicBalancer | GatewayEndpoint;

export interface LanSegment {
  id: string;
  datacenterId: string;
  isPublic: boolean;
  segment: string;
  ranges: readonly Range[];
  gateways: readonly Gateway[];
}

export interface NicEndpoint {
  kind: 'nic';
  id: string;
  datacenterId: string;
  serverId: string;
  isRunning: boolean;
  lanId: string;
  lan: LanSegment | undefined;
  mac: string;
  slot: number; // on the PCI bus of its server
  addresses: readonly Address[];
  ingress: PacketFilter;
  egress: PacketFilter;
}

export interface Gateway {
  id: string;
  datacenterId: string;
  rules: readonly ParsedNatRule[];
}

export interface ParsedNatRule {
  protocol: string;
  source: Range;
  target: Range | null;
  ports: PortRange | null;
  publicIp: Address;
  decision: RuleDecision;
}

export interface GatewayEndpoint {
  kind: 'natgateway';
  id: string;
  datacenterId: string;
  lan: LanSegment | undefined; // undefined: one of its public addresses
}

interface Managed {
  id: string;
  datacenterId: string;
  lan: LanSegment; // where it listens
  targetLan: LanSegment | undefined;
  targetLanId: string;
  addresses: readonly Address[]; // its own, in the target LAN
  isLogged: boolean; // each access
}

export interface NetworkBalancer extends Managed {
  kind: 'networkloadbalancer';
  rules: ReadonlyMap<string, NetworkListener>; // by address and port
}

export interface NetworkListener {
  id: string;
  rule: NetworkForwardingRule;
  decision: RuleDecision;
  pool: Pool;
}

export interface ApplicationBalancer extends Managed {
  kind: 'applicationloadbalancer';
  rules: ReadonlyMap<string, ApplicationListener>;
  pools: ReadonlyMap<string, Pool>; // of the target groups, by their ids
}

export interface ApplicationListener {
  id: string;
  rule: ApplicationForwardingRule;
  decision: RuleDecision;
  httpRules: readonly ParsedHttpRule[];
}

export interface Pool {
  algorithm: Algorithm;
  targets: readonly Target[]; // without those in maintenance or without weight
  group: TargetGroup | null; // of an application load balancer
}

export interface Target {
  address: Address;
  port: number;
  weight: number;
  isChecked: boolean;
  checkInterval: number | null; // ms; null: that of the group
  proxyProtocol: ProxyProtocol;
}

export interface ClassicBalancer {
  kind: 'loadbalancer';
  id: string;
  datacenterId: string;
  lan: LanSegment;
  nics: readonly NicEndpoint[];
}

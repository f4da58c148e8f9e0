// What stands in the network and answers at addresses, read from the landscape: LANs, NICs, gateways and balancers
// with their rules in the form in which they are judged.
import type { Gate, PortRange } from './firewall.ts';
import type { ReadHttpRule } from './http-rules.ts';
import type { Address, Range } from './ip.ts';
import type { Algorithm } from './landscape.ts';
import type { RuleDecision } from './verdict.ts';

export type Station = NicPlace | NetworkBalancer | ApplicationBalancer | ClassicBalancer | GatewayAddress;

export interface LanPlace {
  id: string;
  datacenterId: string;
  isPublic: boolean;
  segment: string;
  ranges: readonly Range[];
  gateways: readonly Gateway[];
}

export interface NicPlace {
  kind: 'nic';
  id: string;
  datacenterId: string;
  serverId: string;
  isRunning: boolean;
  lanId: string;
  lan: LanPlace | undefined;
  mac: string;
  addresses: readonly Address[];
  ingress: Gate;
  egress: Gate;
}

export interface Gateway {
  id: string;
  datacenterId: string;
  rules: readonly ReadNatRule[];
}

export interface ReadNatRule {
  protocol: string;
  source: Range;
  target: Range | null;
  ports: PortRange | null;
  publicIp: Address;
  decision: RuleDecision;
}

export interface GatewayAddress {
  kind: 'natgateway';
  id: string;
  datacenterId: string;
  lan: LanPlace | undefined; // undefined: one of its public addresses
}

interface Managed {
  id: string;
  datacenterId: string;
  lan: LanPlace; // where it listens
  targetLan: LanPlace | undefined;
  targetLanId: string;
  addresses: readonly Address[]; // its own, in the target LAN
}

export interface NetworkBalancer extends Managed {
  kind: 'networkloadbalancer';
  rules: ReadonlyMap<string, NetworkListener>; // by address and port
}

export interface NetworkListener {
  id: string;
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
  decision: RuleDecision;
  httpRules: readonly ReadHttpRule[];
}

export interface Pool {
  algorithm: Algorithm;
  targets: readonly Target[]; // without those in maintenance or without weight
}

export interface Target {
  address: Address;
  port: number;
  weight: number;
  isChecked: boolean;
}

export interface ClassicBalancer {
  kind: 'loadbalancer';
  id: string;
  datacenterId: string;
  lan: LanPlace;
  nics: readonly NicPlace[];
}

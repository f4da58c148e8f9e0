// The network of the resources as plain data, under the names of the API's properties: the only input of a network
// engine. The spec of a datacenter is self-contained; the engine finds connections across datacenters (cross connects,
// public addresses).

export interface NetworkSpec {
  // The region's own public addresses: one without an endpoint does not exist, and is not external.
  ranges: readonly string[];
  datacenters: readonly DatacenterSpec[];
}

export interface DatacenterSpec {
  id: string;
  lans: readonly Lan[];
  servers: readonly Server[];
  nics: readonly Nic[];
  securityGroups: readonly SecurityGroup[];
  natGateways: readonly NatGateway[];
  networkLoadBalancers: readonly NetworkLoadBalancer[];
  applicationLoadBalancers: readonly ApplicationLoadBalancer[];
  targetGroups: readonly TargetGroup[]; // those that its application load balancers name
  loadBalancers: readonly LoadBalancer[]; // the classic ones
}

export interface Lan {
  id: number;
  public: boolean;
  ipv4CidrBlock: string | null;
  ipv6CidrBlock: string | null;
  pcc: string | null;
  ipFailover: readonly { ip: string; nicUuid: string }[];
}

export interface Server {
  id: string;
  vmState: string;
  securityGroups: readonly string[];
}

export type Direction = 'INGRESS' | 'EGRESS';

export interface Nic {
  id: string;
  server: string;
  lan: number;
  mac: string;
  pciSlot?: number;
  ips: readonly string[];
  ipv6Ips: readonly string[];
  firewallActive: boolean;
  firewallType: Direction | 'BIDIRECTIONAL' | null;
  firewallRules: readonly FirewallRule[];
  securityGroups: readonly string[];
}

export interface SecurityGroup {
  id: string;
  rules: readonly FirewallRule[];
}

export const protocols = ['TCP', 'UDP', 'ICMP', 'ICMPv6', 'GRE', 'VRRP', 'ESP', 'AH'] as const;
export type Protocol = (typeof protocols)[number];

export interface FirewallRule {
  id: string;
  protocol: Protocol | 'ANY';
  type: Direction | null;
  sourceMac: string | null;
  ipVersion: 'IPv4' | 'IPv6' | null;
  sourceIp: string | null;
  targetIp: string | null;
  icmpType: number | null;
  icmpCode: number | null;
  portRangeStart: number | null;
  portRangeEnd: number | null;
}

export interface NatGateway {
  id: string;
  publicIps: readonly string[];
  lans: readonly { id: number; gatewayIps: readonly string[] }[];
  rules: readonly NatRule[];
}

export interface NatRule {
  id: string;
  protocol: 'TCP' | 'UDP' | 'ICMP' | 'ALL' | null;
  sourceSubnet: string;
  publicIp: string;
  targetSubnet: string | null;
  targetPortRange: { start: number | null; end: number | null } | null;
}

export interface ManagedBalancer {
  id: string;
  listenerLan: number;
  targetLan: number;
  ips: readonly string[];
  lbPrivateIps: readonly string[];
  centralLogging?: boolean;
}

export type Algorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTION' | 'RANDOM' | 'SOURCE_IP';

export interface NetworkLoadBalancer extends ManagedBalancer {
  forwardingRules: readonly NetworkForwardingRule[];
}

export interface NetworkForwardingRule {
  id: string;
  algorithm: Algorithm;
  protocol: 'TCP' | 'HTTP';
  listenerIp: string;
  listenerPort: number;
  healthCheck?: {
    clientTimeout: number | null;
    connectTimeout: number | null;
    targetTimeout: number | null;
    retries: number | null;
  } | null;
  targets: readonly NetworkTarget[];
}

export type ProxyProtocol = 'none' | 'v1' | 'v2' | 'v2ssl';

export interface NetworkTarget {
  ip: string;
  port: number;
  weight: number;
  proxyProtocol?: ProxyProtocol | null;
  healthCheck: { check?: boolean | null; checkInterval?: number | null; maintenance?: boolean | null } | null;
}

export interface ApplicationLoadBalancer extends ManagedBalancer {
  forwardingRules: readonly ApplicationForwardingRule[];
}

export interface ApplicationForwardingRule {
  id: string;
  protocol: 'HTTP';
  listenerIp: string;
  listenerPort: number;
  clientTimeout?: number | null;
  serverCertificates?: readonly string[];
  httpRules: readonly HttpRule[];
}

export interface HttpRule {
  name: string;
  type: 'FORWARD' | 'STATIC' | 'REDIRECT';
  targetGroup: string | null;
  dropQuery: boolean | null;
  location: string | null;
  statusCode: number | null;
  responseMessage: string | null;
  contentType: string | null;
  conditions: readonly HttpCondition[];
}

export interface HttpCondition {
  type: 'HEADER' | 'PATH' | 'QUERY' | 'METHOD' | 'HOST' | 'COOKIE' | 'SOURCE_IP';
  condition: 'EXISTS' | 'CONTAINS' | 'EQUALS' | 'MATCHES' | 'STARTS_WITH' | 'ENDS_WITH' | null;
  negate: boolean | null;
  key: string | null;
  value: string | null;
}

export interface TargetGroup {
  id: string;
  algorithm: Algorithm;
  protocolVersion?: 'HTTP1' | 'HTTP2' | null;
  targets: readonly GroupTarget[];
  healthCheck?: { checkTimeout: number | null; checkInterval: number | null; retries: number | null } | null;
  httpHealthCheck?: HttpHealthCheck | null;
}

export interface HttpHealthCheck {
  path: string | null;
  method: string | null;
  matchType: 'STATUS_CODE' | 'RESPONSE_BODY';
  response: string;
  regex: boolean | null;
  negate: boolean | null;
}

export interface GroupTarget {
  ip: string;
  port: number;
  weight: number;
  proxyProtocol?: ProxyProtocol | null;
  healthCheckEnabled: boolean | null;
  maintenanceEnabled: boolean | null;
}

export interface LoadBalancer {
  id: string;
  ip: string | null;
  balancedNics: readonly string[];
}

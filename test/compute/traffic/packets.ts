// Packets of black-box tests, and the resources on their path, created by API calls.
import assert from 'node:assert/strict';
import { addServer, read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { type Answer, type CallOptions, createDone, type Region, type ResourceBody } from '../../harness/region.ts';

export interface OutcomeRule {
  id: string;
  type: string;
  name: string | null;
  of: { id: string; type: string };
  httpRule?: string;
}

export interface OutcomeHop {
  type?: string;
  id?: string | null;
  datacenterId?: string | null;
  serverId?: string;
  sourceIp: string | null;
  targetIp: string;
  targetPort: number | null;
  action: string;
  reason: string;
  rule?: OutcomeRule | null;
  foreign?: true;
}

export interface OutcomeArrival {
  type?: string;
  id?: string;
  serverId?: string;
  datacenterId?: string;
  ip: string;
  port: number | null;
  foreign?: true;
  answer?: { statusCode: number; location: string | null; contentType: string | null; message: string | null };
}

export interface PacketOutcome {
  verdict: string;
  reason: string;
  rule: OutcomeRule | null;
  arrivedAt: OutcomeArrival | null;
  hops: OutcomeHop[];
}

export interface OutcomeSummary {
  sent: number;
  accepted: number;
  rejected: number;
  outcomes: (PacketOutcome & { count: number })[];
}

export const outside = { address: '203.0.113.7' };

export const post = (region: Region, body: object, options?: CallOptions): Promise<Answer> =>
  region.call('POST', '/lab/traffic', body, options);

// TCP to port 80 by default.
export async function send<T = PacketOutcome>(
  region: Region,
  from: string | object,
  address: string,
  more: object = {},
  options?: CallOptions,
): Promise<T> {
  const packet = {
    from: typeof from === 'string' ? { nicId: from } : from,
    to: { address, port: 80 },
    protocol: 'TCP',
    ...more,
  };
  const { status, body } = await post(region, packet, options);
  assert.equal(status, 200, `${JSON.stringify(packet)}: ${JSON.stringify(body)}`);
  return body as unknown as T;
}

export const reasons = ({ hops }: PacketOutcome): string[] =>
  hops.map(({ type, action, reason }) => `${type} ${action} ${reason}`);

export async function addLan(region: Region, datacenter: string, properties: object): Promise<number> {
  return Number((await createDone(region, `${datacenter}/lans`, { properties })).id);
}

export interface NicOfTest {
  id: string;
  path: string;
  server: string;
  ip: string;
  shown: ResourceBody;
}

// On a new server, or on the named one.
export async function addNic(region: Region, datacenter: string, properties: object, on?: string): Promise<NicOfTest> {
  const server = on ?? (await addServer(region, datacenter));
  const { id } = await createDone(region, `${server}/nics`, { properties });
  const path = `${server}/nics/${id}`;
  const shown = await read(region, path);
  return { id, path, server, ip: (shown.properties.ips as string[])[0] ?? '', shown };
}

export async function addBlock(region: Region, size: number): Promise<string[]> {
  const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size } });
  return block.properties.ips as string[];
}

export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

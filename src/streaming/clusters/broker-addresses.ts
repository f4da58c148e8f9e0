// The addresses on which the brokers of a cluster listen. Every cluster has its own loopback addresses, so that all of
// them, and other regions on this machine, can use port 9093. The addresses are drawn at random and probed; if they
// can't be bound, the brokers get free ports of 127.0.0.1. With an advertised host they listen on all addresses of the
// machine, at ports from the advertised one on.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { CertificatePair } from '../../base/certificate.ts';
import { randomHex } from '../../base/ids.ts';
import type { BrokerSpec } from '../engine/engine.ts';

export interface AddressSettings {
  advertised: { host: string; port: number } | undefined;
  onFallback?(): void; // the machine has no other loopback address than 127.0.0.1, such as macOS
}

// The brokers of a new cluster.
export interface AssignedBrokers {
  brokers: BrokerSpec[];
  authority?: CertificatePair; // absent: the cluster gets its own
  claims: string[]; // unique in the region
}

const brokerPort = 9093;
const brokerIds = [1, 2, 3];
const mostDraws = 20;

// `isTaken`: whether another cluster of the region uses an address. The names in the claims are unique in the region.
export async function drawBrokers(
  { advertised, onFallback }: AddressSettings,
  isTaken: (claim: string) => Promise<boolean>,
): Promise<BrokerSpec[]> {
  if (advertised) return fromPort(advertised, isTaken);
  for (let draws = 0; draws < mostDraws; draws++) {
    const brokers = onLoopback();
    if (await isAnyTaken(brokers, isTaken)) continue;
    const outcomes = await Promise.all(brokers.map(({ host, port }) => probe(host, port)));
    if (outcomes.every((outcome) => outcome !== undefined)) return brokers;
  }
  onFallback?.();
  return onFreePorts();
}

export const claimsOf = (brokers: readonly BrokerSpec[]): string[] =>
  brokers.map(({ host, port }) => `broker-address ${host}:${port}`);

async function isAnyTaken(
  brokers: readonly BrokerSpec[],
  isTaken: (claim: string) => Promise<boolean>,
): Promise<boolean> {
  for (const claim of claimsOf(brokers)) if (await isTaken(claim)) return true;
  return false;
}

// 127.16.0.1 to 127.239.255.3: operating systems use addresses below and above for themselves.
function onLoopback(): BrokerSpec[] {
  const [first = 0, second = 0] = Buffer.from(randomHex(2), 'hex');
  return brokerIds.map((id) => at(id, `127.${16 + (first % 224)}.${second}.${id}`, brokerPort));
}

async function onFreePorts(): Promise<BrokerSpec[]> {
  const ports = await Promise.all(brokerIds.map(() => probe('127.0.0.1', 0)));
  return brokerIds.map((id, index) => at(id, '127.0.0.1', ports[index] ?? 0));
}

async function fromPort(
  { host, port: first }: { host: string; port: number },
  isTaken: (claim: string) => Promise<boolean>,
): Promise<BrokerSpec[]> {
  const brokers: BrokerSpec[] = [];
  for (let port = first; brokers.length < brokerIds.length && port < 65_536; port++) {
    const broker = { id: brokers.length + 1, host: '0.0.0.0', port, advertised: { host, port } };
    if (!(await isAnyTaken([broker], isTaken)) && (await probe(broker.host, port)) !== undefined) brokers.push(broker);
  }
  return brokers;
}

const at = (id: number, host: string, port: number): BrokerSpec => ({ id, host, port, advertised: { host, port } });

// Returns the usable port; undefined if it is in use, or the address does not belong to this machine.
async function probe(host: string, port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}

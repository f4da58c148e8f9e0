// Where the brokers of a cluster listen. Every cluster has loopback addresses of its own, so that port 9093 holds for
// all of them and for other regions on this machine. They are drawn and probed; where such addresses can't be bound,
// the brokers get free ports of 127.0.0.1 instead. With an advertised host they listen on all addresses of the machine,
// at ports from the advertised one on.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { randomHex } from '../../base/ids.ts';
import type { BrokerSpec } from '../engine/engine.ts';

export interface AddressSettings {
  advertised: { host: string; port: number } | undefined;
  onFallback?(): void; // the machine has no loopback addresses but 127.0.0.1, as macOS
}

const brokerPort = 9093;
const brokerIds = [1, 2, 3];
const mostDraws = 20;

// `isTaken`: by another cluster of the region. The names in the claims are unique in the region.
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

// 127.16.0.1 to 127.239.255.3: below and above are addresses that systems use for themselves.
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

// The port that can be had; undefined: it is taken, or the address is none of this machine's.
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

// For tests: a group of three brokers on free ports with throwaway certificates, in its own folder.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificatePair, createAuthority, issueCertificate } from '../../base/certificate.ts';
import { createClock, machineTime } from '../../base/clock.ts';
import { type Fields, type Log, silent } from '../../base/log.ts';
import { type Broker, type BrokerOptions, brokerMemory, openBroker } from './broker.ts';
import type { BrokerMemory } from './connection/connection.ts';

export interface Certificates {
  authority: string;
  broker: CertificatePair;
  client: CertificatePair;
  ended: CertificatePair; // of a client, expired yesterday
}

const oneDay = { days: 1, now: machineTime };
const twoDaysMs = 2 * 86_400_000;

export async function createCertificates(): Promise<Certificates> {
  const authority = await createAuthority({ commonName: 'test authority', ...oneDay });
  const hosts = ['127.0.0.1', 'localhost'];
  return {
    authority: authority.certificate,
    broker: await issueCertificate(authority, { commonName: 'broker', hosts, ...oneDay }),
    client: await issueCertificate(authority, { commonName: 'admin', hosts: [], client: true, ...oneDay }),
    ended: await issueCertificate(authority, {
      commonName: 'admin',
      hosts: [],
      client: true,
      days: 1,
      now: () => machineTime() - twoDaysMs,
    }),
  };
}

export const testBrokerOptions = (folder: string, { authority, broker }: Certificates): BrokerOptions => ({
  clusterId: 'cumulet-test-cluster',
  folder,
  listeners: [1, 2, 3].map((nodeId) => ({ nodeId, host: '127.0.0.1', port: 0 })),
  tls: { key: broker.key, certificate: broker.certificate, authority },
  storageBytes: 1024 ** 3,
  initialRebalanceDelayMs: 20,
});

export interface TestBroker extends Broker {
  certificates: Certificates;
  errors: Fields[]; // that the broker logged
  warnings: Fields[];
  reopen(): Promise<void>; // in the same folder, at the same addresses
}

export async function openTestBroker(
  options: Partial<BrokerOptions> = {},
  memory: BrokerMemory = brokerMemory(256 * 1024 * 1024, createClock()),
): Promise<TestBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-broker-'));
  const certificates = await createCertificates();
  const errors: Fields[] = [];
  const warnings: Fields[] = [];
  const log: Log = {
    ...silent,
    warn: (message, fields) => warnings.push({ message, ...fields }),
    error: (message, fields) => errors.push({ message, ...fields }),
  };
  const given = { ...testBrokerOptions(folder, certificates), ...options };
  const services = { clock: createClock(), log, memory };
  let broker = await openBroker(given, services);
  const listeners = broker.cluster.nodes.all.map(({ id, host, port }) => ({ nodeId: id, host, port }));
  return {
    certificates,
    errors,
    warnings,
    get cluster() {
      return broker.cluster;
    },
    get listeners() {
      return broker.listeners;
    },
    get addresses() {
      return broker.addresses;
    },
    startNode: (id) => broker.startNode(id),
    stopNode: (id) => broker.stopNode(id),
    enforceRetention: () => broker.enforceRetention(),
    async reopen() {
      await broker.close();
      broker = await openBroker({ ...given, listeners }, services);
    },
    async close() {
      await broker.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

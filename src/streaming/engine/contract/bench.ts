// An engine with a cluster, for the contract suite and for tests with Apache Kafka.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificatePair } from '../../../base/certificate.ts';
import { createClock, machineTime } from '../../../base/clock.ts';
import { uuid } from '../../../base/ids.ts';
import { silent } from '../../../base/log.ts';
import type { Reached } from '../../../testing/kafkajs.ts';
import { createCertificates, issueUserCertificate } from '../../access/certificates.ts';
import { drawBrokers } from '../../clusters/broker-addresses.ts';
import type { ClusterSpec, StreamingEngine } from '../engine.ts';
import { openStreamingEngine } from '../open.ts';

export const openEngine = (address: string, folder: string): Promise<StreamingEngine> => {
  const services = { clock: createClock(), log: silent, clusterLog: () => silent };
  return openStreamingEngine({ address, folder, flushMs: 1_000, ...services });
};

export interface DescribedCluster {
  spec: ClusterSpec;
  reached: Reached;
  authority: CertificatePair;
}

// Returns what an engine needs to start a cluster, and what a client needs to connect to it.
export async function describeCluster(id: string): Promise<DescribedCluster> {
  const brokers = await drawBrokers({ advertised: undefined }, async () => false);
  const hosts = brokers.map(({ host }) => host);
  const certificates = await createCertificates(id, hosts, machineTime);
  const authority = certificates.authority.certificate;
  const client = await issueUserCertificate(certificates.authority, 'admin', machineTime);
  return {
    authority: certificates.authority,
    spec: { id, brokers, authority, certificate: certificates.brokers, storageBytes: 1024 ** 3 },
    reached: {
      addresses: brokers.map(({ advertised: { host, port } }) => `${host}:${port}`),
      certificates: { authority, client },
    },
  };
}

// Clusters that an operator runs for a region: each with its line for the list of brokers.
export interface OperatedClusters extends AsyncDisposable {
  lines: string[];
  list(...indices: number[]): string; // writes these lines to the list, and returns the address of it
  start(index: number): Promise<void>;
  stop(index: number): Promise<void>;
  engine: StreamingEngine;
  ids: string[];
  reached: Reached[];
}

// A cluster of the region on one line of the list of its engine.
export async function clusterOn(engine: StreamingEngine, index: number): Promise<ClusterSpec> {
  const set = engine.outside?.sets()[index];
  assert.ok(set);
  const brokers = set.addresses.map((one, at) => ({ id: at + 1, ...one, advertised: one }));
  const { brokers: certificate } = await createCertificates(uuid(), ['127.0.0.1'], machineTime, set.authority);
  return { id: uuid(), brokers, authority: set.authority.certificate, certificate, storageBytes: 0 };
}

export async function operateClusters(address: string, folder: string, count: number): Promise<OperatedClusters> {
  const engine = await openEngine(address, join(folder, 'operated'));
  const clusters = await Promise.all(Array.from({ length: count }, () => describeCluster(uuid())));
  const start = async (index: number): Promise<void> =>
    void (await engine.start((clusters[index] as DescribedCluster).spec));
  const ids = clusters.map(({ spec: { id } }) => id);
  const lines = clusters.map(({ authority, reached }, index) => {
    writeFileSync(join(folder, `ca-${index}.pem`), authority.certificate);
    writeFileSync(join(folder, `ca-${index}-key.pem`), authority.key);
    return `kafka://${reached.addresses.join(',')}?ca=ca-${index}.pem&ca-key=ca-${index}-key.pem`;
  });
  const operated: OperatedClusters = {
    engine,
    ids,
    reached: clusters.map(({ reached }) => reached),
    lines,
    list(...indices) {
      const file = join(folder, 'brokers.list');
      writeFileSync(file, `# one cluster per line\n\n${indices.map((index) => lines[index]).join('\n')}\n`);
      return `kafka+list:${file}`;
    },
    start,
    stop: (index) => engine.stop(ids[index] ?? ''),
    async [Symbol.asyncDispose]() {
      for (const id of ids) await engine.remove(id);
      await engine.close();
    },
  };
  for (const index of clusters.keys()) await start(index);
  return operated;
}

// An engine with a cluster, for the contract suite and for tests with Apache Kafka.
import { createClock, machineTime } from '../../../base/clock.ts';
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

// Returns what an engine needs to start a cluster, and what a client needs to connect to it.
export async function describeCluster(id: string): Promise<{ spec: ClusterSpec; reached: Reached }> {
  const brokers = await drawBrokers({ advertised: undefined }, async () => false);
  const hosts = brokers.map(({ host }) => host);
  const certificates = await createCertificates(id, hosts, machineTime);
  const authority = certificates.authority.certificate;
  const client = await issueUserCertificate(certificates.authority, 'admin', machineTime);
  return {
    spec: { id, brokers, authority, certificate: certificates.brokers, storageBytes: 1024 ** 3 },
    reached: {
      addresses: brokers.map(({ advertised: { host, port } }) => `${host}:${port}`),
      certificates: { authority, client },
    },
  };
}

// Outside brokers, which the operator runs: each set of the list is one cluster. They trust the authority of their
// line, whose key signs the certificates of users; the operator adds the name in `brokerName` to their super users.
import { issueCertificate } from '../../../../base/certificate.ts';
import { machineTime } from '../../../../base/clock.ts';
import { Fault } from '../../../../base/fault.ts';
import {
  type BrokerSet,
  brokerName,
  type ClusterHandle,
  type ClusterSpec,
  type EngineOptions,
  type StreamingEngine,
} from '../../engine.ts';
import { emptyBrokers, leftoversOf } from '../client/cleaning.ts';
import { KafkaClient } from '../client/client.ts';
import { createTopic, deleteTopic, topicFacts } from '../client/topics.ts';
import { figuresOf } from '../figures.ts';
import { BrokerList } from './broker-list.ts';

const noMetrics = { bytesIn: 0, bytesOut: 0, requests: 0, connections: 0, refused: 0 };
const ours: ClusterHandle = { outside: true };

export function openOutside({ address, log }: Pick<EngineOptions, 'address' | 'log'>): StreamingEngine {
  const list = new BrokerList(address, log);
  const running = new Map<string, KafkaClient>();
  const unlisted = new Set<string>(); // reported clusters
  const clientOf = (id: string): KafkaClient => {
    const client = running.get(id);
    if (!client) throw new Fault('unavailable', `cluster ${id} is not running`, { retryAfterS: 1 });
    return client;
  };
  const stop = async (id: string): Promise<void> => {
    const client = running.get(id);
    running.delete(id);
    await client?.close();
  };
  // A cluster keeps its brokers when its line is removed, because its row has their addresses too. Undefined: another
  // engine created it.
  const connect = (spec: ClusterSpec, handle?: ClusterHandle): KafkaClient | undefined => {
    const set = list.find(spec.authority);
    if (!set && handle?.outside !== true) return undefined;
    if (!set && !unlisted.has(spec.id)) {
      unlisted.add(spec.id);
      log.warn('the list of this node lacks the brokers of a cluster, so it uses the addresses in the state', {
        cluster: spec.id,
        brokers: spec.brokers.map(({ advertised: { host, port } }) => `${host}:${port}`),
      });
    }
    const addresses = set?.addresses ?? spec.brokers.map(({ advertised }) => advertised);
    return new KafkaClient(addresses, { authority: spec.authority, ...spec.certificate });
  };

  return {
    outside: { sets: () => list.read(), leftovers: (set) => withClient(set, leftoversOf) },
    async start(spec, handle) {
      if (running.has(spec.id)) return ours;
      const client = connect(spec, handle);
      if (!client)
        throw new Fault(
          'refused',
          'Another streaming engine created this cluster. Start the region with that engine, or delete the cluster.',
        );
      try {
        await client.metadata([]);
      } catch (error) {
        await client.close();
        throw error;
      }
      if (running.has(spec.id))
        await client.close(); // started by another call in the meantime
      else running.set(spec.id, client);
      return ours;
    },
    stop,
    async remove(id, handle, spec) {
      const client = running.get(id) ?? (spec && connect(spec, handle));
      if (!client || !spec) return stop(id);
      running.set(id, client);
      try {
        await emptyBrokers(client, log);
      } catch (error) {
        // Brokers that were taken out of the list may have been switched off; they are not assigned again.
        if (list.find(spec.authority)) throw error;
        log.warn('the topics of a deleted cluster stay on brokers that the list lacks', { cluster: id, error });
      }
      await stop(id);
    },
    createTopic: async (id, topic) => createTopic(clientOf(id), topic),
    deleteTopic: async (id, name) => deleteTopic(clientOf(id), name),
    topics: async (id) => topicFacts(clientOf(id)),
    figures: async (id) => figuresOf(clientOf(id), noMetrics),
    async tidy() {},
    async close() {
      for (const id of [...running.keys()]) await stop(id);
    },
  };
}

async function withClient<T>(set: BrokerSet, work: (client: KafkaClient) => Promise<T>): Promise<T> {
  const request = { commonName: brokerName, hosts: [], days: 1, now: machineTime, client: true };
  const certificate = await issueCertificate(set.authority, request);
  const client = new KafkaClient(set.addresses, { authority: set.authority.certificate, ...certificate });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

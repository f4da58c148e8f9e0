// External brokers: kafka://HOST:PORT,HOST:PORT?ca=FILE&ca-key=FILE. They are one cluster, so the region can have only
// one. They trust the authority in that file, whose key signs the certificates of users; the operator of the brokers
// adds the name in `brokerName` to their super users.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CertificatePair } from '../../../base/certificate.ts';
import { Fault } from '../../../base/fault.ts';
import type { StreamingEngine } from '../engine.ts';
import { KafkaClient } from './client/client.ts';
import type { BrokerAddress } from './client/connection.ts';
import { createTopic, deleteTopic, topicFacts } from './client/topics.ts';
import { figuresOf } from './figures.ts';

const noMetrics = { bytesIn: 0, bytesOut: 0, requests: 0, connections: 0, refused: 0 };

export function openExternal(address: string): StreamingEngine {
  const { addresses, authority } = parse(address);
  let running: { id: string; client: KafkaClient } | undefined;
  const clientOf = (id: string): KafkaClient => {
    if (running?.id !== id) throw new Fault('unavailable', `cluster ${id} is not running`);
    return running.client;
  };
  const stop = async (id: string): Promise<void> => {
    if (running?.id !== id) return;
    await running.client.close();
    running = undefined;
  };

  return {
    external: { addresses, authority },
    async start({ id, authority: trusted, certificate }) {
      if (running && running.id !== id)
        throw new Fault(
          'refused',
          'The external brokers are one cluster, and the region uses it already. Delete that cluster first.',
        );
      const client = running?.client ?? new KafkaClient(addresses, { authority: trusted, ...certificate });
      await client.metadata([]);
      running = { id, client };
      return {};
    },
    stop,
    remove: stop, // the topics stay: they may be older than our cluster
    createTopic: async (id, topic) => createTopic(clientOf(id), topic),
    deleteTopic: async (id, name) => deleteTopic(clientOf(id), name),
    topics: async (id) => topicFacts(clientOf(id)),
    figures: async (id) => figuresOf(clientOf(id), noMetrics),
    async tidy() {},
    close: async () => (running ? stop(running.id) : undefined),
  };
}

export function parse(address: string): { addresses: BrokerAddress[]; authority: CertificatePair } {
  const [, hosts = '', query = ''] = /^kafka:\/\/([^/?]+)\/?(?:\?(.*))?$/.exec(address) ?? [];
  const addresses = hosts.split(',').map((one) => {
    const [, host = '', port = '9093'] = /^(.+?)(?::(\d+))?$/.exec(one) ?? [];
    return { host, port: Number(port) };
  });
  const files = new URLSearchParams(query);
  const [certificate, key] = [files.get('ca'), files.get('ca-key')];
  if (hosts === '' || !certificate || !key)
    throw new Fault('refused', 'external brokers need an address like kafka://HOST:PORT,…?ca=FILE&ca-key=FILE');
  const authority = { certificate: read(certificate), key: read(key) };
  if (!new X509Certificate(authority.certificate).checkPrivateKey(createPrivateKey(authority.key)))
    throw new Fault('refused', `${key} is not the key of ${certificate}`);
  return { addresses, authority };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Fault('refused', `${file} can't be read`, { cause });
  }
}

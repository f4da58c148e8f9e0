// Apache Kafka itself as engine: three nodes for each cluster, each a Java process that is broker and controller, from
// the jars in a folder. The processes keep running when the region stops, and the next start adopts them.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../../../base/fault.ts';
import type { ClusterSpec, EngineOptions, StreamingEngine } from '../../engine.ts';
import { KafkaClient } from '../client/client.ts';
import { createTopic, deleteTopic, topicFacts } from '../client/topics.ts';
import { figuresOf } from '../figures.ts';
import { isInstalled } from '../install.ts';
import { sumOfMetrics } from './metrics.ts';
import { endNodes, Nodes, removeFolder } from './nodes.ts';

interface Running {
  nodes: Nodes;
  client: KafkaClient;
}

const startMs = 240_000;
const stopMs = 10_000;
const pollMs = 200;
const nodeIds = [1, 2, 3];

export function openApacheKafka(options: EngineOptions, installation: string): StreamingEngine {
  if (!isInstalled(installation))
    throw new Fault(
      'refused',
      `${installation} has no jars of Apache Kafka; run streaming install-kafka to download them`,
    );
  const running = new Map<string, Promise<Running>>();
  let isClosed = false;
  const folderOf = (id: string): string => join(options.folder, id);
  const find = async (id: string): Promise<Running> => {
    const found = running.get(id);
    if (!found) throw new Fault('unavailable', `cluster ${id} is not running`);
    return found;
  };
  const clientOf = async (id: string): Promise<KafkaClient> => (await find(id)).client;
  const forget = async (id: string): Promise<void> => {
    const found = await running.get(id)?.catch(() => undefined);
    running.delete(id);
    found?.nodes.leave();
    await found?.client.close();
  };
  const open = async (spec: ClusterSpec): Promise<Running> => {
    const log = options.clusterLog(spec.id);
    const nodes = new Nodes(spec, { java: 'java', installation, folder: folderOf(spec.id), log });
    await nodes.start();
    const addresses = nodes.ports.map(({ internal }) => ({ host: '127.0.0.1', port: internal }));
    return { nodes, client: new KafkaClient(addresses, { authority: spec.authority, ...spec.certificate }) };
  };

  return {
    async start(spec) {
      if (isClosed) throw new Fault('unavailable', 'the region is stopping');
      const opening = running.get(spec.id) ?? open(spec);
      running.set(spec.id, opening);
      opening.catch(() => running.delete(spec.id));
      const { nodes, client } = await opening;
      await untilUp(client, () => running.has(spec.id));
      return { processes: spec.brokers.map(({ id }) => ({ ...nodes.handle(id) })) };
    },
    async stop(id) {
      await forget(id);
      await endNodes(folderOf(id), nodeIds, stopMs);
    },
    async remove(id) {
      await forget(id);
      await endNodes(folderOf(id), nodeIds, 0);
      removeFolder(folderOf(id));
    },
    createTopic: async (id, topic) => createTopic(await clientOf(id), topic),
    deleteTopic: async (id, name) => deleteTopic(await clientOf(id), name),
    topics: async (id) => topicFacts(await clientOf(id)),
    async figures(id) {
      const { nodes, client } = await find(id);
      return figuresOf(client, await sumOfMetrics(nodes.ports.map(({ metrics }) => metrics)));
    },
    async tidy() {}, // Kafka uses its own clock
    async close() {
      isClosed = true;
      for (const id of [...running.keys()]) await forget(id);
    },
  };
}

// Waits until every node sees all others: then a topic with three replicas can be created through any of them.
async function untilUp(client: KafkaClient, isWanted: () => boolean): Promise<void> {
  const limit = performance.now() + startMs;
  while (!(await client.isComplete())) {
    if (!isWanted()) throw new Fault('unavailable', 'the engine was closed before the brokers had started');
    if (performance.now() > limit) throw new Fault('unavailable', 'the brokers did not connect to each other in time');
    await wait(pollMs);
  }
}

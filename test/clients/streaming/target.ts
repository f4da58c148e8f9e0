// The cluster for clients: one of a region, on either engine.

import { startRegion } from '../../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilGone } from '../../streaming/clusters.ts';
import type { Credentials } from './journey.ts';

export interface Target extends Credentials {
  createTopic(name: string, partitions: number): Promise<void>;
  restart(): Promise<void>; // kill -9 of the region, and with it of the embedded brokers
  close(): Promise<void>;
}

// `engine`: as in `up --streaming`. The cluster is deleted at the end: the processes of Apache Kafka outlive a region.
export async function openTarget(engine: string): Promise<Target> {
  const region = await startRegion({ args: ['--streaming', engine] });
  try {
    const cluster = await addCluster(region);
    const { addresses, certificates } = await reach(region, cluster);
    return {
      addresses,
      authority: certificates.authority,
      ...certificates.client,
      createTopic: async (name, numberOfPartitions) =>
        void (await addTopic(region, cluster.id, { name, numberOfPartitions, replicationFactor: 3 })),
      async restart() {
        await region.kill();
        await region.start();
      },
      async close() {
        await region.call('DELETE', `${clusters}/${cluster.id}`);
        await untilGone(region, `${clusters}/${cluster.id}`);
        await region.stop();
      },
    };
  } catch (error) {
    await region.stop();
    throw error;
  }
}

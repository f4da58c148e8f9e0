// Which engine an address means: our own broker, or Apache Kafka, whose modules few regions need.
import { resolve } from 'node:path';
import { openEmbedded } from './embedded/engine.ts';
import type { EngineOptions, StreamingEngine } from './engine.ts';

const ownProcesses = 'kafka+jvm:';

export async function openStreamingEngine(options: EngineOptions): Promise<StreamingEngine> {
  const { address } = options;
  if (address.startsWith(ownProcesses)) {
    const { openApacheKafka } = await import('./apache/jvm/engine.ts');
    return openApacheKafka(options, resolve(address.slice(ownProcesses.length)));
  }
  if (address.startsWith('kafka://')) {
    const { openElsewhere } = await import('./apache/elsewhere.ts');
    return openElsewhere(address);
  }
  return openEmbedded(options);
}

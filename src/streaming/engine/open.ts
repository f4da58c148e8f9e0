// Which engine an address means: our own broker, or Apache Kafka.
import { resolve } from 'node:path';
import { openElsewhere } from './apache/elsewhere.ts';
import { openApacheKafka } from './apache/jvm/engine.ts';
import { openEmbedded } from './embedded/engine.ts';
import type { EngineOptions, StreamingEngine } from './engine.ts';

const ownProcesses = 'kafka+jvm:';

export async function openStreamingEngine(options: EngineOptions): Promise<StreamingEngine> {
  const { address } = options;
  if (address.startsWith(ownProcesses)) return openApacheKafka(options, resolve(address.slice(ownProcesses.length)));
  if (address.startsWith('kafka://')) return openElsewhere(address);
  return openEmbedded(options);
}

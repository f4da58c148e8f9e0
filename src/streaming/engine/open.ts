// Which engine an address means: our own broker, or Apache Kafka, whose modules few regions need.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isLinux } from '../../base/operating-system.ts';
import { openEmbedded } from './embedded/engine.ts';
import type { EngineOptions, StreamingEngine } from './engine.ts';

const ownProcesses = 'kafka+jvm:';

export async function openStreamingEngine(options: EngineOptions): Promise<StreamingEngine> {
  const { address } = options;
  if (address.startsWith(ownProcesses)) {
    if (!isLinux) throw linuxOnly();
    const { openApacheKafka } = await import('./apache/jvm/engine.ts');
    return openApacheKafka(options, resolve(address.slice(ownProcesses.length)));
  }
  if (address.startsWith('kafka://')) {
    const { openElsewhere } = await import('./apache/elsewhere.ts');
    return openElsewhere(address);
  }
  return openEmbedded(options);
}

// Its processes outlive the region, and are found again in /proc.
const linuxOnly = (): Fault =>
  new Fault(
    'refused',
    'Cumulet starts Apache Kafka itself on Linux only: name one that runs by --streaming kafka://…, or leave it out for ' +
      'the broker of its own.',
  );

// Opens a streaming engine by the scheme of its address: our own broker, or Apache Kafka. An engine is loaded when it
// is opened.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isLinux } from '../../base/operating-system.ts';
import {
  atBrokers,
  atFile,
  atFolder,
  type EngineTable,
  inDataFolder,
  opener,
} from '../../core/engines/engine-table.ts';
import type { EngineOptions, StreamingEngine } from './engine.ts';

type Open = (options: EngineOptions) => Promise<StreamingEngine>;

export const streamingEngines: EngineTable<Open> = {
  embedded: {
    at: inDataFolder,
    open: async (options) => (await import('./embedded/engine.ts')).openEmbedded(options),
  },
  'kafka+jvm': {
    at: atFolder,
    async open(options) {
      if (!isLinux) throw linuxOnly();
      const { openApacheKafka } = await import('./apache/jvm/engine.ts');
      return openApacheKafka(options, resolve(options.address.slice('kafka+jvm:'.length)));
    },
  },
  'kafka+list': { at: atFile, open: openOutsideBrokers },
  kafka: { at: atBrokers, open: openOutsideBrokers },
};

async function openOutsideBrokers(options: EngineOptions): Promise<StreamingEngine> {
  return (await import('./apache/outside/engine.ts')).openOutside(options);
}

export const openStreamingEngine: Open = async (options) => opener(streamingEngines, options.address)(options);

// The processes of this engine outlive the region, and are found again in /proc.
const linuxOnly = (): Fault =>
  new Fault(
    'refused',
    'Cumulet starts Apache Kafka itself on Linux only. Pass --streaming kafka://… for running brokers, or omit it ' +
      'for the embedded broker.',
  );

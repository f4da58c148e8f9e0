// The declaration of the event streaming product.
import type { Declaration } from '../surface/product.ts';
import { type StreamingSettings, streamingSettings } from './settings.ts';

export const streaming: Declaration<StreamingSettings> = {
  name: 'streaming',
  labels: { streaming: 'Streaming' },
  clientEndpoints: [{ name: 'kafka', path: '/streaming', host: 'kafka.<region>', isRegional: true }],
  settings: streamingSettings,
  resources: async () => (await import('./index.ts')).streamingResources,
  data: {
    part: { name: 'streaming', what: 'records of event streaming' },
    load: async () => (await import('./data.ts')).streamingData,
  },
  commands: [
    {
      name: 'streaming access',
      says: 'write the connection files of Kafka clients',
      load: async () => (await import('./access/access-command.ts')).access,
    },
    {
      name: 'streaming install-kafka',
      says: "download Apache Kafka's jars with Maven",
      load: async () => (await import('./engine/apache/install-command.ts')).installKafkaCommand,
    },
  ],
  open: async (context, ports, settings) => (await import('./product.ts')).openStreaming(context, ports, settings),
};

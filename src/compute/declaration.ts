// Core infrastructure.
import type { Declaration } from '../surface/product.ts';
import { type ComputeSettings, computeSettings } from './settings.ts';

export const compute: Declaration<ComputeSettings> = {
  name: 'compute',
  labels: { cloudapi: 'Core API' },
  clientEndpoints: [{ name: 'cloud', path: '/cloudapi/v6', host: 'api' }],
  settings: computeSettings,
  resources: async () => (await import('./index.ts')).computeResources,
  offer: async (file) => (await import('./catalogue/region-offer.ts')).regionOffer(file),
  commands: [
    {
      name: 'ssh',
      says: 'log in to a running server',
      load: async () => (await import('./machine/access/ssh.ts')).ssh,
    },
    {
      name: 'forward',
      says: 'forward a local port to a port of a server',
      load: async () => (await import('./machine/access/forward.ts')).forward,
    },
    {
      name: 'machines connect',
      says: 'connect standard input and output with a server, for ProxyCommand',
      load: async () => (await import('./machine/access/connect.ts')).connect,
    },
    {
      name: 'machines build',
      says: 'build the image of a distribution from its packages',
      load: async () => (await import('./machine/commands.ts')).buildImage,
    },
    {
      name: 'machines pull',
      says: 'pull and prepare an image before a server needs it',
      load: async () => (await import('./machine/commands.ts')).pullImage,
    },
  ],
  open: async (context, ports, settings) => (await import('./product.ts')).openCompute(context, ports, settings),
};

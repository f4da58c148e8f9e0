// An example of a product, which docs/adding-a-product.md explains.
import type { Declaration } from '../../surface/product.ts';
import { type EchoSettings, echoSettings } from './settings.ts';

export const echo: Declaration<EchoSettings> = {
  name: 'echo',
  settings: echoSettings,
  resources: async () => [(await import('./product.ts')).note],
  open: async (context, ports, settings) => (await import('./product.ts')).openEcho(context, ports, settings),
};

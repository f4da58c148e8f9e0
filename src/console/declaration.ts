// Declares the console.
import type { Declaration } from '../surface/product.ts';

export const console: Declaration = {
  name: 'console',
  open: async (context, ports) => (await import('./product.ts')).openConsole(context, ports),
};

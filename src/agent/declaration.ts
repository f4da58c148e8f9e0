// The tool server for agents.
import type { Declaration } from '../surface/product.ts';

export const agent: Declaration = {
  name: 'agent',
  commands: [
    {
      name: 'agent',
      says: 'give AI clients read-only tools (MCP)',
      load: async () => (await import('./command.ts')).agent,
    },
  ],
  open: async (context) => (await import('./product.ts')).openAgent(context),
};

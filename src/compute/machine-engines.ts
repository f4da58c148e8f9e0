// The engines of machines and disks by the scheme of their addresses. An engine is loaded when it is opened.
import { atSocket, builtIn, type EngineTable } from '../core/engines/engine-table.ts';
import type { Engines, EngineTools } from './machine/engines.ts';

type Open = (tools: EngineTools) => Promise<Engines>;

const openDocker: Open = async (tools) => (await import('./machine/engines.ts')).openDocker(tools);

export const machineEngines: EngineTable<Open> = {
  simulated: { at: builtIn, open: async (tools) => (await import('./machine/engines.ts')).openSimulated(tools) },
  docker: { at: builtIn, open: openDocker },
  'docker+unix': { at: atSocket, open: openDocker },
};

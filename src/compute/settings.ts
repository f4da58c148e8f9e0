// The settings of core infrastructure: which engine runs its machines.
import { assign, type Section } from '../config/section.ts';
import { numberOf, wrong } from '../config/setting-values.ts';
import { isAddressOf, shownForms } from '../core/engines/engine-table.ts';
import type { MachineSettings } from './machine/engines.ts';
import { machineEngines } from './machine-engines.ts';

export type ComputeSettings = MachineSettings;

export const computeSettings: Section<ComputeSettings> = {
  defaults: { engine: 'simulated', memoryMb: undefined, mostMachines: 100, takesMachines: false },
  engineOption: 'machines',
  options: {
    machines: {
      takes: 'ENGINE',
      help:
        'the engine that runs servers: simulated (nothing runs), docker (DOCKER_HOST or the default socket) or ' +
        'docker+unix:///PATH (a socket of Docker or Podman)',
      set: (values, text) => {
        if (!isAddressOf(machineEngines, text)) throw wrong('machines', shownForms(machineEngines), text);
        values.engine = text;
      },
    },
    'machines-here': {
      help: 'this node takes the machines over from the node that kept them, which must not run any more',
      set: (values) => assign(values, { takesMachines: true }),
    },
    'machines-memory': {
      takes: 'MB',
      help: 'memory limit for all real machines together (default: 80 % of the memory of the host)',
      set: (values, text) => assign(values, { memoryMb: numberOf('machines-memory', text, 256, 100_000_000, 'MB') }),
    },
    'machines-max': {
      takes: 'COUNT',
      help: 'maximum number of running real machines (default: 100)',
      set: (values, text) => assign(values, { mostMachines: numberOf('machines-max', text, 1, 10_000, 'a count') }),
    },
  },
};

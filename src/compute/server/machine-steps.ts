// Steps that make the real machine of a server match its handle. A simulated machine is its handle, so its steps have
// no work.
import type { Values } from '../../base/json.ts';
import type { Step, Task } from '../../core/resource.ts';
import type { MachineHandle } from '../machine/engine.ts';
import { undoneOrLeft } from '../machine/engine-gone.ts';
import type { ComputeTools } from '../tools.ts';

export const hasRealMachines = ({ machines }: ComputeTools): boolean => machines.abilities.realTime;

const handleIn = (hidden: Values | undefined): MachineHandle | undefined =>
  hidden?.machine as MachineHandle | undefined;

// Operations on a machine and the reconciler take turns. The id of the server is in every handle.
export const machineTurn = (id: string): string => `machine ${id}`;

const inTurn = ({ path, context: { store } }: Task<ComputeTools>, work: () => void | Promise<void>): Promise<void> =>
  store.runExclusive(machineTurn(path.split('/').at(-1) ?? ''), async () => work());

// Applies the handle to the machine; undone, the previous one. A new machine is destroyed.
export const machineStep = (name: string, late = false): Step<ComputeTools> => ({
  name,
  late,
  isNeeded: hasRealMachines,
  async run(task) {
    const [machine, before] = [handleIn(task.hidden), handleIn(task.hiddenBefore)];
    if (!machine || JSON.stringify(machine) === JSON.stringify(before)) return;
    await inTurn(task, () => task.context.tools.machines.apply(machine));
  },
  async undo(task) {
    const [machine, before] = [handleIn(task.hidden), handleIn(task.hiddenBefore)];
    const { machines } = task.context.tools;
    if (!machine || JSON.stringify(machine) === JSON.stringify(before)) return;
    await undoneOrLeft(() => inTurn(task, () => (before ? machines.apply(before) : machines.destroy(machine))));
  },
});

// Undone, the machine boots again: all its data is on its disks.
export const destroyStep: Step<ComputeTools> = {
  name: 'release',
  isNeeded: hasRealMachines,
  async run(task) {
    const machine = handleIn(task.hidden);
    if (machine) await inTurn(task, () => task.context.tools.machines.destroy(machine));
  },
  async undo(task) {
    const machine = handleIn(task.hidden);
    if (machine) await undoneOrLeft(() => inTurn(task, () => task.context.tools.machines.apply(machine)));
  },
};

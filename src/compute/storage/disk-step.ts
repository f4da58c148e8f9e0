// The step that creates a real disk with the content of its handle. New content is a new stored disk, so undoing it
// removes that one, and the previous disk is untouched. The reconciler removes disks that no row names.
import type { Values } from '../../base/json.ts';
import type { Step } from '../../core/resource.ts';
import type { DiskHandle } from '../machine/engine.ts';
import { undoneOrLeft } from '../machine/engine-gone.ts';
import type { ComputeTools } from '../tools.ts';

const handleIn = (hidden: Values | undefined): DiskHandle | undefined => hidden?.disk as DiskHandle | undefined;

// `isNew`: each operation has new content; otherwise it is the previous one.
export const diskStep = (name: string, isNew = true): Step<ComputeTools> => ({
  name,
  isNeeded: ({ machines }) => machines.abilities.realTime,
  async run({ hidden, context: { tools } }) {
    const disk = handleIn(hidden);
    if (disk) await tools.disks.apply(disk);
  },
  async undo({ hidden, context: { tools } }) {
    const disk = handleIn(hidden);
    if (disk && isNew) await undoneOrLeft(() => tools.disks.remove(disk));
  },
});

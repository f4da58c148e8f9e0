// Parts of commands, for tests that call them too often to start a process for each call, or while they run.
export { Fault } from '../../base/fault.ts';
export { askRegion } from '../../cli/admin/operations.ts';
export { checkStopped } from '../../cli/state/check.ts';
export { savedParts } from '../../region-data/parts.ts';

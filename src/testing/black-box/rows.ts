// How rows of the state are stored. Every black-box test loads this file, so it is a small one.
export { tables } from '../../core/state/engine.ts';
export { unpacked } from '../../core/state/sqlite/rows.ts';

// The stored state of a region that does not run, for tests that check it, or leave it as an older version would.
export { withChecksum } from '../../base/checked-json.ts';
export { createSeal } from '../../base/seal.ts';
export { type Difference, firstDifference } from '../../core/state/dump/dump.ts';
export { writeDump } from '../../core/state/dump/dump-file.ts';
export { readDump } from '../../core/state/dump/dump-reader.ts';
export type { DumpPage, StateEngine } from '../../core/state/engine.ts';
export { openState } from '../../core/state/open.ts';
export { Store } from '../../core/store.ts';
export { createSigner } from '../../identity/tokens/jwt.ts';

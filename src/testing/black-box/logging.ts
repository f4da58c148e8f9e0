// Log lines: the contract of engines and LogQL, for tests that compare them with programs of others, and the files of
// the embedded engine.
export { silent } from '../../base/log.ts';
export type { LogBench } from '../../logging/engine/contract/case.ts';
export { logContract } from '../../logging/engine/contract/contract.ts';
export { found, jobOf, newTenant } from '../../logging/engine/contract/lines.ts';
export { readManifest } from '../../logging/engine/embedded/manifest.ts';
export { openWriter } from '../../logging/engine/embedded/writer.ts';
export { openLogReader, openLogWriter } from '../../logging/engine/open.ts';
export { type MemoryLine, streamsOf } from '../../logging/logql/testing.ts';
export { LogThreads } from '../../logging/threads/threads.ts';

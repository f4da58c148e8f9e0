// The contract suite on the embedded engine: with default arenas, and with tiny ones, so that reads use blocks, some of
// them merged.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogBench } from '../contract/case.ts';
import { logContract } from '../contract/contract.ts';
import { openedIn } from './testing.ts';
import type { WriterOptions } from './writer.ts';

const open = (more: Partial<WriterOptions>, isTidied: boolean) => async (): Promise<LogBench> => {
  const folder = await mkdtemp(join(tmpdir(), 'logs-'));
  const { writer, reader, close } = await openedIn(folder, more);
  return {
    writer,
    reader,
    settle: async () => {
      while (isTidied && (await writer.tidy()));
    },
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
};

logContract('embedded', open({}, false));
logContract('embedded with small arenas', open({ arenaBytes: 1000, sealAfterMs: -1 }, true));

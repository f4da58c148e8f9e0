// The contract suite on the embedded engine: with default arenas, and with tiny ones, so that most reads use blocks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MetricBench } from '../contract/case.ts';
import { metricContract } from '../contract/contract.ts';
import { openedIn } from './testing.ts';
import type { WriterOptions } from './writer.ts';

const open = (more: Partial<WriterOptions>, tidied: boolean) => async (): Promise<MetricBench> => {
  const folder = await mkdtemp(join(tmpdir(), 'metrics-'));
  const { writer, reader, close } = await openedIn(folder, more);
  return {
    writer,
    reader,
    settle: async () => {
      while (tidied && (await writer.tidy()));
    },
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
};

metricContract('embedded', open({}, false));
metricContract('embedded with small arenas', open({ arenaSamples: 4, sealAfterMs: 0 }, true));

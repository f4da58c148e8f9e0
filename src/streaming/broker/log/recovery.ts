// Opens the segments of a log after any kind of stop. A torn end is truncated; segments after it can't be valid and are
// deleted. Then the batches that the saved state does not cover are replayed into the producers' state.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { makeFolder, syncFolder } from '../../../base/sync-folder.ts';
import { isCommitMarker } from '../wire/records.ts';
import type { EpochStart, LogState } from './log-state.ts';
import { ProducerStates } from './producer-state.ts';
import { Segment } from './segment.ts';

export interface RecoveredLog {
  segments: Segment[];
  producers: ProducerStates;
  startOffset: number;
  endOffset: number;
  epochs: EpochStart[];
}

export async function recoverLog(folder: string, state: LogState, clock: Clock): Promise<RecoveredLog> {
  await makeFolder(folder);
  const { segments, endOffset } = await openSegments(folder, state.startOffset, clock.now());
  const first = segments[0] as Segment;
  const isUsable = state.endOffset <= endOffset;
  const producers = new ProducerStates();
  const epochs = isUsable ? [...state.epochs] : [];
  if (isUsable) producers.restore(state);
  const from = isUsable ? state.endOffset : first.baseOffset;
  for (const segment of segments.filter((_, at) => (segments[at + 1]?.baseOffset ?? endOffset) > from))
    await replay(segment, from, { producers, epochs, nowMs: clock.real() });
  return { segments, producers, epochs, endOffset, startOffset: Math.max(state.startOffset, first.baseOffset) };
}

async function openSegments(folder: string, startOffset: number, nowMs: number) {
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.endsWith('.cleaned'))) await rm(join(folder, name));
  const bases = names.filter((name) => /^\d{20}\.log$/.test(name)).map((name) => Number.parseInt(name, 10));
  const segments: Segment[] = [];
  let endOffset = startOffset;
  let isCut = false;
  for (const base of bases.toSorted((a, b) => a - b)) {
    const segment = new Segment(folder, base, nowMs);
    if (isCut) {
      await segment.delete();
      continue;
    }
    const { nextOffset, wasCut } = await segment.recover();
    isCut = wasCut;
    endOffset = Math.max(nextOffset, startOffset);
    segments.push(segment);
  }
  if (segments.length === 0) {
    const segment = new Segment(folder, startOffset, nowMs);
    await segment.handle();
    await syncFolder(folder);
    segments.push(segment);
  }
  return { segments, endOffset };
}

async function replay(
  segment: Segment,
  from: number,
  { producers, epochs, nowMs }: { producers: ProducerStates; epochs: EpochStart[]; nowMs: number },
): Promise<void> {
  for await (const { header, bytes } of segment.scan(segment.index.positionOf(from), false)) {
    if (header.baseOffset < from) continue;
    if (header.leaderEpoch > (epochs.at(-1)?.epoch ?? -1))
      epochs.push({ epoch: header.leaderEpoch, startOffset: header.baseOffset });
    if (header.isControl) producers.endTransaction(header, isCommitMarker(bytes, header), nowMs);
    else producers.append(header, nowMs);
  }
}

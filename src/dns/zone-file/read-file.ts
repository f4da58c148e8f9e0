// Parses zone files in a thread, because a long one takes seconds.
import { Fault } from '../../base/fault.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { LostCall, WorkerPool } from '../../core/threads/worker-pool.ts';
import type { FileLines } from './records-in-file.ts';

export interface ZoneFileCalls {
  read(given: { bytes: Uint8Array; zoneName: string; zoneId: string }): FileLines;
}

export interface FileRecord {
  name: string; // below the zone
  body: string; // of its row
}

export interface ZoneFile extends Omit<FileLines, 'lines'> {
  wanted: ReadonlyMap<string, FileRecord>; // by claim
}

const threads = new WorkerPool<ZoneFileCalls>({
  name: 'The reader of zone files',
  module: new URL('./worker.ts', import.meta.url),
  threads: 2,
  sharedThreads: 1,
  callsPerThread: 1,
  waitingPerGroup: 20,
  idleMs: 5000,
  resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
});
const deadlineMs = 120_000;

export async function readZoneFile(
  bytes: Uint8Array,
  zoneName: string,
  zoneId: string,
  contract: number,
): Promise<ZoneFile> {
  try {
    const call = { bytes, zoneName, zoneId };
    const { lines, ...figures } = await threads.call('read', call, { group: String(contract), deadlineMs });
    return { ...figures, wanted: await recordsIn(lines) };
  } catch (error) {
    if (!(error instanceof LostCall) || error.reason === 'other') throw error;
    throw new Fault('refused', 'Reading the zone file takes too long or too much memory. Send a shorter one.');
  }
}

async function recordsIn(lines: Uint8Array): Promise<Map<string, FileRecord>> {
  const slice = new TimeSlice();
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const records = new Map<string, FileRecord>();
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf(10, from);
    const [name = '', claim = '', body = ''] = text.toString('utf8', from, end).split('\t');
    records.set(claim, { name, body });
    from = end + 1;
    await slice.pause();
  }
  return records;
}

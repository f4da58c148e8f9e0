// A flow log with an unwritable bucket is paused: its flows wait, it is shown as INACTIVE, and one audit entry is
// written. The capture row is the truth. The mark in the flow log's own row is set when no operation changes that row.
import type { Clock } from '../../base/clock.ts';
import type { Values } from '../../base/json.ts';
import { appendEntry, type Entry } from '../../core/audit/audit-log.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { bucketOf, type Capture, captureOf } from './capture-rows.ts';

interface PauseTools {
  store: Store;
  clock: Pick<Clock, 'now'>;
}

const mark = '"paused":true';

export const isShownPaused = ({ hidden }: Pick<Row, 'hidden'>): boolean => hidden.includes(mark);

// The capture row after the change.
export async function writePause({ store, clock }: PauseTools, row: Row, isPaused: boolean): Promise<Row> {
  const capture = captureOf(row);
  if ((capture.pausedAt !== null) === isPaused) return row;
  const now = clock.now();
  const next = { ...row, body: JSON.stringify({ ...capture, pausedAt: isPaused ? now : null } satisfies Capture) };
  const outcome = await store.apply([
    { op: 'update', table: 'resource', row: next },
    appendEntry(capture.contract, entryOf(capture, isPaused), now),
  ]);
  if (!outcome.ok) throw new Error('another node publishes the same flow log');
  return { ...next, version: row.version + 1 };
}

// A pending change or removal owns the flow log's row; the next run shows the state then.
export async function showPause({ store }: PauseTools, row: Row, flowLog: Row): Promise<void> {
  const isPaused = captureOf(row).pausedAt !== null;
  if (isShownPaused(flowLog) === isPaused || flowLog.state !== 'AVAILABLE') return;
  const { paused: _, ...rest } = flowLog.hidden ? (JSON.parse(flowLog.hidden) as Values) : {};
  const hidden = JSON.stringify(isPaused ? { ...rest, paused: true } : rest);
  await store.apply([{ op: 'update', table: 'resource', row: { ...flowLog, hidden } }]);
}

function entryOf({ path, bucket }: Capture, isPaused: boolean): Entry {
  const { name } = bucketOf(bucket);
  return {
    type: isPaused ? 'Error' : 'Provision',
    user: '',
    userId: '',
    address: '',
    host: '',
    service: 'cloudapi',
    method: '',
    uri: `/${path}`,
    operation: isPaused ? 'flowlog_pause' : 'flowlog_resume',
    resources: [
      {
        id: path.slice(path.lastIndexOf('/') + 1),
        type: 'flowlog',
        action: [isPaused ? 'net.flowlog.pause' : 'net.flowlog.resume'],
      },
    ],
    message: isPaused
      ? `The flow log is paused: its bucket ${name} does not exist or is not writable.`
      : `The flow log continues: its bucket ${name} is writable again.`,
  };
}

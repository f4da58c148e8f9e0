// The resources that ran when a month began. They are stored when the month before is closed, so that a bill reads only
// the marks of that month, regardless of the region's age.
import type { Mark } from '../../core/metering/meter.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

export interface RunningMark extends Mark {
  since: number;
}

export interface Opening {
  time: number;
  marks: RunningMark[];
}

const openingPlace = 'opening';
const marksPerRow = 200;
const timeText = (time: number): string => String(time).padStart(15, '0');

// The newest one at or before a moment; without one, nothing ran at the beginning.
export async function findOpening(store: Store, contract: number, time: number): Promise<Opening> {
  const scan = { contract, place: openingPlace, to: `${timeText(time)}~`, limit: 1, reverse: true };
  const [newest] = await store.range(scan, 'usage');
  if (!newest) return { time: 0, marks: [] };
  const prefix = newest.id.slice(0, newest.id.indexOf('-'));
  const marks: RunningMark[] = [];
  const rows = store.each({ contract, place: openingPlace, from: prefix, to: `${prefix}~` }, 'usage');
  for await (const row of rows) marks.push(...(JSON.parse(row.body) as RunningMark[]));
  return { time: newest.time, marks };
}

export function openingWrites(contract: number, time: number, marks: readonly RunningMark[]): Write[] {
  const writes: Write[] = [];
  for (let at = 0; at === 0 || at < marks.length; at += marksPerRow) {
    const id = `${timeText(time)}-${String(at).padStart(9, '0')}`;
    const body = JSON.stringify(marks.slice(at, at + marksPerRow));
    const row: Row = rowOf({ contract, place: openingPlace, id, kind: 'opening', time, body });
    writes.push({ op: 'insert', table: 'usage', row });
  }
  return writes;
}

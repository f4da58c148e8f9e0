// The offset of the platform's clock, stored in the state, so that a restart and other nodes continue from there.
import type { Clock } from '../base/clock.ts';
import { iso } from '../base/clock.ts';
import { type Row, rowOf, type Write } from './state/engine.ts';
import type { Store } from './store.ts';

const key = { contract: 0, place: 'lab', id: 'clock' };

export async function loadClockOffset(store: Store): Promise<number> {
  return offsetIn(await store.get(key.contract, key.place, key.id));
}

const offsetIn = (row: Row | undefined): number => (row ? (JSON.parse(row.body) as { offsetMs: number }).offsetMs : 0);

export async function advanceClock(store: Store, clock: Clock, ms: number): Promise<void> {
  const offset = await store.change(async () => {
    const row = await store.get(key.contract, key.place, key.id);
    const offsetMs = Math.max(offsetIn(row), clock.offset()) + ms;
    const next = { ...(row ?? rowOf(key)), kind: 'lab', body: JSON.stringify({ offsetMs }) };
    return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: offsetMs };
  });
  clock.advance(offset - clock.offset());
}

export const movesClock = (write: Write): boolean =>
  write.op === 'insert' || write.op === 'update' ? write.row.place === key.place && write.row.id === key.id : false;

export interface ClockReading {
  now: string;
  offsetMs: number;
}

export const readingOf = (clock: Pick<Clock, 'now' | 'offset'>): ClockReading => ({
  now: iso(clock.now()),
  offsetMs: clock.offset(),
});

// Another node may have moved it. True: it was moved here too.
export async function followClock(store: Store, clock: Clock): Promise<boolean> {
  const ahead = (await loadClockOffset(store)) - clock.offset();
  if (ahead <= 0) return false;
  clock.advance(ahead);
  return true;
}

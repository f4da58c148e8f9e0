// What of a dump is about buckets, and what about their content: a save point can be without the latter.
import type { DumpPage, DumpRow } from '../../core/state/engine.ts';
import { isContentCounter } from './bucket.ts';
import { bucketsPlace } from './places.ts';

// Buckets stay, with their settings, and are empty.
export function withoutObjects({ table, rows }: DumpPage): DumpPage {
  if (table === 'object') return { table, rows: rows.filter(isBucket) };
  if (table === 'counter') return { table, rows: rows.filter(([, name]) => !isContentCounter(String(name))) };
  return { table, rows };
}

const isBucket = ([, place]: DumpRow): boolean => place === bucketsPlace;

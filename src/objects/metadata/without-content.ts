// Separates buckets from their content in a dump: a save point can omit the content.
import type { DumpPage, DumpRow } from '../../core/state/engine.ts';
import { isContentCounter } from './bucket.ts';
import { bucketsPlace } from './places.ts';

// Keeps buckets with their settings, but empty.
export function withoutObjects({ table, rows }: DumpPage): DumpPage {
  if (table === 'object') return { table, rows: rows.filter(isBucket) };
  if (table === 'counter') return { table, rows: rows.filter(([, name]) => !isContentCounter(String(name))) };
  return { table, rows };
}

const isBucket = ([, place]: DumpRow): boolean => place === bucketsPlace;

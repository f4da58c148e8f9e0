// A dump without the documents of collections, for save points without data. Collections stay, and are empty.
import type { DumpPage } from '../../core/state/engine.ts';
import { isContentCounter } from './collection.ts';
import { chunkKind, documentKind, nameClaims } from './document.ts';

export function withoutDocuments({ table, rows }: DumpPage): DumpPage {
  if (table === 'resource') return { table, rows: rows.filter(([, , , kind]) => !kinds.has(String(kind))) };
  if (table === 'claim') return { table, rows: rows.filter(([, place]) => place !== nameClaims) };
  if (table === 'counter') return { table, rows: rows.filter(([, name]) => !isContentCounter(String(name))) };
  return { table, rows };
}

const kinds: ReadonlySet<string> = new Set([documentKind, chunkKind]);

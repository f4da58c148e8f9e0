// Seals the secrets in a dump with another key. A sealed value is recognised by opening it: AES-GCM authenticates, so
// no other text opens. No list of the places of secrets is needed, which a new product could forget to extend.
import type { Seal } from '../../../base/seal.ts';
import type { Dump, DumpPage, DumpRow, DumpTable } from '../engine.ts';
import { shapeOf } from './dump.ts';

// A nonce, a tag and something, in base64 as a whole text of JSON, or of JSON in a text of JSON.
const candidate = /(?<=")[A-Za-z0-9+/]{38,}={0,2}(?=\\*")/g;

export async function* resealed(pages: Dump, from: Seal, to: Seal): AsyncGenerator<DumpPage> {
  for await (const page of pages) yield resealedPage(page, from, to);
}

export function resealedPage({ table, rows }: DumpPage, from: Seal, to: Seal): DumpPage {
  const columns = textColumns(table);
  const change = (text: string): string => text.replaceAll(candidate, (found) => moved(found, from, to));
  return { table, rows: rows.map((row) => changed(row, columns, change)) };
}

function changed(row: DumpRow, columns: readonly number[], change: (text: string) => string): DumpRow {
  const next = [...row];
  for (const at of columns) next[at] = change(String(row[at]));
  return next;
}

const jsonColumns = new Set(['meta', 'body', 'hidden']);

const textColumns = (table: DumpTable): number[] =>
  shapeOf(table).columns.flatMap((name, at) => (jsonColumns.has(name) ? [at] : []));

function moved(found: string, from: Seal, to: Seal): string {
  let secret: string;
  try {
    secret = from.open(found);
  } catch {
    return found; // something else that looks like one
  }
  return to.close(secret);
}

// Save points without data: they keep resources and accounts, and drop samples, log lines, records, documents and the
// content of buckets.
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { machineTime } from '../../base/clock.ts';
import type { Dump, DumpPage } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import { products } from '../../products.ts';
import { stateFiles } from '../parts.ts';

export async function* withoutContent(pages: Dump): AsyncGenerator<DumpPage> {
  const loaded = await Promise.all(products.map(({ data }) => data?.load()));
  const cuts = loaded.flatMap((hooks) => hooks?.snapshot?.withoutContent ?? []);
  for await (const page of pages) {
    const kept = cuts.reduce((left, cut) => cut(left), page);
    if (kept.rows.length > 0) yield kept;
  }
}

// Rewrites the state in a folder that no region runs on. It is not durable until the folder is synced.
export async function dropContent(folder: string): Promise<void> {
  const draft = join(folder, 'rewritten');
  await mkdir(draft, { mode: 0o700 });
  const source = await openState(`sqlite:${folder}`, machineTime);
  try {
    await writeState(draft, withoutContent(source.dump()));
  } finally {
    await source.close();
  }
  for (const name of [...stateFiles, 'state.db-shm']) rmSync(join(folder, name), { force: true });
  for (const name of readdirSync(draft)) renameSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
}

// Creates the state of a folder that has none.
export async function writeState(folder: string, pages: Dump): Promise<void> {
  const engine = await openState(`sqlite:${folder}`, machineTime);
  try {
    await engine.load(pages, true);
  } finally {
    await engine.close();
  }
}

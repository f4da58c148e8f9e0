// Copies a whole state to another location and compares the two row by row. A target that is not empty is replaced
// only if asked to; if both are equal already, nothing is copied.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { quoted } from '../config/command-line.ts';
import {
  type Counts,
  type Difference,
  emptyCounts,
  firstDifference,
  tapped,
  totalOf,
} from '../core/state/dump/dump.ts';
import type { DumpPage, StateEngine } from '../core/state/engine.ts';
import { openOffline, type StateLocation } from './location.ts';

export interface Progress {
  begin(doing: string): void;
  page(page: DumpPage): void;
}

export interface Copied {
  from: string;
  to: string;
  wasEqual: boolean; // nothing had to be copied
  rows: Counts;
  total: number;
  tookMs: number;
  key: string; // what to do about the region's key
}

export async function copyState(
  from: StateLocation,
  to: StateLocation,
  replace: boolean,
  progress: Progress,
): Promise<Copied> {
  if (from.label === to.label) throw new Fault('refused', '--from and --to are the same state.');
  const began = performance.now();
  const source = await openOffline(from, 'source');
  try {
    const target = await openOffline(to, 'target');
    try {
      const { wasEqual, rows, key } = await copyBetween(source.engine, target.engine, from, to, replace, progress);
      const tookMs = Math.round(performance.now() - began);
      return { from: from.label, to: to.label, wasEqual, rows, total: totalOf(rows), tookMs, key };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBetween(
  source: StateEngine,
  target: StateEngine,
  from: StateLocation,
  to: StateLocation,
  replace: boolean,
  progress: Progress,
): Promise<Pick<Copied, 'wasEqual' | 'rows' | 'key'>> {
  // Secrets are resources, so a state that was ever used has some.
  const isEmpty = (await source.range('resource', { below: '', limit: 1 })).length === 0;
  if (isEmpty) throw new Fault('missing', `${from.label} is empty.`);
  let key = '';
  const load = async (over: boolean): Promise<void> => {
    progress.begin('Copying');
    await target.load(tapped(source.dump(), progress.page), over);
    key = copyKey(from, to); // at once, because the target is complete from here on, even if this process dies
  };
  const isCopied = await load(false).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Fault && error.kind === 'conflict') return false;
      throw error;
    },
  );
  let compared = await compare(source, target, progress);
  if (!isCopied && !compared.difference) return { wasEqual: true, rows: compared.rows, key: copyKey(from, to) };
  if (!isCopied) {
    if (!replace) throw different(to, compared.difference);
    await load(true);
    compared = await compare(source, target, progress);
  }
  if (compared.difference) throw changed(from, to, compared.difference);
  return { wasEqual: false, rows: compared.rows, key };
}

interface Compared {
  rows: Counts;
  difference: Difference | undefined;
}

async function compare(source: StateEngine, target: StateEngine, progress: Progress): Promise<Compared> {
  const rows = emptyCounts();
  progress.begin('Comparing');
  const difference = await firstDifference(source.dump(), target.dump(), (page) => {
    rows[page.table] += page.rows.length;
    progress.page(page);
  });
  return { rows, difference };
}

const at = (difference: Difference | undefined): string => `${difference?.table} ${difference?.key}`;

const different = (to: StateLocation, difference: Difference | undefined): Fault =>
  new Fault(
    'conflict',
    `${to.label} contains another state, which first differs at ${at(difference)}. Name an empty one, or pass ` +
      '--replace to overwrite it.',
  );

const changed = (from: StateLocation, to: StateLocation, difference: Difference): Fault =>
  new Fault(
    'unavailable',
    `${from.label} and ${to.label} differ at ${at(difference)} after the copy: one of them was changed during the copy. ` +
      'Stop all regions on both, and copy again with --replace.',
  );

// The state is useless without the key that sealed its secrets, so a copy between data folders includes the key. An
// existing key is renamed, not deleted.
function copyKey(from: StateLocation, to: StateLocation): string {
  if (from.folder === undefined) {
    if (to.folder === undefined) return "The region's key is unchanged: start nodes with the same --key FILE.";
    return `Put the region.key of the region's nodes into ${to.folder}, or name it by --key.`;
  }
  const key = join(from.folder, 'region.key');
  if (to.folder === undefined) return `Start nodes with --key ${quoted(key)}, or with a copy of it: they all need it.`;
  if (!existsSync(key)) return `${from.folder} has no region.key: put the right one into ${to.folder}.`;
  const target = join(to.folder, 'region.key');
  const text = readFileSync(key, 'utf8');
  if (existsSync(target)) {
    if (readFileSync(target, 'utf8') === text) return `The region.key in ${to.folder} is the right one.`;
    renameSync(target, `${target}.old`);
  }
  writeFileSync(`${target}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${target}.new`, target);
  return `The region.key was copied to ${to.folder}.`;
}

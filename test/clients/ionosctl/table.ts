// Commands of ionosctl as tables: each row is one command, what comes of it, and what later rows call it.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Shown } from '../../harness/region.ts';
import type { Ctl } from './ionosctl.ts';

export interface Row {
  run: string; // what stands after `ionosctl compute`, over several lines if need be; {name} is what a row has kept
  proves?: string; // requirement ids, for the title
  keep?: string; // the name under which the id of what it shows is kept
  take?: Record<string, string>; // names for other parts of what it shows, by their path
  shows?: Record<string, unknown>; // properties that it shows, among others
  finds?: [query: string, expected: unknown]; // what JMESPath finds in what it shows
  says?: RegExp; // what its table says
  fails?: RegExp; // it is refused, and says so
  waits?: false; // where ionosctl would ask for what can only be POSTed
}

export type Kept = Record<string, string>;

// A row has to do with what those before it have made, so the first that fails ends the table.
export async function runTable(t: TestContext, ctl: Ctl, rows: Row[], kept: Kept): Promise<void> {
  let broken = false;
  for (const row of rows) {
    const run = row.run.replace(/\s+/g, ' ');
    const title = row.proves ? `[${row.proves}] ${run}` : run;
    await t.test(title, { skip: broken ? 'a row before it failed' : false }, async () => {
      broken = true;
      await runRow(ctl, row, kept);
      broken = false;
    });
  }
}

async function runRow(ctl: Ctl, row: Row, kept: Kept): Promise<void> {
  const command = ['compute', ...wordsOf(row.run, kept), '--force', ...(row.waits === false ? [] : ['--wait'])];
  if (row.fails) assert.match(await ctl.fails(...command), row.fails);
  else if (row.says) assert.match(await ctl.text(...command), fill(row.says, kept));
  else if (row.finds) assert.deepEqual(await ctl.query(row.finds[0], ...command), filled(row.finds[1], kept));
  else if (row.keep || row.shows || row.take) show(await ctl.shown(...command), row, kept);
  else await ctl.text(...command);
}

function show(shown: Shown, { keep, take = {}, shows = {} }: Row, kept: Kept): void {
  if (keep) kept[keep] = shown.id;
  for (const [name, path] of Object.entries(take)) kept[name] = String(at(shown, path));
  const seen = Object.fromEntries(Object.keys(shows).map((name) => [name, shown.properties[name] ?? null]));
  assert.deepEqual(seen, filled(shows, kept));
}

const at = (shown: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown>)[name], shown);

const named = (text: string, kept: Kept): string =>
  text.replace(/\{([a-z]\w*)\}/gi, (_, name: string) => {
    assert.ok(Object.hasOwn(kept, name), `no row before has kept ${name}`);
    return kept[name] as string;
  });

// Split first, so that what was kept may have blanks.
const wordsOf = (run: string, kept: Kept): string[] => run.split(/\s+/).map((word) => named(word, kept));

const fill = (pattern: RegExp, kept: Kept): RegExp => new RegExp(named(pattern.source, kept), pattern.flags);

const filled = (expected: unknown, kept: Kept): unknown => JSON.parse(named(JSON.stringify(expected), kept));

// Commands of ionosctl as tables: each row is one command, its result, and names for later rows.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ResourceBody } from '../../harness/region.ts';
import type { Ctl } from './ionosctl.ts';

export interface Row {
  run: string; // the words after `ionosctl compute`, over several lines if necessary; {name} is a kept value
  proves?: string; // requirement ids, for the title
  keep?: string; // the name under which the id of the shown resource is kept
  take?: Record<string, string>; // names for other parts of the output, by their path
  shows?: Record<string, unknown>; // properties that it shows, among others
  finds?: [query: string, expected: unknown]; // the result of a JMESPath query on the output
  says?: RegExp; // matches its table
  fails?: RegExp; // it is refused with this output
  waits?: false; // ionosctl would poll a resource that can only be POSTed
}

export type Kept = Record<string, string>;

// A row depends on the rows before it, so the first failure ends the table.
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

function show(shown: ResourceBody, { keep, take = {}, shows = {} }: Row, kept: Kept): void {
  if (keep) kept[keep] = shown.id;
  for (const [name, path] of Object.entries(take)) kept[name] = String(at(shown, path));
  const seen = Object.fromEntries(Object.keys(shows).map((name) => [name, shown.properties[name] ?? null]));
  assert.deepEqual(seen, filled(shows, kept));
}

const at = (shown: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown>)[name], shown);

const named = (text: string, kept: Kept): string =>
  text.replace(/\{([a-z]\w*)\}/gi, (_, name: string) => {
    assert.ok(Object.hasOwn(kept, name), `no earlier row has kept ${name}`);
    return kept[name] as string;
  });

// Split first, because kept values may contain blanks.
const wordsOf = (run: string, kept: Kept): string[] => run.split(/\s+/).map((word) => named(word, kept));

const fill = (pattern: RegExp, kept: Kept): RegExp => new RegExp(named(pattern.source, kept), pattern.flags);

const filled = (expected: unknown, kept: Kept): unknown => JSON.parse(named(JSON.stringify(expected), kept));

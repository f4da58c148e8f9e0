// Prometheus' own cases of PromQL, from its Go module, which is fetched at test time. Each is run as Prometheus' own
// runner does. Unsupported features (native histograms, start timestamps) are skipped and counted; other failures must
// be listed with their reason.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Eval, fill, MemoryReader, parseScript, runEval } from '../../../src/testing/black-box/monitoring.ts';
import { find } from '../install.ts';
import { mustRun } from '../run.ts';

const module = 'github.com/prometheus/prometheus@v0.315.0';
const minShare = 0.95;
const go = find('CUMULET_GO', 'go');

// Cases that need names to be dropped late (promql-delayed-name-removal), which is optional in Prometheus.
// They pass here with the same option.
const lateNames = 'the cases are run with promql-delayed-name-removal, which is off by default, there and here';
const exceptions: Readonly<Record<string, string>> = {
  'histograms.test:1179': lateNames, // a warning names the metric
  'histograms.test:1184': lateNames,
  'histograms.test:1189': lateNames,
  'histograms.test:1200': lateNames,
  'histograms.test:1205': lateNames,
  'histograms.test:1210': lateNames,
  'name_label_dropping.test:59': lateNames, // a name is used after it was dropped
  'name_label_dropping.test:64': lateNames,
  'name_label_dropping.test:69': lateNames,
  'name_label_dropping.test:74': lateNames,
  'name_label_dropping.test:89': lateNames,
  'name_label_dropping.test:115': lateNames,
  'name_label_dropping.test:119': lateNames,
  'name_label_dropping.test:123': lateNames,
  'native_histograms.test:1908': lateNames,
  'native_histograms.test:1911': lateNames,
  'type_and_unit.test:77': lateNames, // the type and unit of a metric go with its name
  'type_and_unit.test:92': lateNames,
  'type_and_unit.test:222': lateNames,
  'type_and_unit.test:237': lateNames,
};

test("[METRIC-08] Prometheus' own cases of PromQL", { skip: go.skip ?? false }, async (t) => {
  const { stdout } = await mustRun([go.path as string, 'mod', 'download', '-json', module], { cwd: tmpdir() });
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  const folder = join(Dir, 'promql/promqltest/testdata');
  const total = { passed: 0, offered: 0, others: new Map<string, number>() };
  for (const file of readdirSync(folder).sort()) {
    await t.test(file, async (t) => {
      const { failed, passed, others } = await runFile(file, readFileSync(join(folder, file), 'utf8'));
      for (const [reason, count] of others) total.others.set(reason, (total.others.get(reason) ?? 0) + count);
      total.passed += passed;
      total.offered += passed + failed.length;
      t.diagnostic(
        `${passed} of ${passed + failed.length} pass; left out: ${JSON.stringify(Object.fromEntries(others))}`,
      );
      const unlisted = failed.filter(({ place, late }) => exceptions[place] !== lateNames || late !== undefined);
      assert.deepEqual(unlisted, []);
    });
  }
  const others = JSON.stringify(Object.fromEntries(total.others));
  t.diagnostic(`${total.passed} of ${total.offered} cases pass as they are; left out: ${others}`);
  assert.ok(total.offered > 1200, `only ${total.offered} cases were found`);
  assert.ok(total.passed / total.offered >= minShare);
});

interface Failure {
  place: string;
  query: string;
  early: string;
  late: string | undefined; // the problem that remains even with late names
}

async function runFile(
  file: string,
  text: string,
): Promise<{ failed: Failure[]; passed: number; others: Map<string, number> }> {
  const reader = new MemoryReader();
  const failed: Failure[] = [];
  const others = new Map<string, number>();
  let passed = 0;
  for (const command of parseScript(text)) {
    if (command.kind === 'clear') reader.clear();
    else if (command.kind === 'load') fill(reader, command);
    else {
      reader.met.clear();
      const early = await wrongWith(reader, command, false);
      const reason = notOffered(reader, command);
      if (reason !== undefined) others.set(reason, (others.get(reason) ?? 0) + 1);
      else if (early === undefined) passed++;
      else {
        const late = await wrongWith(reader, command, true);
        failed.push({ place: `${file}:${command.line}`, query: command.query, early, late });
      }
    }
  }
  return { failed, passed, others };
}

async function wrongWith(reader: MemoryReader, command: Eval, late: boolean): Promise<string | undefined> {
  try {
    await runEval(reader, command, late);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

// The case needs samples, or expects results, of a kind that is not stored here.
function notOffered({ met }: MemoryReader, { series }: Eval): string | undefined {
  if (series.some(({ points }) => points.includes('native'))) return 'native histograms';
  return met.size > 0 ? [...met].sort().join(' and ') : undefined;
}
